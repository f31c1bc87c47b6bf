/// The process behind eval.served (eval/served_model.h): asks a served model for completions. Not a verb.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// `words` are SPEC, MAX_NEW_TOKENS and TEMPERATURE. The pre-flight is done before the first line.
int served_candidate_main(const std::vector<std::string>& words);

}  // namespace plumbline
