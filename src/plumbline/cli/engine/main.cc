/// plumbline-engine: the LibTorch half. Started by plumbline with the same arguments.
#include <algorithm>
#include <string>
#include <vector>

#include "plumbline/base/interrupt.h"
#include "plumbline/cli/engine/verbs.h"

int main(int argc, char** argv) {
  using namespace plumbline;
  const std::vector<std::string> words(argv + 1, argv + argc);
  watch_interrupts();
  return run_verb(kEngineVerbs, words.empty() ? "" : words[0],
                  words.empty() ? words : std::vector<std::string>(words.begin() + 1, words.end()));
}
