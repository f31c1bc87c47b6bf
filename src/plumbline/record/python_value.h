/// A builtin Python value as data: what tests call with and what they expect. Integers have any length.
///
/// JSON notation (docs/reference/formats.md): a number with a point or an exponent is a float, any other an int; an
/// object with exactly one key `$tuple`, `$set`, `$frozenset` (array), `$float` ("inf", "-inf", "nan") or `$dict`
/// (array of pairs) is that value; any other object is a dict. Plain data, copyable, no shared state.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

struct PythonEntry;

struct PythonValue {
  enum class Kind { kNone, kBool, kInt, kFloat, kStr, kList, kTuple, kDict, kSet, kFrozenset };
  Kind kind = Kind::kNone;
  bool boolean = false;
  double real = 0;
  std::string text;  ///< kStr: UTF-8; kInt: decimal digits with optional minus, no leading zeros, never "-0"
  std::vector<PythonValue> items;    ///< list, tuple, set, frozenset
  std::vector<PythonEntry> entries;  ///< dict, in order

  static PythonValue none();
  static PythonValue of_bool(bool value);
  /// `digits` as the field `text` wants them.
  static PythonValue of_int(std::string digits);
  static PythonValue of_float(double value);
  static PythonValue of_str(std::string value);
  static PythonValue of_items(Kind kind, std::vector<PythonValue> values);

  bool is(Kind which) const { return kind == which; }
  /// The dict entry under the string key `key`; null when absent or when this is no dict.
  const PythonValue* find(std::string_view key) const;
};

/// Key and value. Not a std::pair: that cannot be named inside the type it is made of (clang).
struct PythonEntry {
  PythonValue first, second;

  PythonEntry(PythonValue key, PythonValue value) : first(std::move(key)), second(std::move(value)) {}
};

inline PythonValue PythonValue::none() {
  return {};
}

/// Whether Python can hash the value (a dict key, an element of a set): no list, dict or set anywhere inside.
bool is_hashable(const PythonValue& value);

/// Drops equal elements of a set (the first stays) and equal keys of a dict (the first key, the last value), as Python
/// does. Other kinds are left alone; not recursive.
void drop_duplicates(PythonValue& value);

/// A text that is the same for two values exactly when Python's == calls them equal: 1, 1.0 and True share one, so do
/// set and frozenset; the order of dicts and sets does not count. nan equals itself here.
std::string python_equality_key(const PythonValue& value);

/// Applies the `$` notation to a value read by parse_exact_json, all the way down. `where` goes into errors.
/// Throws DataError(data.python_value): a malformed `$` object, an unhashable key or element.
PythonValue from_notation(const PythonValue& raw, const std::string& where);

/// Reads one value in the JSON notation. Throws DataError(data.json | data.python_value).
PythonValue parse_python_value(std::string_view json, const std::string& where);

/// Writes the JSON notation, one line. parse_python_value reads it back exactly.
std::string to_notation(const PythonValue& value);

/// 0.1 -> "0.1", 1.0 -> "1.0", 1e22 -> "1e+22", -0.0 -> "-0.0": shortest text that reads back as the same finite
/// double and is a float in JSON and in Python.
std::string float_text(double value);

}  // namespace plumbline
