#include "plumbline/math/expression.h"

#include <map>
#include <utility>

namespace plumbline {

Expression make_leaf(ExpressionKind kind, std::string text) {
  Expression result;
  result.kind = kind;
  result.text = std::move(text);
  return result;
}

Expression make_node(ExpressionKind kind, std::vector<Expression> operands, std::string text) {
  Expression result = make_leaf(kind, std::move(text));
  result.operands = std::move(operands);
  return result;
}

Expression make_unary(ExpressionKind kind, Expression operand) {
  std::vector<Expression> operands;
  operands.push_back(std::move(operand));
  return make_node(kind, std::move(operands));
}

Expression make_binary(ExpressionKind kind, Expression first, Expression second) {
  Expression result = make_unary(kind, std::move(first));
  result.operands.push_back(std::move(second));
  return result;
}

Expression make_function(std::string name, Expression argument) {
  Expression result = make_unary(ExpressionKind::kFunction, std::move(argument));
  result.text = std::move(name);
  return result;
}

std::string to_text(const Expression& expression) {
  using Kind = ExpressionKind;
  static const std::map<Kind, std::string> kNames = {
      {Kind::kAdd, "add"},     {Kind::kMultiply, "mul"},  {Kind::kDivide, "div"},        {Kind::kPower, "pow"},
      {Kind::kNegate, "neg"},  {Kind::kPlusMinus, "+-"},  {Kind::kPercent, "percent"},   {Kind::kUnit, "unit"},
      {Kind::kTuple, "tuple"}, {Kind::kList, "list"},     {Kind::kSet, "set"},           {Kind::kInterval, "interval"},
      {Kind::kUnion, "union"}, {Kind::kMatrix, "matrix"}, {Kind::kRelation, "relation"}, {Kind::kFunction, ""}};
  const auto name = kNames.find(expression.kind);
  if (name == kNames.end()) return expression.text;
  std::string text = "(" + name->second;
  if (!expression.text.empty()) text += (name->second.empty() ? "" : " ") + expression.text;
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    if (i > 0 && i <= expression.operators.size()) text += " " + expression.operators[i - 1];
    text += " " + to_text(expression.operands[i]);
  }
  return text + ")";
}

}  // namespace plumbline
