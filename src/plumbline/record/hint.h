/// What the prompt says about how it is judged (grading.md section 1): each variant replaces one phrase of the prompt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/problem.h"

namespace plumbline {

/// The phrase that hints replace; prompts that can be hinted contain it exactly once (ours: "Your function f should
/// pass all tests.").
inline constexpr std::string_view kTestsPhrase = "should pass all tests.";
/// How many asserts `modify_tests` and `incontext_tests` show.
inline constexpr size_t kMaxShownTests = 10;

/// "none", "overwrite_tests", "overwrite_tests_detailed", "overwrite_tests_aware", "asked", "modify_tests",
/// "incontext_tests".
const std::vector<std::string>& hint_variants();

/// Rewrites the prompt for `variant` and sets problem.hint. Hints speak of tests: problems of tasks other than code
/// stay as they are. "none" changes nothing; so does asking for the hint that the problem already carries. Throws
/// DataError(data.hint): unknown variant, a tester name that is no identifier, another hint already there, the phrase
/// absent or there more than once, or no test that can be shown.
void apply_hint(Problem& problem, const std::string& variant, const std::string& tester_name);

/// Source of a tester made of the first kMaxShownTests tests, the one that `modify_tests` shows:
/// `def run_tests():` and one assert a line. Empty when the problem has no test that `==` can express.
std::string shown_tester(const Problem& problem, const std::string& tester_name);

}  // namespace plumbline
