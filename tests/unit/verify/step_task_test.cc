/// The step verifier against checks counted by hand, and against answers that only look like work.
#include "plumbline/verify/tasks/step_task.h"

#include <gtest/gtest.h>

#include "plumbline/math/parser.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/tasks/step_work.h"

namespace plumbline {
namespace {

using Steps = std::vector<std::string>;

Problem problem_of(const std::string& prompt, const std::string& gold) {
  return parse_problem(R"({"id": 1, "task": "step", "prompt": ")" + prompt + R"(", "reference": ")" + gold + "\"}",
                       "test");
}

const Problem kSum = problem_of("Compute 3 * (4 + 5) + 6.", "33");
const Problem kLetters = problem_of("Simplify (x + 1)^2 - x^2.", "2x + 1");

std::string form(const std::string& text) {
  return normal_form(std::get<Expression>(parse_math(text)));
}

TEST(FindSteps, LinesThenChainThenAnswer) {
  EXPECT_EQ(find_steps("STEP: 1 + 2 | add\n step- 3 |\nSteps: 4\nSTEP: |x| | never"), (Steps{"1 + 2", "3", ""}));
  EXPECT_EQ(find_steps("We have 1+2 = 3\nso 2*(1+2) = 2*3 = 6\nthe answer is 6"), (Steps{"so 2*(1+2)", "2*3", "6"}));
  EXPECT_EQ(find_steps("a = b\nthe answer is 6."), (Steps{"6"}));
  EXPECT_EQ(find_steps("  \n"), Steps{});
}

TEST(StepTask, WorkThatHoldsPasses) {
  const Verdict verdict = grade_steps(kSum, "STEP: 3 * (4 + 5) + 6 | given\nSTEP: 3 * 9 + 6 | add\nSTEP: 33 | done");
  EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.detail;
  EXPECT_EQ(verdict.steps->verdict, "accepted");
  EXPECT_EQ(verdict.steps->num_checks, 3);
  EXPECT_EQ(verdict.steps->num_accepted, 3);
  EXPECT_DOUBLE_EQ(verdict.steps->coverage(), 1);
  EXPECT_DOUBLE_EQ(*verdict.reward, 1);
  EXPECT_EQ(grade_steps(kSum, "3*(4+5)+6 = 3*9+6 = 27+6 = 33").outcome, Outcome::kPass);
}

TEST(StepTask, RewardsAreTheMeanOfTheChecks) {
  // Four checks: accepted, rejected (27 + 6 and 34), rejected against gold... counted by hand.
  const Verdict wrong = grade_steps(kSum, "STEP: 3*(4+5)+6 |\nSTEP: 27+6 |\nSTEP: 34 |");
  EXPECT_EQ(wrong.outcome, Outcome::kWrong);
  EXPECT_EQ(wrong.steps->num_checks, 3);
  EXPECT_EQ(wrong.steps->num_accepted, 1);
  EXPECT_EQ(wrong.steps->num_rejected, 2);
  EXPECT_NEAR(*wrong.reward, -2.0 / 3, 1e-12);  // min((1 - 2)/3, -1 + 1/3)
  // Two accepted, one rejected: the mean is 1/3, and the rejection caps it at -1 + 2/3.
  const Verdict last = grade_steps(kSum, "STEP: 3*(4+5)+6 |\nSTEP: 3*9+6 |\nSTEP: 27+6 |\nSTEP: 32 |");
  EXPECT_EQ(last.steps->num_accepted, 2);
  EXPECT_EQ(last.steps->num_rejected, 2);
  EXPECT_NEAR(*last.reward, -0.5, 1e-12);
  const Verdict unread = grade_steps(kSum, "STEP: 3*(4+5)+6 |\nSTEP: three times nine and six |\nSTEP: 33 |");
  EXPECT_EQ(unread.outcome, Outcome::kUndecided);
  EXPECT_EQ(unread.steps->verdict, "abstain");
  EXPECT_NEAR(unread.steps->coverage(), 1.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(*unread.reward, 0);  // a third without work earns nothing
  const Verdict nothing = grade_steps(kSum, "");
  EXPECT_EQ(nothing.outcome, Outcome::kUnparsed);
  EXPECT_DOUBLE_EQ(*nothing.reward, 0);
  EXPECT_DOUBLE_EQ(nothing.steps->coverage(), 0);
}

TEST(StepWork, WhatOnlyLooksLikeWorkCountsNothing) {
  const std::vector<std::pair<const Problem*, std::string>> tricks = {
      {&kSum, "33"},
      {&kSum, "\\boxed{33}"},
      {&kSum, "The answer is 33."},
      {&kSum, "STEP: 33 |\nSTEP: 33 |\nSTEP: 33 |"},
      {&kSum, "STEP: 33 |\nSTEP: 33*(sin(x)^2+cos(x)^2) |\nSTEP: 33 |"},
      {&kSum, "STEP: 33*(sin(x)^2+cos(x)^2) |\nSTEP: 33*1 |\nSTEP: 33 |"},
      {&kSum, "STEP: 33 + 0 |\nSTEP: 33 * 1 |\nSTEP: 33.0 |"},
      {&kSum, "STEP: 30 + 3 |\nSTEP: 3 + 30 |\nSTEP: 33 |"},                                // not the problem's numbers
      {&kSum, "STEP: 3 * (4 + 5) + 6 |\nSTEP: 33 |"},                                       // one transition
      {&kSum, "STEP: 3 * (4 + 5) + 6 |\nSTEP: 6 + (5 + 4) * 3 |\nSTEP: 33 |"},              // one, and another order
      {&kSum, "STEP: 3 * (4 + 5) + 6 |\nSTEP: 3 * (4 + 5) + 6 + 5 - 5 |\nSTEP: 33 |"},      // +5 - 5
      {&kSum, "STEP: 3 * (4 + 5) + 6 |\nSTEP: (3 * (4 + 5) + 6) * 7/7 |\nSTEP: 33 |"},      // *7/7
      {&kSum, "STEP: 3 * (4 + 5) + 6 |\nSTEP: 33 |\nSTEP: 3 * (4 + 5) + 6 |\nSTEP: 33 |"},  // there and back
      {&kSum, "STEP: 3*(4+5)+6 |\nSTEP: (3*(4+5)+6)*(sin(x)^2+cos(x)^2) |\nSTEP: 33 |"},    // a symbol of its own
      {&kLetters, "2x + 1"},
      {&kLetters, "STEP: 2x + 1 |\nSTEP: 2*x + 1 |\nSTEP: 1 + 2x |"},
      {&kLetters, "STEP: 2x + 1 |\nSTEP: (2x + 1)*(sin(x)^2 + cos(x)^2) |\nSTEP: 2x + 1 |"},
      {&kLetters, "STEP: (x+1)^2 - x^2 |\nSTEP: ((x+1)^2 - x^2)*(sin^2 x + cos^2 x) |\nSTEP: 2x + 1 |"},
      {&kLetters, "STEP: (x+1)^2 - x^2 |\nSTEP: (x+1)^2 - x^2 + x - x |\nSTEP: 2x + 1 |"},
      {&kLetters, "STEP: (x+1)^2 - x^2 |\nSTEP: (1+x)^2 - x*x |\nSTEP: 2x + 1 |"},
  };
  for (const auto& [problem, completion] : tricks) {
    const Verdict verdict = grade_steps(*problem, completion);
    EXPECT_EQ(verdict.outcome, Outcome::kNoWork) << completion << ": " << verdict.detail;
    EXPECT_FALSE(verdict.passed()) << completion;
    EXPECT_LE(*verdict.reward, 0) << completion;
    EXPECT_EQ(verdict.steps->verdict, "accepted") << completion;  // kept for audit
  }
  EXPECT_EQ(grade_steps(kLetters, "STEP: (x+1)^2 - x^2 |\nSTEP: x^2 + 2x + 1 - x^2 |\nSTEP: 2x + 1 |").outcome,
            Outcome::kNoWork);  // x^2 - x^2 cancels by itself, so the last step is none
  EXPECT_EQ(grade_steps(kLetters, "STEP: (x+1)^2 - x^2 |\nSTEP: (x+1-x)*(x+1+x) |\nSTEP: 2x + 1 |").outcome,
            Outcome::kPass);
}

TEST(StepTask, ReadsScientificNotation) {
  const Problem problem = problem_of("Compute 1.7e2 * 2.", "340");
  EXPECT_EQ(grade_steps(problem, "STEP: 1.7e2 * 2 |\nSTEP: 170 + 170 |\nSTEP: 3.4e2 |").outcome, Outcome::kPass);
  EXPECT_EQ(grade_steps(problem, "STEP: 170 * 2 |\nSTEP: 170 + 170 |\nSTEP: 3.4e3 |").outcome, Outcome::kWrong);
  EXPECT_EQ(form("3.4e2"), form("340"));  // another spelling is no work
}

TEST(StepTask, WordsThatReadAsProductsOfLettersRejectNothing) {
  const Verdict verdict = grade_steps(kSum, "min min min");
  EXPECT_EQ(verdict.outcome, Outcome::kUndecided);
  EXPECT_DOUBLE_EQ(verdict.steps->coverage(), 0);
}

TEST(StepWork, TheProblemsOwnLineMayBeCopiedOnceAndNoMore) {
  EXPECT_EQ(grade_steps(kSum, "STEP: 3 * (4 + 5) + 6 |\nSTEP: 3 * (4 + 5) + 6 |\nSTEP: 3 * (4 + 5) + 6 |").outcome,
            Outcome::kNoWork);
}

TEST(StepWork, NormalFormsDropWhatIsNoWorkAndKeepTheRest) {
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{{"a + b", "b + a"},
                                                                             {"a * b", "b a"},
                                                                             {"(a + b) + c", "a + (b + c)"},
                                                                             {"a + 0", "a"},
                                                                             {"1 * a / 1", "a"},
                                                                             {"a + b - b", "a"},
                                                                             {"a b / b", "a"},
                                                                             {"x x", "x^2"},
                                                                             {"a - b", "-b + a"},
                                                                             {"7.50", "7.5"},
                                                                             {"c sin(x)^2 + c cos(x)^2", "c"},
                                                                             {"5 (sin^2 x + cos^2 x)", "5"},
                                                                             {"-(-a)", "a"},
                                                                             {"(-a)(-b)", "a b"}}) {
    EXPECT_EQ(form(a), form(b)) << a << " and " << b;
  }
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{{"3 + 4", "7"},
                                                                             {"3 * 4", "12"},
                                                                             {"a - b", "b - a"},
                                                                             {"a / b", "b / a"},
                                                                             {"(a + b)^2", "a^2 + b^2"},
                                                                             {"sin(x)^2 + cos(y)^2", "1"},
                                                                             {"2(a + b)", "2a + 2b"},
                                                                             {"x^2", "x^3"}}) {
    EXPECT_NE(form(a), form(b)) << a << " and " << b;
  }
}

TEST(StepWork, DerivedMeansMadeOfTheProblemsNumbers) {
  const auto derived = [](const char* text, const char* problem) {
    return is_derived(std::get<Expression>(parse_math(text)), problem);
  };
  EXPECT_TRUE(derived("12 * 3", "A dozen boxes hold three pens each."));
  EXPECT_TRUE(derived("1250 / 2", "Half of 1,250."));
  EXPECT_FALSE(derived("36", "A dozen boxes hold three pens each."));
  EXPECT_FALSE(derived("y + 2", "Find x if x + 2 = 3."));
  EXPECT_TRUE(derived("x + 2", "Find x if x + 2 = 3."));
  EXPECT_FALSE(derived("pi", "How round is it?"));
}

}  // namespace
}  // namespace plumbline
