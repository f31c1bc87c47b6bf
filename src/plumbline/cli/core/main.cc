/// plumbline: the torch-free half. Starts in milliseconds; hands engine verbs to plumbline-engine beside it.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/cli/core/fetch_model.h"
#include "plumbline/cli/core/reward_endpoint.h"
#include "plumbline/cli/core/reward_judge.h"
#include "plumbline/cli/core/served_candidate.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/eval/served_model.h"
#include "plumbline/files/model_path.h"
#include "plumbline/verify/custom/reward_source.h"

namespace plumbline {
namespace {

void print_help() {
  std::puts("plumbline: reinforcement learning with verifiable rewards, and whether the model learned or cheated\n");
  std::puts("usage: plumbline VERB ...   (plumbline VERB --help for one verb)\n");
  for (const Verb& verb : kVerbs) std::printf("  %-10s %s\n", verb.name, verb.summary);
}

/// Same arguments, same exit code: the engine replaces this process.
int hand_to_engine(char** argv) {
  const std::string engine = executable_folder() + "/plumbline-engine";
  ::execv(engine.c_str(), argv);
  std::fprintf(stderr, "config.no_engine: plumbline-engine cannot be started: %s (%s); build it with make build\n",
               std::strerror(errno), engine.c_str());
  return 2;
}

int main_of_core(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    return run_guarded([&] {
      print_help();
      return words.empty() ? 2 : 0;
    });
  }
  if (words[0] == kRewardEndpointWord) return reward_endpoint_main({words.begin() + 1, words.end()});
  if (words[0] == kRewardJudgeWord) return reward_judge_main({words.begin() + 1, words.end()});
  if (words[0] == kServedCandidateWord) return served_candidate_main({words.begin() + 1, words.end()});
  const auto verb =
      std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& candidate) { return words[0] == candidate.name; });
  if (words[0] == kFetchModelWord) return fetch_model_main({words.begin() + 1, words.end()});
  // Engine verbs, and the engine's sub-words of inspect, have no function here.
  if (verb != kVerbs.end() && (!verb->run || needs_engine(words))) return hand_to_engine(argv);
  watch_interrupts();
  return run_verb(kVerbs, words[0], {words.begin() + 1, words.end()});
}

}  // namespace
}  // namespace plumbline

int main(int argc, char** argv) {
  return plumbline::main_of_core(argc, argv);
}
