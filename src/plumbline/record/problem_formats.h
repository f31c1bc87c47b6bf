/// Readers of the problem rows that other tools write. Each takes a row of its own shape as it is.
#pragma once

#include <span>
#include <string_view>

#include "plumbline/record/problem_row.h"

namespace plumbline {

struct ProblemFormat {
  std::string_view name;
  std::string_view keys;  ///< what tells such a row, for people
  bool (*matches)(const ProblemRow&);
  Problem (*read)(const ProblemRow&);
};

/// In the order in which they are tried; problem.v1 is not among them.
std::span<const ProblemFormat> foreign_problem_formats();

}  // namespace plumbline
