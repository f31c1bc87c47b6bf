#include "plumbline/record/python_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plumbline/record/python_lexer.h"

namespace plumbline {
namespace {

using Expression = PythonExpression;
using Kind = PythonExpression::Kind;
using Statement = PythonStatement;
using TokenKind = PythonToken::Kind;
constexpr int kMaxDepth = 100;
constexpr int kMaxHeight = 200;
constexpr int kMaxBlocks = 20;

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool is_keyword(std::string_view name) {
  return std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
}

/// Thrown inside the parser only.
struct Unknown {
  size_t line;
  std::string what;
};

class Parser {
 public:
  explicit Parser(std::string_view source) : lexer_(source) { current_ = lexer_.next(), ahead_ = lexer_.next(); }

  std::vector<Statement> program() {
    std::vector<Statement> statements;
    while (current_.kind != TokenKind::kEnd) {
      if (current_.kind == TokenKind::kNewline || current_.kind == TokenKind::kDedent)
        advance();
      else
        statement(statements);
    }
    return statements;
  }

  Expression only_expression() {
    while (current_.kind == TokenKind::kNewline) advance();
    Expression result = expression();
    while (current_.kind == TokenKind::kNewline || current_.kind == TokenKind::kDedent) advance();
    if (current_.kind != TokenKind::kEnd) fail("text after the expression");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Unknown{current_.line, current_.kind == TokenKind::kBad ? std::string(current_.text) : what};
  }
  void advance() {
    if (current_.kind == TokenKind::kBad) fail("");
    current_ = std::move(ahead_);
    ahead_ = lexer_.next();
  }
  bool is_operator(std::string_view text) const {
    return current_.kind == TokenKind::kOperator && current_.text == text;
  }
  bool is_word(std::string_view text) const { return current_.kind == TokenKind::kName && current_.text == text; }
  bool take_operator(std::string_view text) { return is_operator(text) && (advance(), true); }
  bool take_word(std::string_view text) { return is_word(text) && (advance(), true); }
  void expect(std::string_view text) {
    if (!take_operator(text)) fail(fmt::format("'{}' was expected", text));
  }
  std::string identifier() {
    if (current_.kind != TokenKind::kName || is_keyword(current_.text)) fail("a name was expected");
    std::string name(current_.text);
    advance();
    return name;
  }
  Expression node(Kind kind, std::string name, std::vector<Expression> children, std::vector<std::string> names = {}) {
    Expression result = Expression::of(kind, std::move(name), std::move(children), std::move(names));
    if (result.depth > kMaxHeight) fail("an expression nested too deeply");
    return result;
  }

  // Statements.
  void statement(std::vector<Statement>& into);
  void simple_statement(std::vector<Statement>& into);
  Statement small_statement();
  Statement expression_or_assignment(Statement result);
  Statement import_statement(Statement result);
  Statement from_import(Statement result);
  Statement function_statement(Statement result);
  Statement class_statement(Statement result);
  Statement for_statement(Statement result);
  Statement with_statement(Statement result);
  Statement try_statement(Statement result);
  Statement if_statement(Statement result);
  std::vector<Statement> block();
  std::vector<std::string> targets(const Expression& expression);
  std::string dotted_name();

  // Expressions, loosest first.
  Expression expression_list();
  Expression expression();
  Expression disjunction();
  Expression conjunction();
  Expression inversion();
  Expression comparison();
  std::string comparison_operator();
  Expression sum();
  Expression term();
  Expression factor();
  Expression power();
  Expression postfix();
  Expression atom();
  Expression text();
  Expression call(Expression function);
  Expression bracketed();
  Expression braces();
  Expression comprehension(std::string open, Expression element);
  Expression display(Kind kind, std::vector<Expression> items);

