#include "plumbline/record/python_evaluation.h"

#include <algorithm>
#include <cmath>

#include "plumbline/record/python_functions.h"
#include "plumbline/record/python_numbers.h"

namespace plumbline {
namespace {

using Expression = PythonExpression;
using Kind = PythonExpression::Kind;
using ValueKind = PythonValue::Kind;
using Maybe = std::optional<PythonValue>;
using Names = std::map<std::string, PythonValue>;

PythonValue boolean(bool value) {
  return PythonValue::of_bool(value);
}

bool is_call_of(const Expression& expression, std::string_view function) {
  return expression.is(Kind::kCall) && expression.children[0].is(Kind::kName) &&
         expression.children[0].name == function;
}

/// The names in `int`, or in `(int, float)`; empty when it is neither.
std::vector<std::string> type_names(const Expression& expression) {
  std::vector<std::string> names;
  const auto add = [&](const Expression& name) {
    if (!name.is(Kind::kName) || !is_builtin_type(name.name)) return false;
    names.push_back(name.name);
    return true;
  };
  if (expression.is(Kind::kTuple) ? !std::all_of(expression.children.begin(), expression.children.end(), add)
                                  : !add(expression)) {
    return {};
  }
  return names;
}

class Evaluator {
 public:
  Evaluator(std::span<const PythonValue> results, const Names& names) : results_(results), names_(names) {}

  Maybe value(const Expression& expression) {
    if (++steps_ > kMaxElements) return std::nullopt;
    switch (expression.kind) {
      case Kind::kConstant:
        return expression.value;
      case Kind::kResult:
        return expression.index < results_.size() ? Maybe(results_[expression.index]) : std::nullopt;
      case Kind::kName:
        return name(expression.name);
      case Kind::kList:
        return display(expression, ValueKind::kList);
      case Kind::kTuple:
        return display(expression, ValueKind::kTuple);
      case Kind::kSet:
        return display(expression, ValueKind::kSet);
      case Kind::kDict:
        return dict(expression);
      case Kind::kCall:
        return call(expression);
      case Kind::kAttribute:
        return std::nullopt;
      case Kind::kSubscript:
        return subscript(expression);
      case Kind::kUnary:
        return unary(expression);
      case Kind::kBinary:
        return binary(expression);
      case Kind::kCompare:
        return comparison(expression);
      case Kind::kAnd:
      case Kind::kOr:
        return logic(expression);
      case Kind::kConditional: {
        const Maybe condition = value(expression.children[0]);
        return condition ? value(expression.children[is_truthy(*condition) ? 1 : 2]) : std::nullopt;
      }
      case Kind::kComprehension:
        return comprehension(expression);
    }
    return std::nullopt;
  }

 private:
  Maybe name(const std::string& name) const {
    const auto found = names_.find(name);
    return found != names_.end() ? Maybe(found->second) : known_constant(name);
  }

  Maybe display(const Expression& expression, ValueKind kind) {
    std::vector<PythonValue> items;
    for (const Expression& child : expression.children) {
      Maybe item = value(child);
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
    }
    return make_container(kind, std::move(items));
  }

  Maybe dict(const Expression& expression) {
    PythonValue result;
    result.kind = ValueKind::kDict;
    for (size_t i = 0; i + 1 < expression.children.size(); i += 2) {
      Maybe key = value(expression.children[i]), item = value(expression.children[i + 1]);
      if (!key || !item || !is_hashable(*key)) return std::nullopt;
      result.entries.emplace_back(std::move(*key), std::move(*item));
    }
    drop_duplicates(result);
    return result;
  }

  Maybe unary(const Expression& expression) {
    const Maybe operand = value(expression.children[0]);
    if (!operand) return std::nullopt;
    if (expression.name == "not") return boolean(!is_truthy(*operand));
    if (!is_python_number(*operand)) return std::nullopt;
    if (expression.name == "+") return without_bool(*operand);
    if (operand->is(ValueKind::kFloat)) return PythonValue::of_float(-operand->real);
    return number_arithmetic("-", PythonValue::of_int("0"), *operand);
  }

  Maybe binary(const Expression& expression) {
    const Maybe left = value(expression.children[0]);
    const Maybe right = left ? value(expression.children[1]) : std::nullopt;
    return right ? binary_operation(expression.name, *left, *right) : std::nullopt;
  }

  Maybe logic(const Expression& expression) {
    Maybe last;
    for (const Expression& child : expression.children) {
      last = value(child);
      if (!last || is_truthy(*last) == expression.is(Kind::kOr)) return last;
    }
    return last;
  }

  Maybe subscript(const Expression& expression) {
    const Maybe container = value(expression.children[0]);
    const Maybe key = container ? value(expression.children[1]) : std::nullopt;
    return key ? element_of(*container, *key) : std::nullopt;
  }

