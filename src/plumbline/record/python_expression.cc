#include "plumbline/record/python_expression.h"

#include <algorithm>

#include "plumbline/record/python_literal.h"

namespace plumbline {
namespace {

using Kind = PythonExpression::Kind;

std::string joined(const PythonExpression& expression, const std::vector<std::string>& calls, size_t first,
                   const std::string& separator) {
  std::string text;
  for (size_t i = first; i < expression.children.size(); ++i) {
    text += (i > first ? separator : "") + to_source(expression.children[i], calls);
  }
  return text;
}

std::string call_source(const PythonExpression& call, const std::vector<std::string>& calls) {
  std::string text = to_source(call.children[0], calls) + "(";
  for (size_t i = 1; i < call.children.size(); ++i) {
    const std::string& keyword = call.names[i - 1];
    text += (i > 1 ? ", " : "") + (keyword.empty() || keyword == "*" ? keyword : keyword + "=");
    text += to_source(call.children[i], calls);
  }
  return text + ")";
}

std::string comprehension_source(const PythonExpression& expression, const std::vector<std::string>& calls) {
  std::string targets;
  for (const std::string& name : expression.names) targets += (targets.empty() ? "" : ", ") + name;
  std::string text = expression.name + to_source(expression.children[0], calls) + " for " + targets + " in " +
                     to_source(expression.children[1], calls);
  for (size_t i = 2; i < expression.children.size(); ++i) text += " if " + to_source(expression.children[i], calls);
  return text + (expression.name == "[" ? "]" : expression.name == "{" ? "}" : ")");
}

std::string dict_source(const PythonExpression& expression, const std::vector<std::string>& calls) {
  std::string text;
  for (size_t i = 0; i + 1 < expression.children.size(); i += 2) {
    text += (i ? ", " : "") + to_source(expression.children[i], calls) + ": " +
            to_source(expression.children[i + 1], calls);
  }
  return "{" + text + "}";
}

}  // namespace

PythonExpression PythonExpression::constant(PythonValue value) {
  PythonExpression expression;
  expression.value = std::move(value);
  return expression;
}

PythonExpression PythonExpression::result(size_t index) {
  PythonExpression expression;
  expression.kind = Kind::kResult;
  expression.index = index;
  return expression;
}

PythonExpression PythonExpression::named(std::string name) {
  PythonExpression expression;
  expression.kind = Kind::kName;
  expression.name = std::move(name);
  return expression;
}

PythonExpression PythonExpression::of(Kind kind, std::string name, std::vector<PythonExpression> children,
                                      std::vector<std::string> names) {
  PythonExpression expression;
  expression.kind = kind;
  expression.name = std::move(name);
  expression.children = std::move(children);
  expression.names = std::move(names);
  for (const PythonExpression& child : expression.children) {
    expression.depth = std::max(expression.depth, child.depth + 1);
  }
  return expression;
}

std::string to_source(const PythonExpression& expression, const std::vector<std::string>& calls) {
  switch (expression.kind) {
    case Kind::kConstant:
      return to_python_literal(expression.value);
    case Kind::kResult:
      return expression.index < calls.size() ? calls[expression.index] : "result" + std::to_string(expression.index);
    case Kind::kName:
      return expression.name;
    case Kind::kList:
      return "[" + joined(expression, calls, 0, ", ") + "]";
    case Kind::kTuple:
      return "(" + joined(expression, calls, 0, ", ") + (expression.children.size() == 1 ? ",)" : ")");
    case Kind::kSet:
      return "{" + joined(expression, calls, 0, ", ") + "}";
    case Kind::kDict:
      return dict_source(expression, calls);
    case Kind::kCall:
      return call_source(expression, calls);
    case Kind::kAttribute:
      return to_source(expression.children[0], calls) + "." + expression.name;
    case Kind::kSubscript:
      return to_source(expression.children[0], calls) + "[" + to_source(expression.children[1], calls) + "]";
    case Kind::kUnary:
      return "(" + expression.name + " " + to_source(expression.children[0], calls) + ")";
    case Kind::kBinary:
      return "(" + joined(expression, calls, 0, " " + expression.name + " ") + ")";
    case Kind::kCompare: {
      std::string text = "(" + to_source(expression.children[0], calls);
      for (size_t i = 1; i < expression.children.size(); ++i) {
        text += " " + expression.names[i - 1] + " " + to_source(expression.children[i], calls);
      }
      return text + ")";
    }
    case Kind::kAnd:
      return "(" + joined(expression, calls, 0, " and ") + ")";
    case Kind::kOr:
      return "(" + joined(expression, calls, 0, " or ") + ")";
    case Kind::kConditional:
      return "(" + to_source(expression.children[1], calls) + " if " + to_source(expression.children[0], calls) +
             " else " + to_source(expression.children[2], calls) + ")";
    case Kind::kComprehension:
      return comprehension_source(expression, calls);
  }
  return "";
}

}  // namespace plumbline
