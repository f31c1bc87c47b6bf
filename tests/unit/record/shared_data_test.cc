#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "plumbline/record/completion_reader.h"
#include "plumbline/record/hint.h"
#include "plumbline/record/problem_reader.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

using test::shared_path;

TEST(SharedData, LeetCodeAssertsAllBecomeData) {
  PL_NEED_SHARED("data/leetcode/medhard_dev.jsonl");
  const auto problems = read_problems(shared_path("data/leetcode/medhard_dev.jsonl"));
  ASSERT_EQ(problems.size(), 64u);
  size_t num_tests = 0, num_minus_inf = 0;
  std::set<std::string> with_minus_inf;
  for (const Problem& problem : problems) {
    EXPECT_EQ(problem.code_tests, "") << to_string(problem.id);
    EXPECT_EQ(problem.compare, CompareRule::kPython);
    EXPECT_TRUE(problem.id.is_number);
    EXPECT_NE(problem.reference, "");
    EXPECT_NE(problem.starter_code, "");
    EXPECT_FALSE(problem.hint.has_value());
    ASSERT_EQ(problem.prompt.size(), 2u);
    num_tests += problem.tests.size();
    for (const TestCase& test : problem.tests) {
      EXPECT_TRUE(test.args.empty());
      EXPECT_FALSE(test.kwargs.empty());
      if (test.expected.is(PythonValue::Kind::kFloat) && test.expected.real == -INFINITY) {
        ++num_minus_inf;
        with_minus_inf.insert(problem.id.text);
      }
    }
  }
  EXPECT_EQ(num_tests, 7018u);
  EXPECT_EQ(num_minus_inf, 69u);
  EXPECT_EQ(with_minus_inf, (std::set<std::string>{"3316", "3371"}));
}

TEST(SharedData, LeetCodeIntegersKeepAllDigits) {
  PL_NEED_SHARED("data/leetcode/medhard_dev.jsonl");
  size_t longest = 0;
  for (const Problem& problem : read_problems(shared_path("data/leetcode/medhard_dev.jsonl"))) {
    if (problem.id.text != "3348") continue;
    for (const TestCase& test : problem.tests) {
      for (const auto& [name, value] : test.kwargs) {
        if (value.is(PythonValue::Kind::kInt)) longest = std::max(longest, value.text.size());
      }
    }
  }
  EXPECT_GE(longest, 19u);
}

TEST(SharedData, LeetCodePromptsTakeEveryHint) {
  PL_NEED_SHARED("data/leetcode/medhard_dev.jsonl");
  for (const Problem& problem : read_problems(shared_path("data/leetcode/medhard_dev.jsonl"))) {
    for (const std::string& variant : hint_variants()) {
      Problem hinted = problem;
      apply_hint(hinted, variant, "run_tests");
      EXPECT_EQ(hinted.prompt[1].content.find("run_tests()") != std::string::npos, variant != "none");
    }
  }
}

TEST(SharedData, HumanEvalRowsKeepThePromptForTheTests) {
  PL_NEED_SHARED("data/humaneval/HumanEval.jsonl");
  const auto problems = read_problems(shared_path("data/humaneval/HumanEval.jsonl"));
  ASSERT_EQ(problems.size(), 164u);
  std::vector<std::string> as_code;
  for (const Problem& problem : problems) {
    EXPECT_NE(problem.tests.empty(), problem.code_tests.empty());
    EXPECT_EQ(problem.code_reason.empty(), problem.code_tests.empty());
    if (!problem.code_tests.empty()) {
      EXPECT_TRUE(problem.code_tests.ends_with("\ncheck(" + problem.entry_point + ")\n"));
      as_code.push_back(problem.id.text);
    }
    EXPECT_EQ(problem.code_prelude, problem.prompt[0].content);
    EXPECT_TRUE(problem.reference.starts_with(problem.code_prelude));
    EXPECT_NE(problem.code_prelude.find("def " + problem.entry_point), std::string::npos);
  }
  // Their checks draw random inputs.
  EXPECT_EQ(as_code, (std::vector<std::string>{"HumanEval/32", "HumanEval/38", "HumanEval/50", "HumanEval/53"}));
  EXPECT_EQ(problems[0].id, (ProblemId{"HumanEval/0", false}));
}

TEST(SharedData, GraderProblemsParse) {
  PL_NEED_SHARED("cases/grader/problems.jsonl");
  const auto problems = read_problems(shared_path("cases/grader/problems.jsonl"));
  ASSERT_EQ(problems.size(), 14u);
  size_t num_hinted = 0, num_holdout = 0;
  for (const Problem& problem : problems) {
    num_hinted += problem.hint.has_value();
    num_holdout += !problem.holdout_tests.empty();
    EXPECT_EQ(problem.compare, CompareRule::kExact);
    EXPECT_GE(problem.tests.size(), 5u);
  }
  EXPECT_EQ(num_hinted, 7u);
  EXPECT_EQ(num_holdout, 1u);
}

TEST(SharedData, StoredRolloutsReadAsCompletions) {
  PL_NEED_SHARED("data/rollouts/teacher_pool_dev.jsonl");
  const auto rows = read_completions(shared_path("data/rollouts/teacher_pool_dev.jsonl"));
  ASSERT_EQ(rows.size(), 376u);
  EXPECT_TRUE(rows[0].problem_id.is_number);
  EXPECT_EQ(read_completions(shared_path("cases/grader/completions.jsonl")).size(), 140u);
  EXPECT_EQ(read_completions(shared_path("data/humaneval/canonical.jsonl")).size(), 164u);
}

}  // namespace
}  // namespace plumbline
