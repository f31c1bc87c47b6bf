/// The program behind a judge: reward: asked by RewardPool's workers, of `plumbline` and of the engine (which has no
/// HTTP). Not a verb: its words and its lines (verify/custom/program_source.h) are internal.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// `words` are SPEC, TIMEOUT_S and the file of the question (empty = built in). The pre-flight is done before the first
/// line says that it is ready. A row's answer is {"reward": 1 or 0, "passed"} for a verdict; whatever is none is an
/// error of that row, so that its reward is null and never 0.
int reward_judge_main(const std::vector<std::string>& words);

}  // namespace plumbline
