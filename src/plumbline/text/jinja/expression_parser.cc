#include "plumbline/text/jinja/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "plumbline/text/jinja/filters.h"
#include "plumbline/text/jinja/tests.h"

namespace plumbline::jinja {
namespace {

constexpr int kMaxHeight = 200;   // of an expression
constexpr int kMaxNesting = 150;  // of brackets, unary operators and blocks, while parsing

}  // namespace

ExpressionParser::Nesting::Nesting(ExpressionParser& owner) : parser(owner) {
  if (++parser.nesting_ > kMaxNesting) {
    --parser.nesting_;
    parser.fail_here("nested too deeply");
  }
}

ExprPtr ExpressionParser::make(ExprKind kind, Place place, std::vector<ExprPtr> parts) const {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->place = place;
  expr->parts = std::move(parts);
  measure(*expr);
  return expr;
}

void ExpressionParser::measure(Expr& expr) const {
  const auto include = [&expr](const ExprPtr& part) {
    if (part) expr.height = std::max(expr.height, part->height + 1);
  };
  for (const ExprPtr& part : expr.parts) include(part);
  for (const ExprPtr& part : expr.call.positional) include(part);
  for (const auto& [name, part] : expr.call.named) include(part);
  include(expr.call.star);
  include(expr.call.star_star);
  if (expr.height > kMaxHeight) syntax_error("nested too deeply", name_, expr.place);
}

ExprPtr ExpressionParser::constant(Value value, Place place) const {
  ExprPtr expr = make(ExprKind::kConstant, place);
  expr->constant = std::move(value);
  return expr;
}

ExprPtr ExpressionParser::parse_expression(bool with_conditional) {
  const Nesting nesting(*this);
  return with_conditional ? parse_conditional() : parse_or();
}

ExprPtr ExpressionParser::parse_conditional() {
  // What stands in a conditional expression is compiled as in an `if`; where it begins is known only afterwards.
  const size_t first_unknown = unknown_.size();
  ExprPtr then = parse_or();
  while (at_name("if")) {
    const Place place = current().place;
    advance();
    ExprPtr test = parse_or();
    ExprPtr otherwise = skip_name("else") ? parse_expression() : nullptr;
    then = make_of(ExprKind::kConditional, place, std::move(test), std::move(then), std::move(otherwise));
    unknown_.resize(std::min(first_unknown, unknown_.size()));
  }
  return then;
}

ExprPtr ExpressionParser::parse_or() {
  ExprPtr left = parse_and();
  while (at_name("or")) {
    const Place place = current().place;
    advance();
    ExprPtr right = parse_and();
    left = make_of(ExprKind::kOr, place, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr ExpressionParser::parse_and() {
  ExprPtr left = parse_not();
  while (at_name("and")) {
    const Place place = current().place;
    advance();
    ExprPtr right = parse_not();
    left = make_of(ExprKind::kAnd, place, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr ExpressionParser::parse_not() {
  if (!at_name("not")) return parse_compare();
  const Nesting nesting(*this);
  const Place place = current().place;
  advance();
  return make_of(ExprKind::kNot, place, parse_not());
}

std::string ExpressionParser::take_comparison() {
  for (const char* op : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (skip_operator(op)) return op;
  }
  if (skip_name("in")) return "in";
  if (at_name("not") && ahead().kind == TokenKind::kName && ahead().value == "in") {
    advance();
    advance();
    return "not in";
  }
  return "";
}

ExprPtr ExpressionParser::parse_compare() {
  const Place place = current().place;
  std::vector<ExprPtr> parts;
  std::vector<std::string> operators;
  parts.push_back(parse_sum());
  for (std::string op = take_comparison(); !op.empty(); op = take_comparison()) {
    operators.push_back(std::move(op));
    parts.push_back(parse_sum());
  }
  if (operators.empty()) return std::move(parts[0]);
  ExprPtr expr = make(ExprKind::kCompare, place, std::move(parts));
  expr->operators = std::move(operators);
  return expr;
}

ExprPtr ExpressionParser::parse_binary(std::initializer_list<const char*> operators,
                                       ExprPtr (ExpressionParser::*operand)()) {
  ExprPtr left = (this->*operand)();
  for (;;) {
    const auto op = std::find_if(operators.begin(), operators.end(),
                                 [this](const char* candidate) { return at_operator(candidate); });
    if (op == operators.end()) return left;
    const Place place = current().place;
    advance();
    ExprPtr right = (this->*operand)();
    left = make_of(ExprKind::kArithmetic, place, std::move(left), std::move(right));
    left->name = *op;
  }
}

ExprPtr ExpressionParser::parse_sum() {
  return parse_binary({"+", "-"}, &ExpressionParser::parse_concat);
}

ExprPtr ExpressionParser::parse_product() {
  return parse_binary({"*", "/", "//", "%"}, &ExpressionParser::parse_power);
}

ExprPtr ExpressionParser::parse_power() {
  return parse_binary({"**"}, &ExpressionParser::parse_filtered_unary);
}

ExprPtr ExpressionParser::parse_filtered_unary() {
  return parse_unary(true);
}

ExprPtr ExpressionParser::parse_concat() {
  const Place place = current().place;
  std::vector<ExprPtr> parts;
  parts.push_back(parse_product());
  while (skip_operator("~")) parts.push_back(parse_product());
  if (parts.size() == 1) return std::move(parts[0]);
  return make(ExprKind::kConcat, place, std::move(parts));
}

ExprPtr ExpressionParser::parse_unary(bool with_filters) {
  const Nesting nesting(*this);
  const Place place = current().place;
  ExprPtr expr;
  if (skip_operator("-")) {
    expr = make_of(ExprKind::kNegative, place, parse_unary(false));
  } else if (skip_operator("+")) {
    expr = make_of(ExprKind::kPositive, place, parse_unary(false));
  } else {
    expr = parse_primary();
  }
  expr = parse_postfix(std::move(expr));
  return with_filters ? parse_filters_and_tests(std::move(expr)) : std::move(expr);
}

ExprPtr ExpressionParser::parse_primary() {
  const Token token = current();
  switch (token.kind) {
    case TokenKind::kName:
      advance();
      return name_or_constant(token);
    case TokenKind::kString: {
      std::string text;
      for (; current().kind == TokenKind::kString; advance()) text += current().value;
      return constant(Value(std::move(text)), token.place);
    }
    case TokenKind::kInteger:
      advance();
      return constant(Value(integer(token)), token.place);
    case TokenKind::kFloat:
      advance();
      return constant(Value(std::strtod(token.value.c_str(), nullptr)), token.place);
    default:
      break;
  }
  if (skip_operator("(")) {
    ExprPtr inner = parse_tuple(true, true);
    expect_operator(")");
    return inner;
  }
  if (at_operator("[")) return parse_list();
  if (at_operator("{")) return parse_dict();
  fail_here(fmt::format("unexpected {}", found()));
}

ExprPtr ExpressionParser::name_or_constant(const Token& token) {
  if (token.value == "true" || token.value == "True") return constant(Value(true), token.place);
  if (token.value == "false" || token.value == "False") return constant(Value(false), token.place);
  if (token.value == "none" || token.value == "None") return constant(Value(), token.place);
  ExprPtr expr = make(ExprKind::kName, token.place);
  expr->name = token.value;
  return expr;
}

int64_t ExpressionParser::integer(const Token& token) const {
  int64_t value = 0;
  const char* end = token.value.data() + token.value.size();
  if (std::from_chars(token.value.data(), end, value).ec != std::errc()) {
    syntax_error("an integer beyond 64 bits", name_, token.place);
  }
  return value;
}

ExprPtr ExpressionParser::parse_list() {
  const Place place = current().place;
  expect_operator("[");
  std::vector<ExprPtr> items;
  while (!at_operator("]")) {
    if (!items.empty()) expect_operator(",");
    if (at_operator("]")) break;
    items.push_back(parse_expression());
  }
  expect_operator("]");
  return make(ExprKind::kList, place, std::move(items));
}

ExprPtr ExpressionParser::parse_dict() {
  const Place place = current().place;
  expect_operator("{");
  std::vector<ExprPtr> items;
  while (!at_operator("}")) {
    if (!items.empty()) expect_operator(",");
    if (at_operator("}")) break;
    items.push_back(parse_expression());
    expect_operator(":");
    items.push_back(parse_expression());
  }
  expect_operator("}");
  return make(ExprKind::kDict, place, std::move(items));
}

bool ExpressionParser::at_tuple_end() const {
  return current().kind == TokenKind::kVariableEnd || current().kind == TokenKind::kBlockEnd || at_operator(")") ||
         at_name("in") || at_name("recursive");
}

ExprPtr ExpressionParser::parse_tuple(bool with_conditional, bool in_parentheses) {
  const Place place = current().place;
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  for (;;) {
    if (!items.empty()) expect_operator(",");
    if (at_tuple_end()) break;
    items.push_back(parse_expression(with_conditional));
    if (!at_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !items.empty()) return std::move(items[0]);
  if (!is_tuple && !in_parentheses) fail_here(fmt::format("expected an expression, found {}", found()));
  return make(ExprKind::kTuple, place, std::move(items));
}

ExprPtr ExpressionParser::parse_postfix(ExprPtr expr) {
  for (;;) {
    if (at_operator(".")) {
      expr = parse_attribute(std::move(expr));
    } else if (at_operator("[")) {
      expr = parse_subscript(std::move(expr));
    } else if (at_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

ExprPtr ExpressionParser::parse_call(ExprPtr callee) {
  const Place place = current().place;
  ExprPtr expr = make_of(ExprKind::kCall, place, std::move(callee));
  expr->call = parse_call_arguments();
  measure(*expr);
  return expr;
}

ExprPtr ExpressionParser::parse_attribute(ExprPtr object) {
  const Place place = current().place;
  advance();
  const Token token = current();
  if (token.kind == TokenKind::kInteger) {
    advance();
    return make_of(ExprKind::kSubscript, place, std::move(object), constant(Value(integer(token)), token.place));
  }
  ExprPtr expr = make_of(ExprKind::kAttribute, place, std::move(object));
  expr->name = take_name();
  return expr;
}

ExprPtr ExpressionParser::parse_subscript(ExprPtr object) {
  const Place place = current().place;
  advance();
  ExprPtr begin = at_operator(":") ? nullptr : parse_expression();
  if (!skip_operator(":")) {
    if (at_operator(",")) fail_here("a subscript of several values is not supported");
    expect_operator("]");
    return make_of(ExprKind::kSubscript, place, std::move(object), std::move(begin));
  }
  ExprPtr end = at_operator(":") || at_operator("]") ? nullptr : parse_expression();
  ExprPtr step = skip_operator(":") && !at_operator("]") ? parse_expression() : nullptr;
  expect_operator("]");
  return make_of(ExprKind::kSlice, place, std::move(object), std::move(begin), std::move(end), std::move(step));
}

CallArguments ExpressionParser::parse_call_arguments() {
  CallArguments arguments;
  expect_operator("(");
  bool needs_comma = false;
  while (!at_operator(")")) {
    if (needs_comma) expect_operator(",");
    if (at_operator(")")) break;
    needs_comma = true;
    if (skip_operator("**")) {
      if (arguments.star_star) fail_here("two ** arguments");
      arguments.star_star = parse_expression();
    } else if (arguments.star_star) {
      fail_here("an argument behind **");
    } else if (skip_operator("*")) {
      if (arguments.star) fail_here("two * arguments");
      arguments.star = parse_expression();
    } else if (current().kind == TokenKind::kName && ahead().kind == TokenKind::kOperator && ahead().value == "=") {
      std::string keyword = take_name();
      advance();
      arguments.named.emplace_back(std::move(keyword), parse_expression());
    } else {
      if (arguments.star || !arguments.named.empty()) fail_here("a positional argument behind a named one");
      arguments.positional.push_back(parse_expression());
    }
  }
  expect_operator(")");
  return arguments;
}

ExprPtr ExpressionParser::parse_filters_and_tests(ExprPtr expr) {
  for (;;) {
    if (at_operator("|")) {
      advance();
      expr = parse_filter(std::move(expr));
    } else if (at_name("is")) {
      expr = parse_test(std::move(expr));
    } else if (at_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

std::string ExpressionParser::take_dotted_name() {
  std::string word = take_name();
  while (skip_operator(".")) word += "." + take_name();
  return word;
}

ExprPtr ExpressionParser::parse_filter(ExprPtr subject) {
  const Place place = current().place;
  ExprPtr expr = make_of(ExprKind::kFilter, place, std::move(subject));
  expr->name = take_dotted_name();
  if (!is_known_filter(expr->name)) unknown(fmt::format("No filter named '{}'.", expr->name), place);
  if (at_operator("(")) expr->call = parse_call_arguments();
  measure(*expr);
  return expr;
}

ExprPtr ExpressionParser::parse_test(ExprPtr subject) {
  const Place place = current().place;
  advance();
  const bool negated = skip_name("not");
  ExprPtr expr = make_of(ExprKind::kTest, place, std::move(subject));
  expr->name = take_dotted_name();
  if (!is_known_test(expr->name)) unknown(fmt::format("No test named '{}'.", expr->name), place);
  const TokenKind kind = current().kind;
  const bool at_operand = kind == TokenKind::kName || kind == TokenKind::kString || kind == TokenKind::kInteger ||
                          kind == TokenKind::kFloat || at_operator("[") || at_operator("{");
  if (at_operator("(")) {
    expr->call = parse_call_arguments();
  } else if (at_operand && !at_any_name({"else", "or", "and"})) {
    if (at_name("is")) fail_here("tests cannot be chained with is");
    ExprPtr operand = parse_primary();
    expr->call.positional.push_back(parse_postfix(std::move(operand)));
  }
  measure(*expr);
  if (!negated) return expr;
  return make_of(ExprKind::kNot, place, std::move(expr));
}

void ExpressionParser::unknown(std::string message, Place place) {
  if (!inside_if_) unknown_.push_back({std::move(message), place});
}

void ExpressionParser::refuse_unknown() const {
  if (!unknown_.empty()) syntax_error(unknown_[0].message, name_, unknown_[0].place);
}

}  // namespace plumbline::jinja
