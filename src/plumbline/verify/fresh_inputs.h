/// Inputs that no visible test has, of the shape that visible tests have: what an answer keyed to the visible tests
/// cannot know.
#pragma once

#include <string>
#include <vector>

#include "plumbline/record/problem.h"

namespace plumbline {

/// Up to `count` calls, all different from each other and from the problem's tests, a pure function of the problem.
/// Each is a visible call with one to three of its leaves changed: numbers within the range that the same place has in
/// the visible tests, strings by characters seen there, bools flipped. Kept where every visible test has it: sorted and
/// distinct elements of a list, a number that is the length of a list. Lengths never change. Empty when the visible
/// tests are no plain calls or have nothing to change.
std::vector<PythonCall> make_fresh_inputs(const Problem& problem, size_t count);

/// How many visible tests' arguments stand as literals in the code, and how many could: arguments so short that they
/// say nothing (two characters) do not count while there are others.
struct QuotedTests {
  size_t quoted = 0, total = 0;
};
QuotedTests quoted_tests(const Problem& problem, const std::string& code);

}  // namespace plumbline
