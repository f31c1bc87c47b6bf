#include "plumbline/record/problem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/base/sha256.h"
#include "plumbline/record/exact_json.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/python_literal.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;

constexpr std::array<std::string_view, 8> kTasks = {"code",       "step",    "math",      "physics",
                                                    "provenance", "concept", "invention", "custom"};

/// Typed access to the members of one row; absent and null are the same.
class Row {
 public:
  Row(const PythonValue& value, const std::string& where) : value_(value), where_(where) {
    if (!value.is(Kind::kDict)) throw DataError("data.json_type", "a problem must be a JSON object", where);
  }

  const std::string& where() const { return where_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const PythonValue* find(std::string_view key) const {
    const PythonValue* found = value_.find(key);
    return found && !found->is(Kind::kNone) ? found : nullptr;
  }
  const PythonValue& require(std::string_view key) const {
    if (const PythonValue* found = find(key)) return *found;
    throw DataError("data.json_missing_key", fmt::format("the key \"{}\" is missing", key), where_);
  }
  std::string text(std::string_view key) const {
    const PythonValue* found = find(key);
    if (!found) return "";
    if (!found->is(Kind::kStr)) fail_type(key, "a string");
    return found->text;
  }
  std::string required_text(std::string_view key) const {
    require(key);
    return text(key);
  }
  const std::vector<PythonValue>& array(std::string_view key) const {
    static const std::vector<PythonValue> kNone;
    const PythonValue* found = find(key);
    if (!found) return kNone;
    if (!found->is(Kind::kList)) fail_type(key, "an array");
    return found->items;
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> result;
    for (const PythonValue& item : array(key)) {
      if (!item.is(Kind::kStr)) fail_type(key, "an array of strings");
      result.push_back(item.text);
    }
    return result;
  }
  /// A finite number that is not negative.
  std::optional<double> quantity(std::string_view key) const {
    const PythonValue* found = find(key);
    if (!found) return std::nullopt;
    if (!found->is(Kind::kFloat) && !found->is(Kind::kInt)) fail_type(key, "a number");
    const double number = found->is(Kind::kInt) ? std::strtod(found->text.c_str(), nullptr) : found->real;
    if (!std::isfinite(number) || number < 0) fail(fmt::format("\"{}\" must be a finite number, at least 0", key));
    return number;
  }

  [[noreturn]] void fail(const std::string& message, const std::string& next_step = "") const {
    throw DataError("data.problem", message, where_, next_step);
  }
  [[noreturn]] void fail_type(std::string_view key, std::string_view wanted) const {
    throw DataError("data.json_type", fmt::format("\"{}\" must be {}", key, wanted), where_);
  }

 private:
  const PythonValue& value_;
  const std::string& where_;
};

ProblemId read_id(const Row& row, std::string_view key) {
  const PythonValue& id = row.require(key);
  if (!id.is(Kind::kStr) && !id.is(Kind::kInt)) row.fail_type(key, "a string or an integer");
  return {id.text, id.is(Kind::kInt)};
}

std::vector<Message> read_prompt(const Row& row) {
  const PythonValue& prompt = row.require("prompt");
  if (prompt.is(Kind::kStr)) return {{"user", prompt.text}};
  if (!prompt.is(Kind::kList) || prompt.items.empty()) row.fail_type("prompt", "a string or an array of messages");
  std::vector<Message> messages;
  for (const PythonValue& item : prompt.items) {
    const Row message(item, row.where());
    messages.push_back({message.required_text("role"), message.required_text("content")});
    const std::string& role = messages.back().role;
    if (role != "system" && role != "user" && role != "assistant") {
      row.fail(fmt::format("the role '{}' is not system, user or assistant", role));
    }
  }
  return messages;
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), fits);
}

/// "f", or "Class().method".
std::string read_entry_point(const Row& row, std::string_view key) {
  const std::string entry = row.required_text(key);
  const size_t call = entry.find("().");
  const bool valid =
      call == std::string::npos ? is_name(entry) : is_name(entry.substr(0, call)) && is_name(entry.substr(call + 3));
  if (!valid) row.fail(fmt::format("the entry point '{}' is neither f nor Solution().f", entry));
  return entry;
}

