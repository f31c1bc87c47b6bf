/// Answers that want the text graders to hang, crash or pay.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plumbline/base/clock.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/tasks/task_verifier.h"

namespace plumbline {
namespace {

std::vector<Problem> one_of_each() {
  std::vector<Problem> problems;
  for (
      const char* row :
      {R"({"id":1,"task":"math","prompt":"Find x.","reference":"x^2 + 1"})",
       R"({"id":2,"task":"physics","prompt":"?","reference":"5 m/s"})",
       R"({"id":3,"task":"step","prompt":"Simplify (x+1)^2.","reference":"x^2+2x+1"})",
       R"({"id":4,"task":"provenance","prompt":"?","claim_is_true":false,"author":"Ann Author","forbidden_authors":["Bob Writer"]})",
       R"({"id":5,"task":"concept","prompt":"?","concepts":["a","b"],"are_distinct":true})"}) {
    problems.push_back(parse_problem(row, "test"));
  }
  return problems;
}

std::string repeated(const std::string& part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(TextTasks, HugeAndDeepAnswersEndSoonAndEarnNothing) {
  TaskVerifier verifier(nullptr);
  std::string nested = "x";
  for (int i = 0; i < 40; ++i) nested = "(" + nested + "+1)*2";
  const std::vector<std::string> answers = {
      repeated("\\boxed{", 200000),
      repeated("answer is ", 50000),
      repeated("STEP: x+1 |\n", 20000),
      "STEP: " + nested + " |\nSTEP: " + nested + "+0 |\nSTEP: 1 |",
      "STEP: " + repeated("x^", 200) + "x |\nSTEP: x^x |\nSTEP: 2^x^y |",
      repeated("a = ", 20000) + "1",
      repeated("maybe perhaps ", 20000),
      repeated("not, but rather than ", 20000),
      "Answer: 5 " + repeated("(", 200),
      "Answer: 5 m^" + repeated("9", 300),
      repeated("\xff\xfe", 1000),
      std::string(100000, '\0'),
  };
  for (const Problem& problem : one_of_each()) {
    for (const std::string& answer : answers) {
      const double start_s = now_s();
      const std::vector<GradeRequest> requests = {{&problem, 0, answer}};
      const Verdict verdict = verifier.grade(requests).front();
      EXPECT_LT(now_s() - start_s, 5) << problem.task << ": " << answer.substr(0, 30);
      EXPECT_FALSE(verdict.passed()) << problem.task << ": " << answer.substr(0, 30);
    }
  }
}

TEST(TextTasks, MutatedAnswersNeverThrow) {
  TaskVerifier verifier(nullptr);
  const std::vector<Problem> problems = one_of_each();
  const std::vector<std::string> seeds = {"STEP: (x+1)^2 | a\nSTEP: x^2+2x+1 | b", "\\boxed{\\frac{x^2+1}{2}}",
                                          "Answer: 3.0 \\times 10^8\\,\\mathrm{m/s}",
                                          "No, Bob Writer didn't; rather than him it's by Ann Author.",
                                          "a and b aren't the same, but alike in that both end."};
  std::mt19937 random(7);
  for (int i = 0; i < 4000; ++i) {
    std::string text = seeds[random() % seeds.size()];
    for (unsigned n = random() % 6; n-- > 0 && !text.empty();) {
      const size_t at = random() % text.size();
      if (random() % 2) {
        text[at] = static_cast<char>(random());
      } else {
        text.insert(at, text.substr(random() % text.size(), random() % 12));
      }
    }
    const Problem& problem = problems[random() % problems.size()];
    const std::vector<GradeRequest> requests = {{&problem, 0, text}};
    const Verdict verdict = verifier.grade(requests).front();
    EXPECT_LE(std::abs(verdict.reward.value_or(0)), 1) << text;
    EXPECT_FALSE(verdict.is_infra()) << text;
  }
}

}  // namespace
}  // namespace plumbline
