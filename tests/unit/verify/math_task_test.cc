/// The final answer of a completion, and the graders of math and physics.
#include "plumbline/verify/tasks/math_task.h"

#include <gtest/gtest.h>

#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/tasks/final_answer.h"

namespace plumbline {
namespace {

Problem gold(const std::string& task, const std::string& reference) {
  return parse_problem(R"({"id": 1, "task": ")" + task + R"(", "prompt": "?", "reference": ")" + reference + "\"}",
                       "test");
}

TEST(FinalAnswer, BoxThenAnnouncementThenLastLine) {
  EXPECT_EQ(final_answer("so \\boxed{3} or \\boxed{\\frac{1}{2}} it is"), "\\frac{1}{2}");
  EXPECT_EQ(final_answer("\\boxed{5} and \\boxed{unfinished"), "5");
  EXPECT_EQ(final_answer("The answer is 12. The rest follows."), "12");
  EXPECT_EQ(final_answer("Answer: 3.5."), "3.5");
  EXPECT_EQ(final_answer("**Answer:** 7"), "7");
  EXPECT_EQ(final_answer("the result = x^2 + 1\nbye"), "x^2 + 1");
  EXPECT_EQ(final_answer("The answer is 4.\nNo: the answer is: 5"), "5");
  EXPECT_EQ(final_answer("We compute.\n\n  42.  \n\n"), "42");
  EXPECT_EQ(final_answer("the answers are many\n8"), "8");
  EXPECT_EQ(final_answer(" \n\t"), std::nullopt);
  EXPECT_EQ(final_answer(""), std::nullopt);
}

struct Expected {
  std::string completion;
  Outcome outcome;
};

TEST(MathTask, FourOutcomesAndTheirRewards) {
  const Problem problem = gold("math", "1/2");
  for (const auto& [completion, outcome] : std::vector<Expected>{{"The answer is 0.5.", Outcome::kPass},
                                                                 {"\\boxed{\\frac{2}{4}}", Outcome::kPass},
                                                                 {"1/4 + 1/4 = 2/4 = 1/2", Outcome::kPass},
                                                                 {"x = 1/2", Outcome::kPass},
                                                                 {"The answer is 2.", Outcome::kWrong},
                                                                 {"1/4 + 1/4 = 3/4", Outcome::kWrong},
                                                                 {"", Outcome::kUnparsed},
                                                                 {"the answer is \\int_0^1 x dx", Outcome::kUnparsed},
                                                                 {"no", Outcome::kUnparsed},
                                                                 {"```python", Outcome::kUnparsed}}) {
    const Verdict verdict = grade_math(problem, completion);
    EXPECT_EQ(verdict.outcome, outcome) << completion << ": " << verdict.detail;
    EXPECT_EQ(verdict.reward, outcome == Outcome::kPass ? 1.0 : -1.0) << completion;
  }
  // 50% beside 50 is undecided (docs/method/math_equivalence.md): read, and not decided.
  const Verdict undecided = grade_math(gold("math", "50"), "50%");
  EXPECT_EQ(undecided.outcome, Outcome::kUndecided);
  EXPECT_FALSE(undecided.reward);
}

struct Graded {
  std::string reference, completion;
  Outcome outcome;
};

/// Values by hand: 2.5e-3 = 25/10000, 72 km/h = 72000 m / 3600 s = 20 m/s.
TEST(MathTask, ScientificNotationAndUnitsOfOneLetter) {
  for (const auto& [reference, completion, outcome] :
       std::vector<Graded>{{"0.0025", "The answer is 2.5e-3.", Outcome::kPass},
                           {"1e3", "1000", Outcome::kPass},
                           {"602000000000000000000000", "\\boxed{6.02e23}", Outcome::kPass},
                           {"0.0025", "2.5e-4", Outcome::kWrong},
                           {"e-3", "1e-3", Outcome::kUndecided},
                           {"2e-3", "a = b = 2e - 3", Outcome::kUndecided},
                           {"2e-3", "0.001 + 0.001 = 0.002", Outcome::kPass},
                           {"3 m", "300 cm", Outcome::kPass},
                           {"300 cm", "The answer is 3 m.", Outcome::kPass},
                           {"5000 m", "\\boxed{5\\text{ km}}", Outcome::kPass},
                           {"1 kg", "1000 g", Outcome::kPass},
                           {"20 m/s", "v = 72 km/h", Outcome::kPass},
                           {"300 cm", "4 m", Outcome::kWrong},
                           {"20 m/s", "73 km/h", Outcome::kWrong},
                           {"3", "3 m", Outcome::kUndecided},
                           {"90 min", "1 h 30 min", Outcome::kPass},
                           {"90 min", "1 h 31 min", Outcome::kWrong},
                           {"90", "1 h 30 min", Outcome::kUndecided},
                           {"B", "\\boxed{\\text{(B)}}", Outcome::kPass},
                           {"B", "\\boxed{\\text{(C)}}", Outcome::kWrong},
                           {"150 minutes", "2 hours 30 minutes", Outcome::kPass}}) {
    Problem problem = gold("math", "1");
    problem.reference = reference;
    const Verdict verdict = grade_math(problem, completion);
    EXPECT_EQ(verdict.outcome, outcome) << completion << " beside " << reference << ": " << verdict.detail;
  }
}

TEST(PhysicsTask, OneDimensionAndOnePercent) {
  const Problem problem = gold("physics", "20 m/s");
  for (const auto& [completion, outcome] : std::vector<Expected>{{"Answer: 20 m/s", Outcome::kPass},
                                                                 {"v = 72 km/h", Outcome::kPass},
                                                                 {"Answer: 20.2 m/s", Outcome::kPass},
                                                                 {"Answer: 20.21 m/s", Outcome::kWrong},
                                                                 {"Answer: 20", Outcome::kWrong},
                                                                 {"Answer: 20 m", Outcome::kWrong},
                                                                 {"Answer: 20 knots", Outcome::kUnparsed},
                                                                 {"", Outcome::kUnparsed}}) {
    EXPECT_EQ(grade_physics(problem, completion).outcome, outcome) << completion;
  }
  EXPECT_EQ(
      grade_physics(parse_problem(R"({"id":1,"task":"physics","prompt":"?","reference":"20 m/s","rel_tol":0.05})", "t"),
                    "21 m/s")
          .outcome,
      Outcome::kPass);
}

}  // namespace
}  // namespace plumbline