TestCase read_test(const Row& row, const PythonValue& item) {
  const Row fields(item, row.where());
  TestCase test;
  for (const PythonValue& value : fields.array("args")) test.args.push_back(from_notation(value, row.where()));
  if (const PythonValue* kwargs = fields.find("kwargs")) {
    if (!kwargs->is(Kind::kDict)) row.fail_type("kwargs", "an object");
    for (const auto& [name, value] : kwargs->entries) {
      if (!is_name(name.text)) row.fail(fmt::format("the argument name '{}' is no identifier", name.text));
      test.kwargs.emplace_back(name.text, from_notation(value, row.where()));
    }
  }
  const PythonValue* expected = item.find("expected");  // null is a value here
  if (!expected) throw DataError("data.json_missing_key", "a test has no \"expected\"", row.where());
  test.expected = from_notation(*expected, row.where());
  return test;
}

/// Data where the statement allows it, else code. True when any of them was a statement.
void add_assert(Problem& problem, std::vector<TestCase>& tests, const std::string& statement) {
  if (std::optional<TestCase> test = parse_assert(statement, problem.entry_point)) {
    tests.push_back(std::move(*test));
  } else {
    problem.code_tests += statement + "\n";
  }
  problem.compare = CompareRule::kPython;
}

void read_tests(const Row& row, std::string_view key, Problem& problem, std::vector<TestCase>& tests) {
  for (const PythonValue& item : row.array(key)) {
    if (item.is(Kind::kStr))
      add_assert(problem, tests, item.text);
    else
      tests.push_back(read_test(row, item));
  }
}

/// A test program: data when it is nothing but plain asserts; otherwise code that calls `check` if it only defines it.
void read_test_program(const std::string& program, Problem& problem) {
  problem.compare = CompareRule::kPython;
  if (auto tests = parse_assert_program(program, problem.entry_point)) {
    problem.tests = std::move(*tests);
    return;
  }
  problem.code_tests = program;
  const bool defines = ("\n" + program).find("\ndef check(") != std::string::npos;
  const bool calls = ("\n" + program).find("\ncheck(") != std::string::npos;
  if (defines && !calls) problem.code_tests += fmt::format("\ncheck({})\n", problem.entry_point);
}

void read_compare(const Row& row, Problem& problem) {
  static const std::map<std::string, CompareRule> kRules = {{"exact", CompareRule::kExact},
                                                            {"python", CompareRule::kPython},
                                                            {"approx", CompareRule::kApprox},
                                                            {"unordered", CompareRule::kUnordered}};
  if (row.has("compare")) {
    const auto found = kRules.find(row.text("compare"));
    if (found == kRules.end()) row.fail("\"compare\" must be exact, python, approx or unordered");
    problem.compare = found->second;
  }
  problem.rel_tol = row.quantity("rel_tol").value_or(problem.rel_tol);
  problem.abs_tol = row.quantity("abs_tol").value_or(problem.abs_tol);
}

void read_limits(const Row& row, Problem& problem) {
  problem.cpu_s = row.quantity("cpu_s");
  if (problem.cpu_s && (*problem.cpu_s == 0 || *problem.cpu_s > 3600))
    row.fail("\"cpu_s\" must be above 0, at most 3600");
  if (const auto memory_mib = row.quantity("memory_mib")) {
    if (*memory_mib < 16 || *memory_mib > 1 << 24) row.fail("\"memory_mib\" must be between 16 and 16777216");
    problem.memory_mib = static_cast<int64_t>(*memory_mib);
  }
}

/// {variant, tester_name}, or a variant's name alone as in ariahw's rows.
std::optional<Hint> read_hint(const Row& row) {
  const PythonValue* hint = row.find("hint");
  if (!hint) return std::nullopt;
  if (hint->is(Kind::kStr)) return Hint{hint->text, "run_tests"};
  const Row fields(*hint, row.where());
  const std::string tester = fields.text("tester_name");
  if (!tester.empty() && !is_name(tester)) row.fail(fmt::format("the tester name '{}' is no identifier", tester));
  return Hint{fields.required_text("variant"), tester.empty() ? "run_tests" : tester};
}

