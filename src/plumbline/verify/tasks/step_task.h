/// Grades the task "step": every expression must be equal to the one before it, the last to the gold answer, and the
/// steps must be work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/verdict.h"

namespace plumbline {

/// Raise it whenever a verdict may come out differently.
inline constexpr int kStepGraderVersion = 2;

/// More steps than these are not looked at: such an answer is unparsed.
inline constexpr size_t kMostSteps = 256;

/// The expressions of STEP lines (before the first pipe); else the sides of the longest line a = b = c of at least two
/// sides with a digit or an operator; else the final answer; else nothing.
std::vector<std::string> find_steps(std::string_view completion);

/// verdict.steps has the checks. pass: accepted and work; no_work: accepted without; wrong: a check was rejected;
/// undecided: a check could not be decided, or there was none; unparsed: there are no steps. The reward is the mean of
/// +1 (accepted), -1 (rejected), 0 (undecided) over the checks; with a rejection at most -1 + accepted/checks; never
/// above 0 without work; 0 without checks. The reasons that the model gives are never looked at.
Verdict grade_steps(const Problem& problem, std::string_view completion);

}  // namespace plumbline
