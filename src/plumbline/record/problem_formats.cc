#include "plumbline/record/problem_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/record/exact_json.h"
#include "plumbline/record/packed_json.h"
#include "plumbline/record/python_functions.h"
#include "plumbline/record/test_program.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;

Problem read_leetcode_row(const ProblemRow& row) {
  Problem problem;
  problem.id = read_id(row, "id");
  problem.prompt = read_prompt(row, "prompt");
  problem.entry_point = read_entry_point(row, "func_name");
  problem.setup_code = row.text("setup_code");
  problem.reference = row.text("canonical_solution");
  problem.hint = read_hint(row);
  if (const PythonValue* metadata = row.find("prompt_metadata")) {
    problem.starter_code = ProblemRow(*metadata, row.where()).text("starter_code");
  }
  for (const std::string& statement : row.texts("gt_answer")) add_assert(row, problem, problem.tests, statement);
  return problem;
}

Problem read_humaneval_row(const ProblemRow& row) {
  Problem problem;
  problem.id = read_id(row, "task_id");
  problem.prompt = read_prompt(row, "prompt");
  problem.entry_point = read_entry_point(row, "entry_point");
  problem.starter_code = row.required_text("prompt");
  problem.code_prelude = problem.starter_code;
  problem.reference = problem.starter_code + row.required_text("canonical_solution");
  add_test_program(row, problem, row.required_text("test"));
  return problem;
}

Problem read_family_row(const ProblemRow& row) {
  Problem problem;
  problem.id = read_id(row, "id");
  problem.family = row.text("family");
  problem.split = row.text("split");
  problem.prompt = read_prompt(row, "prompt");
  problem.entry_point = read_entry_point(row, "entry_point");
  problem.reference = row.required_text("solution");
  add_test_program(row, problem, row.required_text("test"));
  return problem;
}

/// Names of the functions that stand at the beginning of a line, `def NAME(`.
std::set<std::string> defined_functions(const std::string& source) {
  std::set<std::string> names;
  const std::string text = "\n" + source;
  for (size_t at = text.find("\ndef "); at != std::string::npos; at = text.find("\ndef ", at + 1)) {
    const size_t begin = text.find_first_not_of(' ', at + 5);
    const size_t end = text.find_first_of(" (", std::min(begin, text.size()));
    if (end != std::string::npos) names.insert(text.substr(begin, end - begin));
  }
  return names;
}

/// MBPP names no entry point: it is the function of the solution that the tests call.
std::string called_function(const ProblemRow& row, const std::vector<std::string>& statements) {
  const std::set<std::string> defined = defined_functions(row.text("code"));
  for (const std::string& statement : statements) {
    for (const std::string& name : called_names(statement)) {
      const bool builtin = has_signature(name, 1, {}) || has_signature(name, 2, {});
      if (is_name(name) && (defined.empty() ? !builtin : defined.contains(name))) return name;
    }
  }
  row.fail("the tests call no function of the solution, so there is no entry point");
}

Problem read_mbpp_row(const ProblemRow& row) {
  Problem problem;
  problem.id = read_id(row, row.has("task_id") ? "task_id" : "id");
  problem.prompt = read_prompt(row, row.has("text") ? "text" : "prompt");
  problem.reference = row.text("code");
  for (const std::string& line : row.texts("test_imports")) problem.setup_code += line + "\n";
  problem.setup_code += row.text("test_setup_code");
  const auto statements = row.texts("test_list");
  problem.entry_point = called_function(row, statements);
  for (const std::string& statement : statements) add_assert(row, problem, problem.tests, statement);
  for (const std::string& statement : row.texts("challenge_test_list")) {
    add_assert(row, problem, problem.holdout_tests, statement);
  }
  return problem;
}

/// The entry point as the starter code shows it: a method of Solution, or a function.
std::string entry_of_starter(const ProblemRow& row, const std::string& function, const std::string& starter_code) {
  if (!is_name(function)) row.fail(fmt::format("the function name '{}' is no identifier", function));
  return starter_code.find("class Solution") == std::string::npos ? function : "Solution()." + function;
}

TestCase program_test(std::string input, std::string output) {
  TestCase test;
  test.program = ProgramTest{std::move(input), std::move(output)};
  return test;
}

/// One value as JSON a line, one line an argument.
std::vector<PythonValue> arguments_of_lines(const std::string& text, const std::string& where) {
  std::vector<PythonValue> arguments;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) arguments.push_back(parse_exact_json(line, where));
    begin = end + 1;
  }
  return arguments;
}

void add_livecodebench_test(const ProblemRow& row, const PythonValue& item, Problem& problem) {
  const ProblemRow test(item, row.where());
  const std::string kind = test.required_text("testtype");
  const std::string input = test.required_text("input"), output = test.required_text("output");
  if (kind == "stdin" && problem.entry_point.empty()) {
    problem.tests.push_back(program_test(input, output));
  } else if (kind == "functional" && !problem.entry_point.empty()) {
    TestCase functional;
    functional.args = arguments_of_lines(input, row.where() + ", a test's \"input\"");
    functional.expected = parse_exact_json(output, row.where() + ", a test's \"output\"");
    problem.tests.push_back(std::move(functional));
  } else if (kind == "stdin" || kind == "functional") {
    row.fail("tests of a program and of a function in one problem, or a function without metadata.func_name");
  } else {
    row.fail(fmt::format("there is no testtype '{}'", kind), "testtype is stdin or functional");
  }
}