  Maybe comparison(const Expression& expression) {
    const auto& operands = expression.children;
    if (is_call_of(operands[0], "type")) return type_comparison(expression);
    Maybe left;
    for (size_t i = 0; i + 1 < operands.size(); ++i) {
      const bool approximate = is_call_of(operands[i], "pytest.approx") || is_call_of(operands[i + 1], "pytest.approx");
      if (approximate) return approximation(operands, expression.names);
      if (!left) left = value(operands[i]);
      Maybe right = left ? value(operands[i + 1]) : std::nullopt;
      const auto holds = right ? compare(expression.names[i], *left, *right) : std::nullopt;
      if (!holds) return std::nullopt;
      if (!*holds) return boolean(false);
      left = std::move(right);
    }
    return boolean(true);
  }

  /// type(x) == int, type(x) is int.
  Maybe type_comparison(const Expression& expression) {
    const auto types = type_names(expression.children[1]);
    if (expression.children.size() != 2 || types.size() != 1) return std::nullopt;
    const Maybe tested = value(expression.children[0].children[1]);
    if (!tested) return std::nullopt;
    const std::string& symbol = expression.names[0];
    if (symbol != "==" && symbol != "is" && symbol != "!=" && symbol != "is not") return std::nullopt;
    return boolean((type_name(*tested) == types[0]) == (symbol == "==" || symbol == "is"));
  }

  /// x == pytest.approx(expected, rel=, abs=), either way round.
  Maybe approximation(const std::vector<Expression>& operands, const std::vector<std::string>& symbols) {
    if (operands.size() != 2 || (symbols[0] != "==" && symbols[0] != "!=")) return std::nullopt;
    const size_t side = is_call_of(operands[1], "pytest.approx") ? 1 : 0;
    const auto arguments = evaluated_arguments(operands[side]);
    const Maybe tested = value(operands[1 - side]);
    if (!arguments || !tested) return std::nullopt;
    const auto close = pytest_approx(*tested, *arguments);
    return close ? Maybe(boolean(*close == (symbols[0] == "=="))) : std::nullopt;
  }

  std::optional<PythonArguments> evaluated_arguments(const Expression& call) {
    PythonArguments arguments;
    for (size_t i = 1; i < call.children.size(); ++i) {
      Maybe argument = value(call.children[i]);
      if (!argument) return std::nullopt;
      const std::string& keyword = call.names[i - 1];
      if (keyword == "*") {
        auto items = items_of(*argument);
        if (!items) return std::nullopt;
        for (PythonValue& item : *items) arguments.positional.push_back(std::move(item));
      } else if (keyword.empty()) {
        arguments.positional.push_back(std::move(*argument));
      } else {
        arguments.keywords.emplace(keyword, std::move(*argument));
      }
    }
    return arguments;
  }

  Maybe call(const Expression& expression) {
    const Expression& function = expression.children[0];
    if (!function.is(Kind::kName)) return std::nullopt;
    if (function.name == "isinstance") {
      const Maybe tested = value(expression.children[1]);
      const auto types = type_names(expression.children[2]);
      if (!tested || types.empty()) return std::nullopt;
      return boolean(
          std::any_of(types.begin(), types.end(), [&](const auto& type) { return is_instance(*tested, type); }));
    }
    if (function.name == "map") {
      const Maybe mapped = value(expression.children[2]);
      auto items = mapped ? items_of(*mapped) : std::nullopt;
      if (!items) return std::nullopt;
      for (PythonValue& item : *items) {
        Maybe image = call_function(expression.children[1].name, {{std::move(item)}, {}});
        if (!image || ++steps_ > kMaxElements) return std::nullopt;
        item = std::move(*image);
      }
      return PythonValue::of_items(ValueKind::kList, std::move(*items));
    }
    const auto arguments = evaluated_arguments(expression);
    return arguments ? call_function(function.name, *arguments) : std::nullopt;
  }

  Maybe comprehension(const Expression& expression) {
    const Maybe iterable = value(expression.children[1]);
    const auto items = iterable ? items_of(*iterable) : std::nullopt;
    if (!items) return std::nullopt;
    const Names outer = names_;
    std::vector<PythonValue> results;
    bool failed = false;
    for (const PythonValue& item : *items) {
      failed = !bind(expression.names, item) || !collect(expression, results);
      if (failed) break;
    }
    names_ = outer;
    if (failed) return std::nullopt;
    return make_container(expression.name == "{" ? ValueKind::kSet : ValueKind::kList, std::move(results));
  }

