/// plumbline-engine: the LibTorch half. Started by plumbline with the same arguments.
#include <malloc.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plumbline/base/interrupt.h"
#include "plumbline/cli/engine/verbs.h"

namespace {

/// A step frees what the next one asks for again. By default the C library hands such memory back to the kernel, which
/// then clears every page anew: a tenth of the time of a small model's step.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  using namespace plumbline;
  keep_freed_memory();
  const std::vector<std::string> words(argv + 1, argv + argc);
  watch_interrupts();
  return run_verb(kEngineVerbs, words.empty() ? "" : words[0],
                  words.empty() ? words : std::vector<std::string>(words.begin() + 1, words.end()));
}
