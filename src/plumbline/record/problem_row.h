/// What the readers of the different kinds of rows share: typed access to one row, ids, prompts, entry points, and
/// tests as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/problem.h"

namespace plumbline {

/// Typed access to the members of one row; absent and null are the same. Borrows both arguments. Everything throws
/// DataError(data.json_missing_key | data.json_type | data.problem) with the row's place.
class ProblemRow {
 public:
  ProblemRow(const PythonValue& value, const std::string& where);

  const std::string& where() const { return where_; }
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const PythonValue* find(std::string_view key) const;
  const PythonValue& require(std::string_view key) const;
  /// Empty when absent.
  std::string text(std::string_view key) const;
  std::string required_text(std::string_view key) const;
  /// Empty when absent.
  const std::vector<PythonValue>& array(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  /// A finite number that is not negative.
  std::optional<double> quantity(std::string_view key) const;
  /// The value of a member that holds JSON as text; a member that is no string is taken as it is.
  PythonValue packed(std::string_view key) const;

  [[noreturn]] void fail(const std::string& message, const std::string& next_step = "") const;
  [[noreturn]] void fail_type(std::string_view key, std::string_view wanted) const;

 private:
  const PythonValue& value_;
  const std::string& where_;
};

ProblemId read_id(const ProblemRow& row, std::string_view key);
/// A string (one user message) or an array of messages.
std::vector<Message> read_prompt(const ProblemRow& row, std::string_view key);
/// An identifier: letters, digits, underscores, anything beyond ASCII; no digit first.
bool is_name(std::string_view text);
/// "f", or "Class().method".
std::string read_entry_point(const ProblemRow& row, std::string_view key);
/// {variant, tester_name}, or a variant's name alone as in ariahw's rows.
std::optional<Hint> read_hint(const ProblemRow& row);

/// One assert statement: data where it can be, else code. Sets the compare rule to kPython. Refuses a text that asserts
/// nothing.
void add_assert(const ProblemRow& row, Problem& problem, std::vector<TestCase>& tests, const std::string& statement);
/// A test program: data where all of it can be, else code that calls `check` if it only defines it.
void add_test_program(const ProblemRow& row, Problem& problem, const std::string& source);

}  // namespace plumbline