  bool bind(const std::vector<std::string>& targets, const PythonValue& item) {
    if (targets.size() == 1) {
      names_[targets[0]] = item;
      return true;
    }
    auto parts = items_of(item);
    if (!parts || parts->size() != targets.size()) return false;
    for (size_t i = 0; i < targets.size(); ++i) names_[targets[i]] = std::move((*parts)[i]);
    return true;
  }

  bool collect(const Expression& expression, std::vector<PythonValue>& results) {
    for (size_t i = 2; i < expression.children.size(); ++i) {
      const Maybe condition = value(expression.children[i]);
      if (!condition) return false;
      if (!is_truthy(*condition)) return true;
    }
    Maybe element = value(expression.children[0]);
    if (element) results.push_back(std::move(*element));
    return element.has_value();
  }

  std::span<const PythonValue> results_;
  Names names_;
  size_t steps_ = 0;
};

bool has_result(const Expression& expression) {
  return expression.is(Kind::kResult) ||
         std::any_of(expression.children.begin(), expression.children.end(), has_result);
}

bool is_evaluable_call(const Expression& call, const std::vector<std::string>& names) {
  const Expression& function = call.children[0];
  if (!function.is(Kind::kName)) return false;
  std::vector<std::string> keywords;
  size_t num_positional = 0;
  for (const std::string& keyword : call.names) {
    if (keyword == "*") return false;
    if (keyword.empty())
      ++num_positional;
    else
      keywords.push_back(keyword);
  }
  const auto rest_is_evaluable = [&](size_t first) {
    return std::all_of(call.children.begin() + static_cast<long>(first), call.children.end(),
                       [&](const Expression& child) { return is_evaluable(child, names); });
  };
  // How Python writes floats and containers as text is not ours to say: constants only, folded or refused at once.
  if (function.name == "str" && has_result(call)) return false;
  if (function.name == "isinstance") {
    return keywords.empty() && num_positional == 2 && is_evaluable(call.children[1], names) &&
           !type_names(call.children[2]).empty();
  }
  if (function.name == "map") {
    return keywords.empty() && num_positional == 2 && call.children[1].is(Kind::kName) &&
           call.children[1].name != "str" && has_signature(call.children[1].name, 1, {}) &&
           is_evaluable(call.children[2], names);
  }
  return has_signature(function.name, num_positional, keywords) && rest_is_evaluable(1);
}

bool is_evaluable_comparison(const Expression& expression, const std::vector<std::string>& names) {
  const auto& operands = expression.children;
  if (is_call_of(operands[0], "type")) {
    return operands.size() == 2 && operands[0].children.size() == 2 && is_evaluable(operands[0].children[1], names) &&
           type_names(operands[1]).size() == 1 && expression.names[0] != "in" && expression.names[0] != "not in" &&
           expression.names[0].find_first_of("<>") == std::string::npos;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool approximate = is_call_of(operands[i], "pytest.approx");
    if (approximate && (operands.size() != 2 || (expression.names[0] != "==" && expression.names[0] != "!="))) {
      return false;
    }
    if (approximate ? !is_evaluable_call(operands[i], names) : !is_evaluable(operands[i], names)) return false;
    if (i == 0 || !expression.names[i - 1].starts_with("is")) continue;
    const auto is_singleton = [](const Expression& side) {
      return side.is(Kind::kConstant) && (side.value.is(ValueKind::kNone) || side.value.is(ValueKind::kBool));
    };
    if (!is_singleton(operands[i]) && !is_singleton(operands[i - 1])) return false;  // identity says nothing of values
  }
  return true;
}

}  // namespace

bool is_evaluable(const PythonExpression& expression, const std::vector<std::string>& names) {
  switch (expression.kind) {
    case Kind::kConstant:
    case Kind::kResult:
      return true;
    case Kind::kName:
      return std::find(names.begin(), names.end(), expression.name) != names.end() ||
             known_constant(expression.name).has_value();
    case Kind::kAttribute:
      return false;
    case Kind::kCall:
      return !is_call_of(expression, "pytest.approx") && is_evaluable_call(expression, names);
    case Kind::kCompare:
      return is_evaluable_comparison(expression, names);
    case Kind::kComprehension: {
      std::vector<std::string> inner = names;
      inner.insert(inner.end(), expression.names.begin(), expression.names.end());
      return is_evaluable(expression.children[1], names) &&
             std::all_of(expression.children.begin(), expression.children.end(),
                         [&](const auto& child) { return is_evaluable(child, inner); });
    }
    default:
      return std::all_of(expression.children.begin(), expression.children.end(),
                         [&](const auto& child) { return is_evaluable(child, names); });
  }
}

std::optional<PythonValue> evaluate(const PythonExpression& expression, std::span<const PythonValue> results,
                                    const std::map<std::string, PythonValue>& names) {
  return Evaluator(results, names).value(expression);
}

}  // namespace plumbline
