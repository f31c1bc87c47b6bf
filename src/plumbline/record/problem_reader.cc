#include "plumbline/record/problem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/base/sha256.h"
#include "plumbline/record/exact_json.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/problem_formats.h"
#include "plumbline/record/problem_row.h"
#include "plumbline/record/python_exceptions.h"
#include "plumbline/record/task_names.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;

constexpr double kPhysicsTolerance = 0.01;  // relative

/// {"args" or "kwargs", "expected" or "raises"} or {"stdin", "stdout"}.
TestCase read_test(const ProblemRow& row, const PythonValue& item) {
  const ProblemRow fields(item, row.where());
  TestCase test;
  if (fields.has("stdin")) {
    if (fields.has("args") || fields.has("kwargs")) row.fail("a test has both \"stdin\" and arguments");
    test.program = ProgramTest{fields.text("stdin"), fields.required_text("stdout")};
    return test;
  }
  if (!fields.has("args") && !fields.has("kwargs")) {
    row.fail("a test has neither \"args\" nor \"kwargs\" nor \"stdin\"",
             "write \"args\": [] for a call without arguments");
  }
  for (const PythonValue& value : fields.array("args")) test.args.push_back(from_notation(value, row.where()));
  if (const PythonValue* kwargs = fields.find("kwargs")) {
    if (!kwargs->is(Kind::kDict)) row.fail_type("kwargs", "an object");
    for (const auto& [name, value] : kwargs->entries) {
      if (!is_name(name.text)) row.fail(fmt::format("the argument name '{}' is no identifier", name.text));
      test.kwargs.emplace_back(name.text, from_notation(value, row.where()));
    }
  }
  const PythonValue* expected = item.find("expected");  // null is a value here
  if (fields.has("raises")) {
    if (expected) row.fail("a test has both \"expected\" and \"raises\"");
    const std::string kind = fields.text("raises");
    if (!is_exception_kind(kind)) row.fail(fmt::format("'{}' is no builtin exception", kind));
    test.raises = {kind};
    return test;
  }
  if (!expected) {
    throw DataError("data.json_missing_key", "a test has no \"expected\"", row.where(),
                    "add it; docs/reference/formats.md lists the keys of a test");
  }
  test.expected = from_notation(*expected, row.where());
  return test;
}

void read_tests(const ProblemRow& row, std::string_view key, Problem& problem, std::vector<TestCase>& tests) {
  for (const PythonValue& item : row.array(key)) {
    if (item.is(Kind::kStr))
      add_assert(row, problem, tests, item.text);
    else
      tests.push_back(read_test(row, item));
  }
}

void read_compare(const ProblemRow& row, Problem& problem) {
  static const std::map<std::string, CompareRule> kRules = {{"exact", CompareRule::kExact},
                                                            {"python", CompareRule::kPython},
                                                            {"approx", CompareRule::kApprox},
                                                            {"unordered", CompareRule::kUnordered},
                                                            {"json", CompareRule::kJson}};
  if (row.has("compare")) {
    const auto found = kRules.find(row.text("compare"));
    if (found == kRules.end()) row.fail("\"compare\" must be exact, python, approx, unordered or json");
    problem.compare = found->second;
  }
  problem.rel_tol = row.quantity("rel_tol").value_or(problem.rel_tol);
  problem.abs_tol = row.quantity("abs_tol").value_or(problem.abs_tol);
}

void read_limits(const ProblemRow& row, Problem& problem) {
  problem.cpu_s = row.quantity("cpu_s");
  if (problem.cpu_s && (*problem.cpu_s == 0 || *problem.cpu_s > 3600))
    row.fail("\"cpu_s\" must be above 0, at most 3600");
  if (const auto memory_mib = row.quantity("memory_mib")) {
    if (*memory_mib < 16 || *memory_mib > 1 << 24) row.fail("\"memory_mib\" must be between 16 and 16777216");
    problem.memory_mib = static_cast<int64_t>(*memory_mib);
  }
}

bool required_boolean(const ProblemRow& row, std::string_view key) {
  const PythonValue& value = row.require(key);
  if (!value.is(Kind::kBool)) row.fail_type(key, "true or false");
  return value.boolean;
}

