#include "plumbline/record/python_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "plumbline/record/exact_json.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;

[[noreturn]] void fail(const std::string& message, const std::string& where) {
  throw DataError("data.python_value", message, where, "see the value notation in docs/reference/formats.md");
}

void require_hashable(const PythonValue& value, const std::string& where) {
  if (!is_hashable(value)) fail("a dict key or an element of a set must be hashable", where);
}

PythonValue float_from_notation(const PythonValue& raw, const std::string& where) {
  if (raw.is(Kind::kStr)) {
    if (raw.text == "inf") return PythonValue::of_float(INFINITY);
    if (raw.text == "-inf") return PythonValue::of_float(-INFINITY);
    if (raw.text == "nan") return PythonValue::of_float(NAN);
  }
  fail(R"($float takes "inf", "-inf" or "nan")", where);
}

PythonValue sequence_from_notation(Kind kind, const PythonValue& raw, const std::string& where) {
  if (!raw.is(Kind::kList)) fail("$tuple, $set and $frozenset take an array", where);
  PythonValue result;
  result.kind = kind;
  for (const PythonValue& item : raw.items) {
    result.items.push_back(from_notation(item, where));
    if (kind != Kind::kTuple) require_hashable(result.items.back(), where);
  }
  drop_duplicates(result);
  return result;
}

PythonValue dict_from_pairs(const PythonValue& raw, const std::string& where) {
  if (!raw.is(Kind::kList)) fail("$dict takes an array of [key, value] pairs", where);
  PythonValue result;
  result.kind = Kind::kDict;
  for (const PythonValue& pair : raw.items) {
    if (!pair.is(Kind::kList) || pair.items.size() != 2) fail("$dict takes an array of [key, value] pairs", where);
    result.entries.emplace_back(from_notation(pair.items[0], where), from_notation(pair.items[1], where));
    require_hashable(result.entries.back().first, where);
  }
  drop_duplicates(result);
  return result;
}

std::string json_string(const std::string& text) {
  return to_json_line(Json(text));
}

/// Joins the pieces in sorted order: sets and dicts have none of their own.
std::string sorted_join(std::vector<std::string> pieces) {
  std::sort(pieces.begin(), pieces.end());
  std::string joined;
  for (const std::string& piece : pieces) joined += fmt::format("{}:{}", piece.size(), piece);
  return joined;
}

std::string float_key(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "i0";
  if (value == std::floor(value)) return "i" + fmt::format("{:.0f}", value);
  return "f" + float_text(value);
}

std::string joined_notation(const std::vector<PythonValue>& items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) text += (i ? "," : "") + to_notation(items[i]);
  return text + "]";
}

std::string dict_notation(const PythonValue& value) {
  const bool plain = std::all_of(value.entries.begin(), value.entries.end(), [](const auto& entry) {
    return entry.first.is(Kind::kStr) && !entry.first.text.starts_with('$');
  });
  std::string text;
  for (const auto& [key, item] : value.entries) {
    if (!text.empty()) text += ",";
    text += plain ? json_string(key.text) + ":" + to_notation(item)
                  : "[" + to_notation(key) + "," + to_notation(item) + "]";
  }
  return plain ? "{" + text + "}" : R"({"$dict":[)" + text + "]}";
}

}  // namespace

PythonValue PythonValue::of_bool(bool value) {
  PythonValue result;
  result.kind = Kind::kBool;
  result.boolean = value;
  return result;
}

PythonValue PythonValue::of_int(std::string digits) {
  PythonValue result;
  result.kind = Kind::kInt;
  result.text = std::move(digits);
  return result;
}

PythonValue PythonValue::of_float(double value) {
  PythonValue result;
  result.kind = Kind::kFloat;
  result.real = value;
  return result;
}

PythonValue PythonValue::of_str(std::string value) {
  PythonValue result;
  result.kind = Kind::kStr;
  result.text = std::move(value);
  return result;
}

PythonValue PythonValue::of_items(Kind kind, std::vector<PythonValue> values) {
  PythonValue result;
  result.kind = kind;
  result.items = std::move(values);
  return result;
}

const PythonValue* PythonValue::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name.is(Kind::kStr) && name.text == key) return &value;
  }
  return nullptr;
}

