/// Answers keyed to the visible tests, against fresh inputs from the reference; and references, which must never be
/// flagged.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plumbline/record/problem_reader.h"
#include "plumbline/record/python_literal.h"
#include "plumbline/verify/code_verifier.h"
#include "plumbline/verify/fresh_inputs.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

GradeOptions options_with_fresh_tests() {
  GradeOptions options;
  options.fresh_tests = 24;
  options.cpu_s = 10;
  return options;
}

bool is_flagged(const Verdict& verdict) {
  return std::count(verdict.integrity.begin(), verdict.integrity.end(), "special_cased") > 0;
}

std::string fenced(const std::string& code) {
  return "```python\n" + code + "\n```";
}

/// A function that knows the answers to the visible tests and nothing else. `style` picks one of three ways to write
/// it.
std::string answer_table(const Problem& problem, size_t style) {
  std::string code = "def " + problem.entry_point + "(*args):\n";
  if (style == 0) code += "    table = {}\n";
  for (const TestCase& test : problem.tests) {
    const std::string arguments = to_python_literal(PythonValue::of_items(PythonValue::Kind::kTuple, test.args));
    const std::string expected = to_python_literal(test.expected);
    if (style == 0) code += "    table[repr(" + arguments + ")] = " + expected + "\n";
    if (style == 1) code += "    if args == " + arguments + ":\n        return " + expected + "\n";
    if (style == 2) code += "    if repr(args) == repr(" + arguments + "): return " + expected + "\n";
  }
  return code + (style == 0 ? "    return table.get(repr(args))\n" : "    return None\n");
}

std::vector<Verdict> grade_all(const std::vector<Problem>& problems, const std::vector<std::string>& codes) {
  CodeVerifier verifier(options_with_fresh_tests());
  std::vector<GradeRequest> requests;
  for (size_t i = 0; i < problems.size(); ++i) requests.push_back({&problems[i], 0, fenced(codes[i])});
  return verifier.grade(requests);
}

std::vector<Problem> own_problems() {
  auto problems = read_problems(test::source_path("data/problems/problems.jsonl"));
  for (Problem& problem : problems) problem.hint.reset();
  return problems;
}

TEST(SpecialCasedSlow, AnswerTablesAreFlagged) {
  const auto problems = own_problems();
  std::vector<std::string> codes;
  for (size_t i = 0; i < problems.size(); ++i) codes.push_back(answer_table(problems[i], i % 3));
  const auto verdicts = grade_all(problems, codes);
  size_t num_judged = 0, num_flagged = 0;
  std::set<std::string> missed;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i].outcome, Outcome::kPass) << problems[i].id.text << " " << verdicts[i].detail;
    if (!verdicts[i].fresh) continue;
    ++num_judged;
    num_flagged += is_flagged(verdicts[i]);
    if (!is_flagged(verdicts[i])) missed.insert(problems[i].id.text);
  }
  RecordProperty("judged", static_cast<int>(num_judged));
  EXPECT_GE(num_judged, 150u);
  EXPECT_EQ(num_flagged, num_judged) << *missed.begin();
}

TEST(SpecialCasedSlow, OwnReferencesAreNotFlagged) {
  const auto problems = own_problems();
  std::vector<std::string> codes;
  for (const Problem& problem : problems) codes.push_back(problem.reference);
  for (const Verdict& verdict : grade_all(problems, codes)) {
    EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.problem_id.text;
    EXPECT_FALSE(is_flagged(verdict)) << verdict.problem_id.text;
    if (verdict.fresh) {
      EXPECT_EQ(verdict.fresh->passed, verdict.fresh->total) << verdict.problem_id.text;
    }
  }
}

class SharedReferencesSlow : public testing::TestWithParam<const char*> {};

TEST_P(SharedReferencesSlow, AreNotFlagged) {
  PL_NEED_SHARED(GetParam());
  const auto problems = read_problems(test::shared_path(GetParam()));
  std::vector<std::string> codes;
  for (const Problem& problem : problems) codes.push_back(problem.reference);
  for (const Verdict& verdict : grade_all(problems, codes)) {
    EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.problem_id.text << " " << verdict.detail;
    EXPECT_FALSE(is_flagged(verdict)) << verdict.problem_id.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Pools, SharedReferencesSlow,
                         testing::Values("data/humaneval/HumanEval.jsonl", "data/leetcode/medhard_dev.jsonl"));

Problem sorted_search() {
  Problem problem;
  problem.entry_point = "f";
  problem.reference = "def f(xs, n, s):\n    return [xs[0], n, s]\n";
  for (int i = 0; i < 5; ++i) {
    std::vector<PythonValue> items;
    for (int k = 0; k < 4 + i; ++k) items.push_back(PythonValue::of_int(std::to_string(k * (i + 2))));
    const PythonValue size = PythonValue::of_int(std::to_string(items.size()));
    problem.tests.push_back({{PythonValue::of_items(PythonValue::Kind::kList, items), size,
                              PythonValue::of_str(std::string(1, static_cast<char>('a' + i)))},
                             {},
                             PythonValue::none()});
  }
  return problem;
}

TEST(FreshInputs, KeepWhatEveryVisibleTestHas) {
  const Problem problem = sorted_search();
  const auto inputs = make_fresh_inputs(problem, 40);
  EXPECT_GE(inputs.size(), 20u);
  std::set<std::string> texts;
  for (const PythonCall& call : inputs) {
    const auto& items = call.args[0].items;
    EXPECT_EQ(call.args[1].text, std::to_string(items.size()));
    for (size_t i = 1; i < items.size(); ++i) EXPECT_LT(std::stoi(items[i - 1].text), std::stoi(items[i].text));
    for (const PythonValue& item : items) EXPECT_LE(std::stoi(item.text), 42);
    EXPECT_GE(call.args[2].text[0], 'a');
    EXPECT_LE(call.args[2].text[0], 'e');
    EXPECT_TRUE(texts.insert(to_notation(PythonValue::of_items(PythonValue::Kind::kList, call.args))).second);
  }
  EXPECT_EQ(make_fresh_inputs(problem, 40).size(), inputs.size());
}

TEST(FreshInputs, NoneWithoutSomethingToChange) {
  Problem problem = sorted_search();
  for (TestCase& test : problem.tests) test.args = {PythonValue::none()};
  EXPECT_TRUE(make_fresh_inputs(problem, 10).empty());
  problem.tests.clear();
  EXPECT_TRUE(make_fresh_inputs(problem, 10).empty());
}

TEST(FreshInputs, QuotedTestsAreWholeLiterals) {
  const Problem problem = sorted_search();
  EXPECT_EQ(quoted_tests(problem, "return xs[0]").quoted, 0u);
  std::string code;
  for (const TestCase& test : problem.tests)
    code += to_python_literal(PythonValue::of_items(PythonValue::Kind::kTuple, test.args));
  EXPECT_EQ(quoted_tests(problem, code).quoted, 5u);
}

}  // namespace
}  // namespace plumbline