/// What graders of single tasks need beside the reference.
void read_task(const ProblemRow& row, Problem& problem) {
  const std::string& task = problem.task;
  const bool has_gold = task == "math" || task == "step" || task == "physics";
  if (has_gold && problem.reference.empty()) {
    row.require("reference");
    row.fail("\"reference\" is empty");
  }
  if (task == "physics") problem.rel_tol = kPhysicsTolerance;
  if (task == "step") {
    if (const auto steps = row.quantity("min_steps")) {
      if (*steps < 1 || *steps > 1000) row.fail("\"min_steps\" must be between 1 and 1000");
      problem.min_steps = static_cast<int64_t>(*steps);
    }
  }
  if (task == "provenance") {
    problem.claim = AuthorshipClaim{required_boolean(row, "claim_is_true"), row.required_text("author"),
                                    row.texts("forbidden_authors")};
    if (!problem.claim->is_true && problem.claim->forbidden.empty()) {
      row.require("forbidden_authors");
      row.fail("\"forbidden_authors\" is empty");
    }
  }
  if (task == "concept") {
    const std::vector<std::string> names = row.texts("concepts");
    if (names.size() != 2) row.fail("\"concepts\" must name two");
    problem.concept_pair = ConceptPair{names[0], names[1], required_boolean(row, "are_distinct")};
  }
}

Problem read_problem_v1(const ProblemRow& row) {
  Problem problem;
  problem.id = read_id(row, "id");
  if (row.has("task")) problem.task = row.text("task");
  if (std::find(kTaskNames.begin(), kTaskNames.end(), problem.task) == kTaskNames.end()) {
    row.fail(fmt::format("there is no task '{}'", problem.task), fmt::format("tasks: {}", fmt::join(kTaskNames, ", ")));
  }
  problem.split = row.text("split");
  problem.family = row.text("family");
  problem.prompt = read_prompt(row, "prompt");
  if (const PythonValue* reference = row.find("reference")) {
    if ((problem.task == "code" || problem.task == "invention") && !reference->is(Kind::kStr))
      row.fail_type("reference", "the text of a program");
    problem.reference = reference->is(Kind::kStr) ? reference->text : to_notation(*reference);
  }
  if (row.has("entry_point")) problem.entry_point = read_entry_point(row, "entry_point");
  problem.starter_code = row.text("starter_code");
  problem.setup_code = row.text("setup_code");
  problem.code_tests = row.text("code_tests");
  problem.code_prelude = row.text("code_prelude");
  problem.known_wrong = row.texts("known_wrong");
  problem.hint = read_hint(row);
  read_tests(row, "tests", problem, problem.tests);
  read_tests(row, "holdout_tests", problem, problem.holdout_tests);
  read_task(row, problem);
  read_compare(row, problem);
  read_limits(row, problem);
  return problem;
}

[[noreturn]] void fail_unknown_shape(const ProblemRow& row) {
  constexpr size_t kShownKeys = 12;
  std::vector<std::string> keys = row.keys();
  if (keys.size() > kShownKeys) keys.resize(kShownKeys);
  std::string known = "problem.v1 (id, prompt, entry_point, tests)";
  for (const ProblemFormat& format : foreign_problem_formats())
    known += fmt::format("; {} ({})", format.name, format.keys);
  throw DataError("data.problem_format",
                  fmt::format("a row with the keys {} is of no known kind",
                              escape_control(fmt::format("{}", fmt::join(keys, ", ")))),
                  row.where(), "known kinds: " + known);
}

/// Every test is of the kind that the entry point (or its absence) asks for.
void check_tests(const ProblemRow& row, const Problem& problem) {
  if (problem.tests.empty() && problem.code_tests.empty()) {
    row.fail("a code problem needs tests", "an empty list would let every program pass");
  }
  const bool is_program = problem.entry_point.empty();
  const auto fits = [&](const TestCase& test) { return test.program.has_value() == is_program; };
  const bool all_fit = std::all_of(problem.tests.begin(), problem.tests.end(), fits) &&
                       std::all_of(problem.holdout_tests.begin(), problem.holdout_tests.end(), fits);
  if (is_program && !(all_fit && problem.code_tests.empty())) row.require("entry_point");
  if (!all_fit) row.fail("tests with \"stdin\" are for a program, which has no entry point");
  if (is_program && problem.hint) row.fail("a hint needs an entry point");
}

/// A foreign row may make its prompt of other members, always as text.
bool has_text_prompt(const ProblemRow& row) {
  const PythonValue* prompt = row.find("prompt");
  return !prompt || prompt->is(PythonValue::Kind::kStr);
}