Problem read_problem_v1(const Row& row) {
  Problem problem;
  problem.id = read_id(row, "id");
  if (row.has("task")) problem.task = row.text("task");
  if (std::find(kTasks.begin(), kTasks.end(), problem.task) == kTasks.end()) {
    row.fail(fmt::format("there is no task '{}'", problem.task), fmt::format("tasks: {}", fmt::join(kTasks, ", ")));
  }
  problem.split = row.text("split");
  problem.family = row.text("family");
  problem.prompt = read_prompt(row);
  if (const PythonValue* reference = row.find("reference")) {
    problem.reference = reference->is(Kind::kStr) ? reference->text : to_notation(*reference);
  }
  if (problem.task == "code" || row.has("entry_point")) problem.entry_point = read_entry_point(row, "entry_point");
  problem.starter_code = row.text("starter_code");
  problem.setup_code = row.text("setup_code");
  problem.code_tests = row.text("code_tests");
  problem.code_prelude = row.text("code_prelude");
  problem.known_wrong = row.texts("known_wrong");
  problem.hint = read_hint(row);
  read_tests(row, "tests", problem, problem.tests);
  read_tests(row, "holdout_tests", problem, problem.holdout_tests);
  read_compare(row, problem);
  read_limits(row, problem);
  return problem;
}

Problem read_leetcode_row(const Row& row) {
  Problem problem;
  problem.id = read_id(row, "id");
  problem.prompt = read_prompt(row);
  problem.entry_point = read_entry_point(row, "func_name");
  problem.setup_code = row.text("setup_code");
  problem.reference = row.text("canonical_solution");
  problem.hint = read_hint(row);
  if (const PythonValue* metadata = row.find("prompt_metadata")) {
    problem.starter_code = Row(*metadata, row.where()).text("starter_code");
  }
  for (const std::string& statement : row.texts("gt_answer")) add_assert(problem, problem.tests, statement);
  return problem;
}

Problem read_humaneval_row(const Row& row) {
  Problem problem;
  problem.id = read_id(row, "task_id");
  problem.prompt = read_prompt(row);
  problem.entry_point = read_entry_point(row, "entry_point");
  problem.starter_code = row.required_text("prompt");
  problem.code_prelude = problem.starter_code;
  problem.reference = problem.starter_code + row.required_text("canonical_solution");
  read_test_program(row.required_text("test"), problem);
  return problem;
}

Problem read_family_row(const Row& row) {
  Problem problem;
  problem.id = read_id(row, "id");
  problem.family = row.text("family");
  problem.split = row.text("split");
  problem.prompt = read_prompt(row);
  problem.entry_point = read_entry_point(row, "entry_point");
  problem.reference = row.required_text("solution");
  read_test_program(row.required_text("test"), problem);
  return problem;
}

Problem read_row(const PythonValue& value, const std::string& where) {
  const Row row(value, where);
  Problem problem = row.has("gt_answer") && row.has("func_name")          ? read_leetcode_row(row)
                    : row.has("task_id") && row.has("canonical_solution") ? read_humaneval_row(row)
                    : row.has("test") && row.has("solution")              ? read_family_row(row)
                                                                          : read_problem_v1(row);
  if (problem.task == "code" && problem.tests.empty() && problem.code_tests.empty()) {
    row.fail("a code problem needs tests", "an empty list would let every program pass");
  }
  return problem;
}

std::string notation(const std::vector<TestCase>& tests) {
  std::string text;
  for (const TestCase& test : tests) {
    for (const PythonValue& value : test.args) text += to_notation(value) + ",";
    for (const auto& [name, value] : test.kwargs) text += name + "=" + to_notation(value) + ",";
    text += "->" + to_notation(test.expected) + "\n";
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
  while (lines.next()) {
    Problem problem = read_row(lines.parse_exact(), lines.where());
    const auto [first, is_new] = lines_of_ids.emplace(problem.id, lines.line_number());
    if (!is_new) {
      throw DataError("data.duplicate_id",
                      fmt::format("the id {} already stands in line {}", to_string(problem.id), first->second),
                      lines.where(), "ids must be unique");
    }
    if (options.split.empty() || problem.split.empty() || problem.split == options.split) {
      problems.push_back(std::move(problem));
    }
  }
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
  add(fmt::format("{} {} {} {} {}", static_cast<int>(problem.compare), problem.rel_tol, problem.abs_tol,
                  problem.cpu_s.value_or(0), problem.memory_mib.value_or(0)));
  return hash.hex();
}

}  // namespace plumbline
