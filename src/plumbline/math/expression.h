/// Mathematical text as a tree. Nothing is evaluated while it is built.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

enum class ExpressionKind {
  kNumber,    ///< text: digits with at most one point, "12", "0.5"
  kSymbol,    ///< text: "x", "x_1", "alpha"
  kConstant,  ///< text: "pi", "e", "i", "infinity"
  kAdd,       ///< two operands or more
  kMultiply,  ///< likewise
  kDivide,    ///< numerator, denominator
  kPower,     ///< base, exponent
  kNegate,
  kPlusMinus,  ///< both signs of its operand; with two operands a +- b
  kFunction,   ///< text: name; operands: arguments
  kPercent,    ///< of its operand
  kUnit,       ///< operand times the unit `text`
  kTuple,      ///< (a, b, ...): ordered; two entries may also be an open interval
  kList,       ///< a, b, ... without brackets: unordered
  kSet,        ///< {a, b, ...}
  kInterval,   ///< low, high; text: "[)" and so on
  kUnion,      ///< of intervals and sets
  kMatrix,     ///< operands row by row; `num_columns`
  kRelation    ///< operands a, b, c with operators in text: "<", "<=", "=", ">", ">=", "!="; several for a chain
};

/// Text of a sum of quantities that was written with "and": 2 hours and 30 minutes.
inline constexpr const char* kListedSum = "and";

/// Value type; a tree owns its operands.
struct Expression {
  ExpressionKind kind = ExpressionKind::kNumber;
  std::string text;
  std::vector<Expression> operands;
  std::vector<std::string> operators;  ///< of a relation, one fewer than operands
  int num_columns = 0;                 ///< of a matrix
};

/// Trees out of parts.
Expression make_leaf(ExpressionKind kind, std::string text);
Expression make_node(ExpressionKind kind, std::vector<Expression> operands, std::string text = "");
Expression make_unary(ExpressionKind kind, Expression operand);
Expression make_binary(ExpressionKind kind, Expression first, Expression second);
/// A function of one argument; more may be appended.
Expression make_function(std::string name, Expression argument);

/// The tree as nested brackets, for tests and messages: (add 1 (mul 2 x)).
std::string to_text(const Expression& expression);

}  // namespace plumbline
