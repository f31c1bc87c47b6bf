/// Grades the tasks "math" and "physics": the final answer beside the gold one.
#pragma once

#include <string_view>

#include "plumbline/math/equivalence.h"
#include "plumbline/record/verdict.h"

namespace plumbline {

/// Raise them whenever a verdict may come out differently.
inline constexpr int kMathGraderVersion = 2;
inline constexpr int kPhysicsGraderVersion = 1;

/// compare_math, and a chain of equations a = b = c beside a gold answer that is none stands for its last side.
MathComparison compare_answer(std::string_view answer, std::string_view gold);

/// pass (+1), wrong (-1), unparsed (-1: there is no answer, none that can be read, or one with a symbol that neither
/// the problem nor the gold answer has) or undecided (no reward: the answer was read, and we cannot tell).
Verdict grade_math(const Problem& problem, std::string_view completion);

/// The same with quantities: one SI dimension, and at most problem.rel_tol apart, relative to the gold one. Throws
/// DataError(data.problem) for a gold quantity that cannot be read.
Verdict grade_physics(const Problem& problem, std::string_view completion);

}  // namespace plumbline
