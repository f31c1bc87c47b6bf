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