  PythonLexer lexer_;
  PythonToken current_, ahead_;
  int depth_ = 0, blocks_ = 0;
};

void Parser::statement(std::vector<Statement>& into) {
  Statement result;
  result.line = current_.line;
  if (is_operator("@")) fail("decorators are not read");
  if (take_word("def")) return into.push_back(function_statement(std::move(result)));
  if (take_word("class")) return into.push_back(class_statement(std::move(result)));
  if (take_word("for")) return into.push_back(for_statement(std::move(result)));
  if (take_word("with")) return into.push_back(with_statement(std::move(result)));
  if (take_word("try")) return into.push_back(try_statement(std::move(result)));
  if (take_word("if")) return into.push_back(if_statement(std::move(result)));
  simple_statement(into);
}

void Parser::simple_statement(std::vector<Statement>& into) {
  do {
    into.push_back(small_statement());
  } while (take_operator(";") && current_.kind != TokenKind::kNewline);
  if (current_.kind != TokenKind::kNewline) fail("a statement of a kind that is not read as data");
  advance();
}

Statement Parser::small_statement() {
  Statement result;
  result.line = current_.line;
  if (take_word("pass")) return result;
  if (take_word("assert")) {
    result.kind = Statement::Kind::kAssert;
    result.expressions.push_back(expression());
    if (take_operator(",")) expression();
    return result;
  }
  if (take_word("import")) return import_statement(std::move(result));
  if (take_word("from")) return from_import(std::move(result));
  if (take_word("raise")) {
    result.kind = Statement::Kind::kRaise;
    result.expressions.push_back(expression());
    return result;
  }
  if (current_.kind == TokenKind::kName && is_keyword(current_.text) && !is_word("not") && !is_word("None") &&
      !is_word("True") && !is_word("False")) {
    fail(fmt::format("'{}' is not read as data", current_.text));
  }
  return expression_or_assignment(std::move(result));
}

Statement Parser::expression_or_assignment(Statement result) {
  Expression first = expression_list();
  if (take_operator(":")) {
    expression();  // an annotation
    if (!is_operator("=")) fail("an annotation without a value");
  }
  if (take_operator("=")) {
    result.kind = Statement::Kind::kAssign;
    result.names = targets(first);
    result.expressions.push_back(expression_list());
    if (is_operator("=")) fail("chained assignment is not read as data");
    return result;
  }
  result.kind = Statement::Kind::kExpression;
  result.expressions.push_back(std::move(first));
  return result;
}

std::vector<std::string> Parser::targets(const Expression& expression) {
  if (expression.is(Kind::kName)) return {expression.name};
  if (expression.is(Kind::kAttribute) && expression.children[0].is(Kind::kName)) {
    return {expression.children[0].name + "." + expression.name};
  }
  std::vector<std::string> names;
  if (!expression.is(Kind::kTuple)) fail("an assignment to something that is no plain name");
  for (const Expression& child : expression.children) {
    if (!child.is(Kind::kName)) fail("an assignment to something that is no plain name");
    names.push_back(child.name);
  }
  return names;
}

std::string Parser::dotted_name() {
  std::string name = identifier();
  while (take_operator(".")) name += "." + identifier();
  return name;
}

Statement Parser::import_statement(Statement result) {
  result.kind = Statement::Kind::kImport;
  do {
    const std::string origin = dotted_name();
    const std::string first = origin.substr(0, origin.find('.'));
    const bool renamed = take_word("as");
    result.names.push_back(renamed ? identifier() : first);
    result.names.push_back(renamed ? origin : first);
  } while (take_operator(","));
  return result;
}

Statement Parser::from_import(Statement result) {
  result.kind = Statement::Kind::kImport;
  const std::string module = dotted_name();
  if (!take_word("import")) fail("'import' was expected");
  if (take_operator("*")) return result;
  const bool brackets = take_operator("(");
  do {
    if (brackets && is_operator(")")) break;
    const std::string name = identifier();
    result.names.push_back(take_word("as") ? identifier() : name);
    result.names.push_back(module + "." + name);
  } while (take_operator(","));
  if (brackets) expect(")");
  return result;
}

std::vector<Statement> Parser::block() {
  expect(":");
  std::vector<Statement> body;
  if (current_.kind != TokenKind::kNewline) {
    simple_statement(body);
    return body;
  }
  while (current_.kind == TokenKind::kNewline) advance();
  if (current_.kind != TokenKind::kIndent) fail("an indented block was expected");
  if (++blocks_ > kMaxBlocks) fail("blocks nested too deeply");
  advance();
  while (current_.kind != TokenKind::kDedent && current_.kind != TokenKind::kEnd) {
    if (current_.kind == TokenKind::kNewline)
      advance();
    else
      statement(body);
  }
  if (current_.kind == TokenKind::kDedent) advance();
  --blocks_;
  return body;
}

Statement Parser::function_statement(Statement result) {
  result.kind = Statement::Kind::kFunction;
  result.name = identifier();
  expect("(");
  while (!take_operator(")")) {
    result.names.push_back(identifier());
    if (take_operator(":")) expression();
    if (!take_operator(",") && !is_operator(")")) fail("a parameter that is no plain name");
  }
  if (take_operator("->")) expression();
  result.body = block();
  return result;
}

Statement Parser::class_statement(Statement result) {
  result.kind = Statement::Kind::kClass;
  result.name = identifier();
  if (take_operator("(")) {
    while (!take_operator(")")) {
      result.expressions.push_back(expression());
      if (!take_operator(",") && !is_operator(")")) fail("a base class that is no plain name");
    }
  }
  result.body = block();
  return result;
}

Statement Parser::for_statement(Statement result) {
  result.kind = Statement::Kind::kFor;
  do {
    if (is_word("in")) break;
    const bool brackets = take_operator("(");
    do {
      result.names.push_back(identifier());
    } while (brackets && take_operator(","));
    if (brackets) expect(")");
  } while (take_operator(","));
  if (!take_word("in")) fail("a loop over something that is not read as data");
  result.expressions.push_back(expression_list());
  result.body = block();
  if (is_word("else")) fail("a loop with else is not read as data");
  return result;
}

Statement Parser::with_statement(Statement result) {
  result.kind = Statement::Kind::kWith;
  result.expressions.push_back(expression());
  if (take_word("as")) identifier();
  result.body = block();
  return result;
}

Statement Parser::try_statement(Statement result) {
  result.kind = Statement::Kind::kTry;
  result.body = block();
  while (take_word("except")) {
    if (is_operator(":")) {
      result.expressions.push_back(Expression::constant(PythonValue::none()));
    } else {
      result.expressions.push_back(expression());
      if (take_word("as")) identifier();
    }
    result.handlers.push_back(block());
  }
  if (take_word("else")) result.otherwise = block();
  if (is_word("finally") || result.handlers.empty()) fail("'finally' is not read as data");
  return result;
}

Statement Parser::if_statement(Statement result) {
  result.kind = Statement::Kind::kIf;
  result.expressions.push_back(expression());
  result.body = block();
  if (is_word("elif")) {
    if (++blocks_ > kMaxBlocks) fail("too many branches");
    Statement next;
    next.line = current_.line;
    advance();
    result.otherwise.push_back(if_statement(std::move(next)));
    --blocks_;
  } else if (take_word("else")) {
    result.otherwise = block();
  }
  return result;
}

Expression Parser::expression_list() {
  Expression first = expression();
  if (!is_operator(",")) return first;
  std::vector<Expression> items;
  items.push_back(std::move(first));
  while (take_operator(",")) {
    if (current_.kind == TokenKind::kNewline || is_operator("=")) break;
    items.push_back(expression());
  }
  return display(Kind::kTuple, std::move(items));
}

Expression Parser::expression() {
  if (++depth_ > kMaxDepth) fail("an expression nested too deeply");
  Expression result = disjunction();
  if (take_word("if")) {
    Expression condition = disjunction();
    if (!take_word("else")) fail("'else' was expected");
    Expression otherwise = expression();
    result = node(Kind::kConditional, "", {std::move(condition), std::move(result), std::move(otherwise)});
  }
  --depth_;
  return result;
}

Expression Parser::disjunction() {
  Expression first = conjunction();
  if (!is_word("or")) return first;
  std::vector<Expression> parts;
  parts.push_back(std::move(first));
  while (take_word("or")) parts.push_back(conjunction());
  return node(Kind::kOr, "", std::move(parts));
}

Expression Parser::conjunction() {
  Expression first = inversion();
  if (!is_word("and")) return first;
  std::vector<Expression> parts;
  parts.push_back(std::move(first));
  while (take_word("and")) parts.push_back(inversion());
  return node(Kind::kAnd, "", std::move(parts));
}

Expression Parser::inversion() {
  if (!take_word("not")) return comparison();
  if (++depth_ > kMaxDepth) fail("an expression nested too deeply");
  Expression operand = inversion();
  --depth_;
  return node(Kind::kUnary, "not", {std::move(operand)});
}

std::string Parser::comparison_operator() {
  for (const char* symbol : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (take_operator(symbol)) return symbol;
  }
  if (take_word("in")) return "in";
  if (take_word("is")) return take_word("not") ? "is not" : "is";
  if (is_word("not") && ahead_.kind == TokenKind::kName && ahead_.text == "in") {
    advance(), advance();
    return "not in";
  }
  return "";
}

Expression Parser::comparison() {
  Expression first = sum();
  std::string symbol = comparison_operator();
  if (symbol.empty()) return first;
  std::vector<Expression> operands;
  std::vector<std::string> symbols;
  operands.push_back(std::move(first));
  for (; !symbol.empty(); symbol = comparison_operator()) {
    symbols.push_back(symbol);
    operands.push_back(sum());
  }
  return node(Kind::kCompare, "", std::move(operands), std::move(symbols));
}

Expression Parser::sum() {
  Expression left = term();
  while (is_operator("+") || is_operator("-")) {
    std::string symbol(current_.text);
    advance();
    Expression right = term();
    left = node(Kind::kBinary, std::move(symbol), {std::move(left), std::move(right)});
  }
  return left;
}

Expression Parser::term() {
  Expression left = factor();
  while (is_operator("*") || is_operator("/") || is_operator("//") || is_operator("%")) {
    std::string symbol(current_.text);
    advance();
    Expression right = factor();
    left = node(Kind::kBinary, std::move(symbol), {std::move(left), std::move(right)});
  }
  return left;
}

/// A sign before a number makes another number at once: -1 is as much a constant as 1.
Expression Parser::factor() {
  const bool negative = is_operator("-");
  if (!negative && !is_operator("+")) return power();
  advance();
  if (++depth_ > kMaxDepth) fail("an expression nested too deeply");
  Expression operand = factor();
  --depth_;
  if (operand.is(Kind::kConstant) && operand.value.is(PythonValue::Kind::kFloat)) {
    if (negative) operand.value.real = -operand.value.real;
    return operand;
  }
  if (operand.is(Kind::kConstant) && operand.value.is(PythonValue::Kind::kInt)) {
    std::string& digits = operand.value.text;
    if (negative && digits != "0") digits = digits[0] == '-' ? digits.substr(1) : "-" + digits;
    return operand;
  }
  return node(Kind::kUnary, negative ? "-" : "+", {std::move(operand)});
}

Expression Parser::power() {
  Expression base = postfix();
  if (!take_operator("**")) return base;
  if (++depth_ > kMaxDepth) fail("an expression nested too deeply");
  Expression exponent = factor();
  --depth_;
  return node(Kind::kBinary, "**", {std::move(base), std::move(exponent)});
}

Expression Parser::postfix() {
  Expression result = atom();
  while (true) {
    if (take_operator("(")) {
      result = call(std::move(result));
    } else if (take_operator(".")) {
      result = node(Kind::kAttribute, identifier(), {std::move(result)});
    } else if (take_operator("[")) {
      Expression key = expression_list();
      expect("]");
      result = node(Kind::kSubscript, "", {std::move(result), std::move(key)});
    } else {
      return result;
    }
  }
}

Expression Parser::call(Expression function) {
  std::vector<Expression> children;
  std::vector<std::string> names;
  children.push_back(std::move(function));
  bool had_keyword = false;
  while (!take_operator(")")) {
    std::string name;
    if (take_operator("*")) {
      name = "*";
    } else if (current_.kind == TokenKind::kName && ahead_.kind == TokenKind::kOperator && ahead_.text == "=") {
      name = identifier();
      advance();
      if (std::find(names.begin(), names.end(), name) != names.end()) fail("a keyword stands twice");
      had_keyword = true;
    } else if (had_keyword) {
      fail("a positional argument after a keyword");
    }
    Expression argument = expression();
    if (is_word("for")) argument = comprehension("(", std::move(argument));
    names.push_back(std::move(name));
    children.push_back(std::move(argument));
    if (!take_operator(",") && !is_operator(")")) fail("an argument that is not read as data");
  }
  return node(Kind::kCall, "", std::move(children), std::move(names));
}

Expression Parser::atom() {
  if (current_.kind == TokenKind::kNumber) {
    Expression result = Expression::constant(std::move(current_.value));
    advance();
    return result;
  }
  if (current_.kind == TokenKind::kString) return text();
  if (take_word("None")) return Expression::constant(PythonValue::none());
  if (take_word("True")) return Expression::constant(PythonValue::of_bool(true));
  if (take_word("False")) return Expression::constant(PythonValue::of_bool(false));
  if (current_.kind == TokenKind::kName) return Expression::named(identifier());
  if (is_operator("(") || is_operator("[")) return bracketed();
  if (is_operator("{")) return braces();
  fail("an expression that is not read as data");
}

Expression Parser::text() {
  std::string joined;
  for (; current_.kind == TokenKind::kString; advance()) joined += current_.value.text;
  return Expression::constant(PythonValue::of_str(std::move(joined)));
}

Expression Parser::comprehension(std::string open, Expression element) {
  std::vector<Expression> children;
  std::vector<std::string> names;
  advance();
  const bool brackets = take_operator("(");
  do {
    names.push_back(identifier());
  } while (take_operator(","));
  if (brackets) expect(")");
  if (!take_word("in")) fail("'in' was expected");
  children.push_back(std::move(element));
  children.push_back(disjunction());
  while (take_word("if")) children.push_back(disjunction());
  if (is_word("for")) fail("a nested comprehension is not read as data");
  return node(Kind::kComprehension, std::move(open), std::move(children), std::move(names));
}

/// A display of constants is a constant: long lists would be expensive as trees.
Expression Parser::display(Kind kind, std::vector<Expression> items) {
  const bool constant =
      std::all_of(items.begin(), items.end(), [](const auto& item) { return item.is(Kind::kConstant); });
  const bool hashable = kind != Kind::kSet || std::all_of(items.begin(), items.end(),
                                                          [](const auto& item) { return is_hashable(item.value); });
  if (!constant) return node(kind, "", std::move(items));
  if (!hashable) fail("an element of a set that cannot be hashed");
  PythonValue value;
  value.kind = kind == Kind::kList    ? PythonValue::Kind::kList
               : kind == Kind::kTuple ? PythonValue::Kind::kTuple
                                      : PythonValue::Kind::kSet;
  value.items.reserve(items.size());
  for (Expression& item : items) value.items.push_back(std::move(item.value));
  drop_duplicates(value);
  return Expression::constant(std::move(value));
}

/// A list, a tuple, a group or a generator.
Expression Parser::bracketed() {
  const bool is_list = is_operator("[");
  const std::string_view close = is_list ? "]" : ")";
  advance();
  std::vector<Expression> items;
  bool had_comma = false;
  while (!take_operator(close)) {
    Expression item = expression();
    if (is_word("for") && items.empty()) {
      Expression result = comprehension(is_list ? "[" : "(", std::move(item));
      expect(close);
      return result;
    }
    items.push_back(std::move(item));
    if (take_operator(","))
      had_comma = true;
    else if (!is_operator(close))
      fail("an element that is not read as data");
  }
  if (!is_list && items.size() == 1 && !had_comma) return std::move(items[0]);
  return display(is_list ? Kind::kList : Kind::kTuple, std::move(items));
}

Expression Parser::braces() {
  advance();
  std::vector<Expression> items;
  bool is_dict = true;
  for (bool first = true; !take_operator("}"); first = false) {
    items.push_back(expression());
    const bool pair = take_operator(":");
    if (first) is_dict = pair;
    if (pair != is_dict) fail("a display that is neither dict nor set");
    if (pair) items.push_back(expression());
    if (first && !pair && is_word("for")) {
      Expression result = comprehension("{", std::move(items[0]));
      expect("}");
      return result;
    }
    if (!take_operator(",") && !is_operator("}")) fail("an element that is not read as data");
  }
  if (!is_dict) return display(Kind::kSet, std::move(items));
  PythonValue value;
  value.kind = PythonValue::Kind::kDict;
  for (const Expression& item : items) {
    if (!item.is(Kind::kConstant)) return node(Kind::kDict, "", std::move(items));
  }
  for (size_t i = 0; i < items.size(); i += 2) {
    if (!is_hashable(items[i].value)) fail("a key that cannot be hashed");
    value.entries.emplace_back(std::move(items[i].value), std::move(items[i + 1].value));
  }
  drop_duplicates(value);
  return Expression::constant(std::move(value));
}

}  // namespace

std::optional<std::vector<PythonStatement>> parse_python_program(std::string_view source, std::string* reason) {
  try {
    return Parser(source).program();
  } catch (const Unknown& unknown) {
    *reason = fmt::format("line {}: {}", unknown.line, unknown.what);
    return std::nullopt;
  }
}

std::optional<PythonExpression> parse_python_expression(std::string_view source) {
  try {
    return Parser(source).only_expression();
  } catch (const Unknown&) {
    return std::nullopt;
  }
}

}  // namespace plumbline