Problem read_row(const PythonValue& value, const std::string& where) {
  const ProblemRow row(value, where);
  for (const ProblemFormat& format : foreign_problem_formats()) {
    if (!format.matches(row)) continue;
    Problem problem = format.read(row);
    problem.prompt_is_text = has_text_prompt(row);
    check_tests(row, problem);
    return problem;
  }
  if (!row.has("id") && !row.has("tests") && !row.has("entry_point") && !row.has("task")) fail_unknown_shape(row);
  Problem problem = read_problem_v1(row);
  problem.prompt_is_text = has_text_prompt(row);
  if (problem.task == "code" || problem.task == "invention") check_tests(row, problem);
  return problem;
}

std::string notation(const PythonCall& call) {
  std::string text = call.as_list ? "list " : "";
  for (const PythonValue& value : call.args) text += to_notation(value) + ",";
  for (const auto& [name, value] : call.kwargs) text += name + "=" + to_notation(value) + ",";
  return text;
}

std::string notation(const std::vector<TestCase>& tests) {
  std::string text;
  for (const TestCase& test : tests) {
    text += notation({test.args, test.kwargs, test.as_list});
    for (const PythonCall& call : test.further_calls) text += ";" + notation(call);
    if (test.program) {
      text += fmt::format("{}:{}{}:{}", test.program->input.size(), test.program->input, test.program->output.size(),
                          test.program->output);
    }
    for (const std::string& kind : test.raises) text += "!" + kind;
    text += "->" + (test.condition ? to_source(*test.condition, {}) : to_notation(test.expected)) + "\n";
  }
  return text;
}

}  // namespace

std::string to_string(const ProblemId& id) {
  return id.is_number ? id.text : "\"" + id.text + "\"";
}

Problem parse_problem(std::string_view row, const std::string& where) {
  return read_row(parse_exact_json(row, where), where);
}

std::vector<Problem> read_problems(const std::string& path, const ProblemReadOptions& options) {
  std::vector<Problem> problems;
  std::map<ProblemId, int64_t> lines_of_ids;
  JsonlReader lines(path);
  const auto read_one = [&] {
    Problem problem = read_row(lines.parse_exact(), lines.where());
    const auto [first, is_new] = lines_of_ids.emplace(problem.id, lines.line_number());
    if (!is_new) {
      throw DataError("data.duplicate_id",
                      fmt::format("the id {} already stands in line {}", to_string(problem.id), first->second),
                      lines.where(), "ids must be unique");
    }
    if (options.split.empty() || problem.split.empty() || problem.split == options.split) {
      if (options.keep_rows) problem.row = lines.line();
      problems.push_back(std::move(problem));
    }
  };
  bool any_bad = false;
  while (lines.next()) {
    try {
      read_one();
    } catch (const DataError& error) {
      if (!options.on_bad_row) throw;
      any_bad = true;
      options.on_bad_row(error);
    }
  }
  if (any_bad && problems.empty()) return problems;
  if (lines_of_ids.empty()) throw DataError("data.empty_file", "there is no problem in the file", path);
  if (problems.empty()) {
    throw DataError("data.empty_split", fmt::format("no problem has the split '{}'", options.split), path,
                    "check data.split");
  }
  return problems;
}

std::string grading_hash(const Problem& problem) {
  Sha256 hash;
  const auto add = [&](const std::string& text) { hash.update(fmt::format("{}:{}\n", text.size(), text)); };
  for (const std::string* text : {&problem.task, &problem.entry_point, &problem.setup_code, &problem.code_prelude,
                                  &problem.code_tests, &problem.reference}) {
    add(*text);
  }
  add(notation(problem.tests));
  add(notation(problem.holdout_tests));
  add(problem.hint ? problem.hint->variant + "/" + problem.hint->tester_name : "");
  if (problem.task == "step") add(std::to_string(problem.min_steps));
  if (problem.claim) {
    add(fmt::format("{} {}", problem.claim->is_true, problem.claim->author));
    for (const std::string& name : problem.claim->forbidden) add(name);
  }
  if (problem.concept_pair) {
    for (const std::string& name : {problem.concept_pair->first, problem.concept_pair->second}) add(name);
    add(problem.concept_pair->are_distinct ? "distinct" : "admissible");
  }
  add(fmt::format("{} {} {} {} {}", static_cast<int>(problem.compare), problem.rel_tol, problem.abs_tol,
                  problem.cpu_s.value_or(0), problem.memory_mib.value_or(0)));
  return hash.hex();
}

}  // namespace plumbline
