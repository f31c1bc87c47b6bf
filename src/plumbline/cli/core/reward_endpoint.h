/// The program behind an http reward: asked by RewardPool's workers, of `plumbline` and of the engine (which has no
/// HTTP). Not a verb: its words and its lines (verify/custom/program_source.h) are internal.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// `words` are ADDRESS and TIMEOUT_S. Each batch is one POST of {"rows": [...]}; the reply is {"answers": [...]}, one
/// {"reward": number or null} a row. What the network does is an error of that batch.
int reward_endpoint_main(const std::vector<std::string>& words);

}  // namespace plumbline