Problem read_livecodebench_row(const ProblemRow& row) {
  Problem problem;
  problem.id = read_id(row, row.has("question_id") ? "question_id" : "id");
  problem.starter_code = row.text("starter_code");
  problem.prompt = {{"user", row.required_text("question_content")}};
  if (!problem.starter_code.empty()) problem.prompt[0].content += "\n\n" + problem.starter_code;
  if (row.has("metadata")) {
    const PythonValue metadata = row.packed("metadata");
    const std::string function = ProblemRow(metadata, row.where()).text("func_name");
    if (!function.empty()) problem.entry_point = entry_of_starter(row, function, problem.starter_code);
  }
  if (!problem.entry_point.empty()) problem.compare = CompareRule::kJson;
  for (const char* key : {"public_test_cases", "private_test_cases"}) {
    if (!row.has(key)) continue;
    const PythonValue& value = row.require(key);
    const std::string where = fmt::format("{}, \"{}\"", row.where(), key);
    const PythonValue tests = value.is(Kind::kStr) ? parse_packed_json(value.text, where) : value;
    if (!tests.is(Kind::kList)) row.fail_type(key, "an array of tests");
    for (const PythonValue& item : tests.items) add_livecodebench_test(row, item, problem);
  }
  return problem;
}

/// A text, or an array of lines.
std::string joined_lines(const ProblemRow& row, const PythonValue& value) {
  if (value.is(Kind::kStr)) return value.text;
  if (!value.is(Kind::kList)) row.fail("an input or output is neither a text nor an array of lines");
  std::string text;
  for (const PythonValue& line : value.items) {
    if (!line.is(Kind::kStr)) row.fail("an input or output is neither a text nor an array of lines");
    text += line.text + "\n";
  }
  return text;
}

/// APPS wraps most expected values into a list of one: the list itself or its first element is right.
TestCase apps_call(const ProblemRow& row, const PythonValue& input, const PythonValue& output) {
  using Expression = PythonExpression;
  if (!input.is(Kind::kList)) row.fail("an input of a function is no array of arguments");
  TestCase test;
  test.args = input.items;
  test.expected = output;
  if (!output.is(Kind::kList) || output.items.empty()) return test;
  const auto equals = [](const PythonValue& value) {
    return Expression::of(Expression::Kind::kCall, "",
                          {Expression::named("json.equal"), Expression::result(0), Expression::constant(value)},
                          {"", ""});
  };
  test.condition = std::make_shared<const Expression>(
      Expression::of(Expression::Kind::kOr, "", {equals(output), equals(output.items[0])}));
  return test;
}

Problem read_apps_row(const ProblemRow& row) {
  Problem problem;
  problem.id = read_id(row, row.has("problem_id") ? "problem_id" : "id");
  problem.split = row.text("split");
  problem.starter_code = row.text("starter_code");
  problem.prompt = {{"user", row.required_text("question")}};
  if (!problem.starter_code.empty()) problem.prompt[0].content += "\n\n" + problem.starter_code;
  if (row.has("solutions") && !(row.require("solutions").is(Kind::kStr) && row.text("solutions").empty())) {
    const PythonValue solutions = row.packed("solutions");
    if (!solutions.is(Kind::kList)) row.fail_type("solutions", "an array of programs");
    if (!solutions.items.empty() && !solutions.items[0].is(Kind::kStr))
      row.fail_type("solutions", "an array of programs");
    if (!solutions.items.empty()) problem.reference = solutions.items[0].text;
  }
  const PythonValue packed = row.packed("input_output");
  const ProblemRow tests(packed, row.where());
  const std::string function = tests.text("fn_name");
  const auto &inputs = tests.array("inputs"), &outputs = tests.array("outputs");
  if (inputs.size() != outputs.size()) row.fail("there are not as many inputs as outputs");
  if (!function.empty()) {
    problem.entry_point = entry_of_starter(row, function, problem.starter_code + problem.reference);
    problem.compare = CompareRule::kJson;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    problem.tests.push_back(function.empty() ? program_test(joined_lines(row, inputs[i]), joined_lines(row, outputs[i]))
                                             : apps_call(row, inputs[i], outputs[i]));
  }
  return problem;
}

constexpr std::array<ProblemFormat, 6> kFormats = {{
    {"LeetCode", "gt_answer, func_name",
     [](const ProblemRow& row) { return row.has("gt_answer") && row.has("func_name"); }, read_leetcode_row},
    {"HumanEval", "task_id, canonical_solution, test",
     [](const ProblemRow& row) { return row.has("task_id") && row.has("canonical_solution"); }, read_humaneval_row},
    {"MBPP", "test_list", [](const ProblemRow& row) { return row.has("test_list"); }, read_mbpp_row},
    {"LiveCodeBench", "question_content, public_test_cases",
     [](const ProblemRow& row) { return row.has("question_content") && row.has("public_test_cases"); },
     read_livecodebench_row},
    {"APPS", "question, input_output",
     [](const ProblemRow& row) { return row.has("question") && row.has("input_output"); }, read_apps_row},
    {"test program", "id, entry_point, test, solution",
     [](const ProblemRow& row) { return row.has("test") && row.has("solution"); }, read_family_row},
}};

}  // namespace

std::span<const ProblemFormat> foreign_problem_formats() {
  return kFormats;
}

}  // namespace plumbline