bool is_hashable(const PythonValue& value) {
  if (value.is(Kind::kList) || value.is(Kind::kDict) || value.is(Kind::kSet)) return false;
  return std::all_of(value.items.begin(), value.items.end(), is_hashable);
}

void drop_duplicates(PythonValue& value) {
  std::unordered_map<std::string, size_t> seen;
  if (value.is(Kind::kSet) || value.is(Kind::kFrozenset)) {
    std::vector<PythonValue> kept;
    for (PythonValue& item : value.items) {
      if (seen.emplace(python_equality_key(item), kept.size()).second) kept.push_back(std::move(item));
    }
    value.items = std::move(kept);
  } else if (value.is(Kind::kDict)) {
    std::vector<PythonEntry> kept;
    for (auto& entry : value.entries) {
      const auto [at, is_new] = seen.emplace(python_equality_key(entry.first), kept.size());
      if (is_new)
        kept.push_back(std::move(entry));
      else
        kept[at->second].second = std::move(entry.second);
    }
    value.entries = std::move(kept);
  }
}

std::string python_equality_key(const PythonValue& value) {
  std::vector<std::string> pieces;
  switch (value.kind) {
    case Kind::kNone:
      return "none";
    case Kind::kBool:
      return value.boolean ? "i1" : "i0";
    case Kind::kInt:
      return "i" + value.text;
    case Kind::kFloat:
      return float_key(value.real);
    case Kind::kStr:
      return "s" + value.text;
    case Kind::kList:
    case Kind::kTuple: {
      std::string key = value.is(Kind::kList) ? "list" : "tuple";
      for (const PythonValue& item : value.items) {
        const std::string piece = python_equality_key(item);
        key += fmt::format("{}:{}", piece.size(), piece);
      }
      return key;
    }
    case Kind::kDict:
      for (const auto& [name, item] : value.entries) {
        const std::string key = python_equality_key(name);
        pieces.push_back(fmt::format("{}:{}{}", key.size(), key, python_equality_key(item)));
      }
      return "dict" + sorted_join(std::move(pieces));
    case Kind::kSet:
    case Kind::kFrozenset:
      for (const PythonValue& item : value.items) pieces.push_back(python_equality_key(item));
      return "set" + sorted_join(std::move(pieces));
  }
  return "";
}

PythonValue from_notation(const PythonValue& raw, const std::string& where) {
  if (raw.is(Kind::kList)) {
    PythonValue result;
    result.kind = Kind::kList;
    for (const PythonValue& item : raw.items) result.items.push_back(from_notation(item, where));
    return result;
  }
  if (!raw.is(Kind::kDict)) return raw;
  if (raw.entries.size() == 1) {
    const auto& [key, value] = raw.entries.front();
    if (key.text == "$tuple") return sequence_from_notation(Kind::kTuple, value, where);
    if (key.text == "$set") return sequence_from_notation(Kind::kSet, value, where);
    if (key.text == "$frozenset") return sequence_from_notation(Kind::kFrozenset, value, where);
    if (key.text == "$float") return float_from_notation(value, where);
    if (key.text == "$dict") return dict_from_pairs(value, where);
  }
  PythonValue result;
  result.kind = Kind::kDict;
  for (const auto& [key, value] : raw.entries) result.entries.emplace_back(key, from_notation(value, where));
  return result;
}

PythonValue parse_python_value(std::string_view json, const std::string& where) {
  return from_notation(parse_exact_json(json, where), where);
}

std::string to_notation(const PythonValue& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "null";
    case Kind::kBool:
      return value.boolean ? "true" : "false";
    case Kind::kInt:
      return value.text;
    case Kind::kFloat:
      if (std::isnan(value.real)) return R"({"$float":"nan"})";
      if (std::isinf(value.real)) return value.real > 0 ? R"({"$float":"inf"})" : R"({"$float":"-inf"})";
      return float_text(value.real);
    case Kind::kStr:
      return json_string(value.text);
    case Kind::kList:
      return joined_notation(value.items);
    case Kind::kTuple:
      return R"({"$tuple":)" + joined_notation(value.items) + "}";
    case Kind::kSet:
      return R"({"$set":)" + joined_notation(value.items) + "}";
    case Kind::kFrozenset:
      return R"({"$frozenset":)" + joined_notation(value.items) + "}";
    case Kind::kDict:
      return dict_notation(value);
  }
  return "";
}

std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace plumbline
