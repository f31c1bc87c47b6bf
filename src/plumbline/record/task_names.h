/// Which tasks there are: what the `task` of a problem and of an evaluation report may be.
#pragma once

#include <array>
#include <string_view>

namespace plumbline {

inline constexpr std::array<std::string_view, 8> kTaskNames = {"code",    "invention",  "step",    "math",
                                                               "physics", "provenance", "concept", "custom"};

}  // namespace plumbline
