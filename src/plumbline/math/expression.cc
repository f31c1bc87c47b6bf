#include "plumbline/math/expression.h"

#include <map>

namespace plumbline {

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
