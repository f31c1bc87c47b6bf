#include "plumbline/record/problem_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "plumbline/base/error.h"
#include "plumbline/record/exact_json.h"
#include "plumbline/record/test_program.h"

namespace plumbline {

using Kind = PythonValue::Kind;

ProblemRow::ProblemRow(const PythonValue& value, const std::string& where) : value_(value), where_(where) {
  if (!value.is(Kind::kDict)) throw DataError("data.json_type", "a problem must be a JSON object", where);
}

std::vector<std::string> ProblemRow::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, item] : value_.entries) names.push_back(key.text);
  return names;
}

const PythonValue* ProblemRow::find(std::string_view key) const {
  const PythonValue* found = value_.find(key);
  return found && !found->is(Kind::kNone) ? found : nullptr;
}

const PythonValue& ProblemRow::require(std::string_view key) const {
  if (const PythonValue* found = find(key)) return *found;
  throw DataError("data.json_missing_key", fmt::format("the key \"{}\" is missing", key), where_,
                  "add it; docs/reference/formats.md lists the keys of a problem");
}

std::string ProblemRow::text(std::string_view key) const {
  const PythonValue* found = find(key);
  if (!found) return "";
  if (!found->is(Kind::kStr)) fail_type(key, "a string");
  return found->text;
}

std::string ProblemRow::required_text(std::string_view key) const {
  require(key);
  return text(key);
}

const std::vector<PythonValue>& ProblemRow::array(std::string_view key) const {
  static const std::vector<PythonValue> kNone;
  const PythonValue* found = find(key);
  if (!found) return kNone;
  if (!found->is(Kind::kList)) fail_type(key, "an array");
  return found->items;
}

std::vector<std::string> ProblemRow::texts(std::string_view key) const {
  std::vector<std::string> result;
  for (const PythonValue& item : array(key)) {
    if (!item.is(Kind::kStr)) fail_type(key, "an array of strings");
    result.push_back(item.text);
  }
  return result;
}

std::optional<double> ProblemRow::quantity(std::string_view key) const {
  const PythonValue* found = find(key);
  if (!found) return std::nullopt;
  if (!found->is(Kind::kFloat) && !found->is(Kind::kInt)) fail_type(key, "a number");
  const double number = found->is(Kind::kInt) ? std::strtod(found->text.c_str(), nullptr) : found->real;
  if (!std::isfinite(number) || number < 0) fail(fmt::format("\"{}\" must be a finite number, at least 0", key));
  return number;
}

PythonValue ProblemRow::packed(std::string_view key) const {
  const PythonValue& value = require(key);
  return value.is(Kind::kStr) ? parse_exact_json(value.text, fmt::format("{}, \"{}\"", where_, key)) : value;
}

void ProblemRow::fail(const std::string& message, const std::string& next_step) const {
  throw DataError("data.problem", message, where_, next_step);
}

void ProblemRow::fail_type(std::string_view key, std::string_view wanted) const {
  throw DataError("data.json_type", fmt::format("\"{}\" must be {}", key, wanted), where_);
}

ProblemId read_id(const ProblemRow& row, std::string_view key) {
  const PythonValue& id = row.require(key);
  if (!id.is(Kind::kStr) && !id.is(Kind::kInt)) row.fail_type(key, "a string or an integer");
  return {id.text, id.is(Kind::kInt)};
}

std::vector<Message> read_prompt(const ProblemRow& row, std::string_view key) {
  const PythonValue& prompt = row.require(key);
  if (prompt.is(Kind::kStr)) return {{"user", prompt.text}};
  if (!prompt.is(Kind::kList) || prompt.items.empty()) row.fail_type(key, "a string or an array of messages");
  std::vector<Message> messages;
  for (const PythonValue& item : prompt.items) {
    const ProblemRow message(item, row.where());
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

std::string read_entry_point(const ProblemRow& row, std::string_view key) {
  const std::string entry = row.required_text(key);
  const size_t call = entry.find("().");
  const bool valid =
      call == std::string::npos ? is_name(entry) : is_name(entry.substr(0, call)) && is_name(entry.substr(call + 3));
  if (!valid) row.fail(fmt::format("the entry point '{}' is neither f nor Solution().f", entry));
  return entry;
}

std::optional<Hint> read_hint(const ProblemRow& row) {
  const PythonValue* hint = row.find("hint");
  if (!hint) return std::nullopt;
  if (hint->is(Kind::kStr)) return Hint{hint->text, "run_tests"};
  const ProblemRow fields(*hint, row.where());
  const std::string tester = fields.text("tester_name");
  if (!tester.empty() && !is_name(tester)) row.fail(fmt::format("the tester name '{}' is no identifier", tester));
  return Hint{fields.required_text("variant"), tester.empty() ? "run_tests" : tester};
}

namespace {

constexpr const char* kVacuous = "every solution would pass it";

void add_code(Problem& problem, const std::string& code, const std::string& reason) {
  if (problem.code_reason.empty()) problem.code_reason = reason;
  problem.code_tests += code;
}

/// `word` stands in the text with no letter around it.
bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name(text.substr(at - 1, 1));
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !is_name(text.substr(end, 1)))) return true;
  }
  return false;
}

}  // namespace

void add_assert(const ProblemRow& row, Problem& problem, std::vector<TestCase>& tests, const std::string& statement) {
  if (!has_word(statement, "assert")) row.fail("a test is a string that holds no assert statement");
  TestProgram program = read_test_program(statement, problem.entry_point);
  if (program.asserts_nothing) row.fail("a test asserts nothing about the solution", kVacuous);
  std::move(program.tests.begin(), program.tests.end(), std::back_inserter(tests));
  if (!program.code_reason.empty()) add_code(problem, statement + "\n", program.code_reason);
  problem.compare = CompareRule::kPython;
}

void add_test_program(const ProblemRow& row, Problem& problem, const std::string& source) {
  problem.compare = CompareRule::kPython;
  TestProgram program = read_test_program(source, problem.entry_point);
  if (program.asserts_nothing) row.fail("the test program asserts nothing", kVacuous);
  problem.tests = std::move(program.tests);
  if (program.code_reason.empty()) return;
  add_code(problem, source, program.code_reason);
  const bool defines = ("\n" + source).find("\ndef check(") != std::string::npos;
  const bool calls = ("\n" + source).find("\ncheck(") != std::string::npos;
  if (defines && !calls) problem.code_tests += fmt::format("\ncheck({})\n", problem.entry_point);
}

}  // namespace plumbline
