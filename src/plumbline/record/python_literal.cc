#include "plumbline/record/python_literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/record/python_evaluation.h"
#include "plumbline/record/python_functions.h"
#include "plumbline/record/python_syntax.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;
using Expression = PythonExpression;
using Parsed = std::optional<PythonValue>;

Parsed literal(const Expression& expression);

std::optional<std::vector<PythonValue>> literals(const Expression& expression, size_t first) {
  std::vector<PythonValue> items;
  for (size_t i = first; i < expression.children.size(); ++i) {
    Parsed item = literal(expression.children[i]);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
  }
  return items;
}

/// set(), frozenset(), frozenset(items), float('inf').
Parsed constructor(const Expression& call) {
  const std::string name = to_source(call.children[0], {});
  const auto arguments = literals(call, 1);
  const bool positional = std::all_of(call.names.begin(), call.names.end(), [](const auto& n) { return n.empty(); });
  if (!arguments || !positional || arguments->size() > 1) return std::nullopt;
  const bool empty = arguments->empty();
  if (name == "float") {
    return empty || !arguments->front().is(Kind::kStr) ? std::nullopt : call_function(name, {*arguments, {}});
  }
  const bool sequence = !empty && !arguments->front().is(Kind::kStr) && !arguments->front().is(Kind::kDict);
  if (name != "frozenset" && (name != "set" || !empty)) return std::nullopt;
  return empty || sequence ? call_function(name, {*arguments, {}}) : std::nullopt;
}

Parsed dict_literal(const Expression& expression) {
  const auto parts = literals(expression, 0);
  PythonValue result;
  result.kind = Kind::kDict;
  for (size_t i = 0; parts && i + 1 < parts->size(); i += 2) {
    if (!is_hashable((*parts)[i])) return std::nullopt;
    result.entries.emplace_back((*parts)[i], (*parts)[i + 1]);
  }
  drop_duplicates(result);
  return parts ? Parsed(std::move(result)) : std::nullopt;
}

Parsed display(const Expression& expression, Kind kind) {
  auto items = literals(expression, 0);
  return items ? make_container(kind, std::move(*items)) : std::nullopt;
}

Parsed literal(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::kConstant:
      return expression.value;
    case Expression::Kind::kName:
    case Expression::Kind::kAttribute: {
      Parsed value = known_constant(to_source(expression, {}));
      return value && value->is(Kind::kFloat) && !std::isfinite(value->real) ? std::move(value) : std::nullopt;
    }
    case Expression::Kind::kUnary: {
      Parsed value = literal(expression.children[0]);
      if (!value || !value->is(Kind::kFloat) || expression.name == "not") return std::nullopt;
      if (expression.name == "-") value->real = -value->real;
      return value;
    }
    case Expression::Kind::kList:
      return display(expression, Kind::kList);
    case Expression::Kind::kTuple:
      return display(expression, Kind::kTuple);
    case Expression::Kind::kSet:
      return display(expression, Kind::kSet);
    case Expression::Kind::kDict:
      return dict_literal(expression);
    case Expression::Kind::kCall:
      return constructor(expression);
    default:
      return std::nullopt;
  }
}

std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\r')
      result += "\\r";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\\' || c == quote)
      (result += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      result += fmt::format("\\x{:02x}", c);
    else
      result += c;
  }
  return result + quote;
}

std::string joined(const std::vector<PythonValue>& items) {
  std::string text;
  for (const PythonValue& item : items) text += (text.empty() ? "" : ", ") + to_python_literal(item);
  return text;
}

}  // namespace

std::optional<PythonValue> parse_python_literal(std::string_view text) {
  const auto expression = parse_python_expression(text);
  return expression ? literal(*expression) : std::nullopt;
}

std::string to_python_literal(const PythonValue& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.boolean ? "True" : "False";
    case Kind::kInt:
      return value.text;
    case Kind::kFloat:
      if (std::isnan(value.real)) return "float('nan')";
      if (std::isinf(value.real)) return value.real > 0 ? "float('inf')" : "float('-inf')";
      return float_text(value.real);
    case Kind::kStr:
      return quoted(value.text);
    case Kind::kList:
      return "[" + joined(value.items) + "]";
    case Kind::kTuple:
      return "(" + joined(value.items) + (value.items.size() == 1 ? ",)" : ")");
    case Kind::kSet:
      return value.items.empty() ? "set()" : "{" + joined(value.items) + "}";
    case Kind::kFrozenset:
      return value.items.empty() ? "frozenset()" : "frozenset({" + joined(value.items) + "})";
    case Kind::kDict: {
      std::string text;
      for (const auto& [key, item] : value.entries) {
        text += (text.empty() ? "" : ", ") + to_python_literal(key) + ": " + to_python_literal(item);
      }
      return "{" + text + "}";
    }
  }
  return "";
}

std::string to_python_call(const TestCase& test, std::string_view entry_point) {
  std::string arguments = joined(test.args);
  for (const auto& [name, value] : test.kwargs) {
    arguments += (arguments.empty() ? "" : ", ") + name + "=" + to_python_literal(value);
  }
  return std::string(entry_point) + "(" + arguments + ")";
}

}  // namespace plumbline
