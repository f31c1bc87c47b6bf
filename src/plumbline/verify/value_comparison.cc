#include "plumbline/verify/value_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;

std::string joined(std::vector<std::string> pieces, bool sorted) {
  if (sorted) std::sort(pieces.begin(), pieces.end());
  std::string text;
  for (const std::string& piece : pieces) text += std::to_string(piece.size()) + ":" + piece;
  return text;
}

std::string exact_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return float_text(value);  // keeps the sign of zero
}

/// A text that is the same for two values exactly when kExact calls them equal.
std::string exact_key(const PythonValue& value) {
  std::vector<std::string> pieces;
  const std::string tag(1, static_cast<char>('a' + static_cast<int>(value.kind)));
  switch (value.kind) {
    case Kind::kNone:
      return tag;
    case Kind::kBool:
      return tag + (value.boolean ? "1" : "0");
    case Kind::kInt:
    case Kind::kStr:
      return tag + value.text;
    case Kind::kFloat:
      return tag + exact_float(value.real);
    case Kind::kDict:
      for (const auto& [key, item] : value.entries) pieces.push_back(joined({exact_key(key), exact_key(item)}, false));
      return tag + joined(std::move(pieces), true);
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kSet:
    case Kind::kFrozenset:
      for (const PythonValue& item : value.items) pieces.push_back(exact_key(item));
      return tag + joined(std::move(pieces), value.is(Kind::kSet) || value.is(Kind::kFrozenset));
  }
  return tag;
}

bool is_sequence(const PythonValue& value) {
  return value.is(Kind::kList) || value.is(Kind::kTuple);
}
bool is_set(const PythonValue& value) {
  return value.is(Kind::kSet) || value.is(Kind::kFrozenset);
}
bool is_number(const PythonValue& value) {
  return value.is(Kind::kInt) || value.is(Kind::kFloat);
}

double as_double(const PythonValue& value) {
  return value.is(Kind::kFloat) ? value.real : std::strtod(value.text.c_str(), nullptr);
}

bool close(double a, double b, const ComparisonRule& comparison) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  if (std::isinf(a) || std::isinf(b)) return false;
  const double allowed = std::max(comparison.rel_tol * std::max(std::fabs(a), std::fabs(b)), comparison.abs_tol);
  return std::fabs(a - b) <= allowed;
}

/// Sequences are compared item by item first: a wrong answer shows without building keys of the whole.
template <typename Equal>
bool items_match(const PythonValue& got, const PythonValue& expected, const Equal& equal) {
  return got.kind == expected.kind &&
         std::equal(got.items.begin(), got.items.end(), expected.items.begin(), expected.items.end(), equal);
}

bool exactly_equal(const PythonValue& got, const PythonValue& expected) {
  if (is_sequence(got)) return items_match(got, expected, exactly_equal);
  return got.kind == expected.kind && exact_key(got) == exact_key(expected);
}

bool python_equal(const PythonValue& got, const PythonValue& expected) {
  if (is_sequence(got)) return items_match(got, expected, python_equal);
  return python_equality_key(got) == python_equality_key(expected);
}

std::vector<PythonValue> sorted_numbers(const PythonValue& set) {
  std::vector<PythonValue> numbers = set.items;
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return as_double(a) < as_double(b); });
  return numbers;
}

bool approximately_equal(const PythonValue& got, const PythonValue& expected, const ComparisonRule& comparison) {
  const auto equal = [&](const PythonValue& a, const PythonValue& b) { return approximately_equal(a, b, comparison); };
  if (is_number(got) && is_number(expected)) {
    return python_equal(got, expected) || close(as_double(got), as_double(expected), comparison);
  }
  if (is_sequence(got)) return items_match(got, expected, equal);
  if (is_set(got) && is_set(expected) && std::all_of(got.items.begin(), got.items.end(), is_number) &&
      std::all_of(expected.items.begin(), expected.items.end(), is_number)) {
    const auto left = sorted_numbers(got), right = sorted_numbers(expected);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), equal);
  }
  if (!got.is(Kind::kDict) || !expected.is(Kind::kDict)) return python_equal(got, expected);
  std::map<std::string, const PythonValue*> wanted;
  for (const auto& [key, item] : expected.entries) wanted[python_equality_key(key)] = &item;
  return got.entries.size() == wanted.size() &&
         std::all_of(got.entries.begin(), got.entries.end(), [&](const auto& entry) {
           const auto at = wanted.find(python_equality_key(entry.first));
           return at != wanted.end() && equal(entry.second, *at->second);
         });
}

/// JSON has no tuples: where expected values came through it, a tuple counts as the list of its items.
PythonValue with_lists(PythonValue value) {
  if (value.is(Kind::kTuple)) value.kind = Kind::kList;
  for (PythonValue& item : value.items) item = with_lists(std::move(item));
  for (auto& entry : value.entries) entry.second = with_lists(std::move(entry.second));
  return value;
}

bool equal_in_any_order(const PythonValue& got, const PythonValue& expected) {
  if (!is_sequence(got)) return exactly_equal(got, expected);
  if (got.kind != expected.kind || got.items.size() != expected.items.size()) return false;
  std::vector<std::string> left, right;
  for (const PythonValue& item : got.items) left.push_back(exact_key(item));
  for (const PythonValue& item : expected.items) right.push_back(exact_key(item));
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  return left == right;
}

}  // namespace

bool values_match(const PythonValue& got, const PythonValue& expected, const ComparisonRule& comparison) {
  switch (comparison.rule) {
    case CompareRule::kExact:
      return exactly_equal(got, expected);
    case CompareRule::kPython:
      return python_equal(got, expected);
    case CompareRule::kApprox:
      return approximately_equal(got, expected, comparison);
    case CompareRule::kJson:
      return python_equal(with_lists(got), with_lists(expected));
    case CompareRule::kUnordered:
      return equal_in_any_order(got, expected);
  }
  return false;
}

}  // namespace plumbline
