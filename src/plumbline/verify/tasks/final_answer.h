/// The answer that a completion ends with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// The inside of the last balanced \boxed{}; else what follows the last "answer" or "result" with "is", ":" or "=", to
/// the end of the sentence; else the last line that is not blank. Spaces, emphasis and a full stop around it are taken
/// off. Unset when nothing is left.
std::optional<std::string> final_answer(std::string_view completion);

}  // namespace plumbline
