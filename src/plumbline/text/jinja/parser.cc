#include "plumbline/text/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "plumbline/text/jinja/filters.h"
#include "plumbline/text/jinja/tests.h"

namespace plumbline::jinja {
namespace {

constexpr int kMaxHeight = 200;   // of an expression
constexpr int kMaxNesting = 150;  // of brackets, unary operators and blocks, while parsing

/// Names that a macro may use without declaring them.
struct MacroNames {
  bool caller = false, varargs = false, kwargs = false;
};

class Parser {
 public:
  Parser(std::vector<Token> tokens, const std::string& name) : tokens_(std::move(tokens)), name_(name) {}

  Body run() {
    Body body = parse_body({});
    if (!current().value.empty() || current().kind != TokenKind::kEnd) fail_here("unexpected text");
    return body;
  }

 private:
  // --- tokens ---

  const Token& current() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  void advance() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }

  [[noreturn]] void fail_here(const std::string& message) const { syntax_error(message, name_, current().place); }

  bool at_operator(std::string_view op) const {
    return current().kind == TokenKind::kOperator && current().value == op;
  }
  bool at_name(std::string_view word) const { return current().kind == TokenKind::kName && current().value == word; }
  bool at_any_name(std::initializer_list<const char*> words) const {
    return std::any_of(words.begin(), words.end(), [this](const char* word) { return at_name(word); });
  }
  bool skip_operator(std::string_view op) { return at_operator(op) && (advance(), true); }
  bool skip_name(std::string_view word) { return at_name(word) && (advance(), true); }

  std::string found() const {
    switch (current().kind) {
      case TokenKind::kEnd:
        return "the end of the template";
      case TokenKind::kBlockEnd:
      case TokenKind::kVariableEnd:
        return "the end of the tag";
      default:
        return fmt::format("'{}'", current().value);
    }
  }
  void expect_operator(std::string_view op) {
    if (!skip_operator(op)) fail_here(fmt::format("expected '{}', found {}", op, found()));
  }
  void expect_name(std::string_view word) {
    if (!skip_name(word)) fail_here(fmt::format("expected '{}', found {}", word, found()));
  }
  void expect_kind(TokenKind kind, const char* what) {
    if (current().kind != kind) fail_here(fmt::format("expected {}, found {}", what, found()));
    advance();
  }
  std::string take_name() {
    if (current().kind != TokenKind::kName) fail_here(fmt::format("expected a name, found {}", found()));
    std::string word = current().value;
    advance();
    return word;
  }

  /// Bounds the recursion of the parser.
  struct Nesting {
    explicit Nesting(Parser& owner) : parser(owner) {
      if (++parser.nesting_ > kMaxNesting) parser.fail_here("nested too deeply");
    }
    ~Nesting() { --parser.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser;
  };

  /// Sets a member for as long as a block is being parsed.
  template <typename T>
  struct Saved {
    Saved(T& held, T value) : member(held), before(held) { member = value; }
    ~Saved() { member = before; }
    Saved(const Saved&) = delete;
    Saved& operator=(const Saved&) = delete;
    T& member;
    T before;
  };

  // --- expressions ---

  ExprPtr make(ExprKind kind, Place place, std::vector<ExprPtr> parts = {}) const {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->place = place;
    expr->parts = std::move(parts);
    measure(*expr);
    return expr;
  }
  template <typename... Parts>
  ExprPtr make_of(ExprKind kind, Place place, Parts... parts) const {
    std::vector<ExprPtr> list;
    (list.push_back(std::move(parts)), ...);
    return make(kind, place, std::move(list));
  }
  void measure(Expr& expr) const {
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
  ExprPtr constant(Value value, Place place) const {
    ExprPtr expr = make(ExprKind::kConstant, place);
    expr->constant = std::move(value);
    return expr;
  }

  ExprPtr parse_expression(bool with_conditional = true) {
    const Nesting nesting(*this);
    return with_conditional ? parse_conditional() : parse_or();
  }

  ExprPtr parse_conditional() {
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

  ExprPtr parse_or() {
    ExprPtr left = parse_and();
    while (at_name("or")) {
      const Place place = current().place;
      advance();
      ExprPtr right = parse_and();
      left = make_of(ExprKind::kOr, place, std::move(left), std::move(right));
    }
    return left;
  }

  ExprPtr parse_and() {
    ExprPtr left = parse_not();
    while (at_name("and")) {
      const Place place = current().place;
      advance();
      ExprPtr right = parse_not();
      left = make_of(ExprKind::kAnd, place, std::move(left), std::move(right));
    }
    return left;
  }

  ExprPtr parse_not() {
    if (!at_name("not")) return parse_compare();
    const Nesting nesting(*this);
    const Place place = current().place;
    advance();
    return make_of(ExprKind::kNot, place, parse_not());
  }

  /// The comparison operator that stands here, taken; empty when there is none.
  std::string take_comparison() {
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

  ExprPtr parse_compare() {
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

  /// A level of left-associative binary operators.
  ExprPtr parse_binary(std::initializer_list<const char*> operators, ExprPtr (Parser::*operand)()) {
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
  ExprPtr parse_sum() { return parse_binary({"+", "-"}, &Parser::parse_concat); }
  ExprPtr parse_product() { return parse_binary({"*", "/", "//", "%"}, &Parser::parse_power); }
  ExprPtr parse_power() { return parse_binary({"**"}, &Parser::parse_filtered_unary); }
  ExprPtr parse_filtered_unary() { return parse_unary(true); }

  ExprPtr parse_concat() {
    const Place place = current().place;
    std::vector<ExprPtr> parts;
    parts.push_back(parse_product());
    while (skip_operator("~")) parts.push_back(parse_product());
    if (parts.size() == 1) return std::move(parts[0]);
    return make(ExprKind::kConcat, place, std::move(parts));
  }

  ExprPtr parse_unary(bool with_filters) {
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

  ExprPtr parse_primary() {
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

  ExprPtr name_or_constant(const Token& token) {
    if (token.value == "true" || token.value == "True") return constant(Value(true), token.place);
    if (token.value == "false" || token.value == "False") return constant(Value(false), token.place);
    if (token.value == "none" || token.value == "None") return constant(Value(), token.place);
    if (macro_names_) {
      macro_names_->caller |= token.value == "caller";
      macro_names_->varargs |= token.value == "varargs";
      macro_names_->kwargs |= token.value == "kwargs";
    }
    ExprPtr expr = make(ExprKind::kName, token.place);
    expr->name = token.value;
    return expr;
  }

  int64_t integer(const Token& token) const {
    int64_t value = 0;
    const char* end = token.value.data() + token.value.size();
    if (std::from_chars(token.value.data(), end, value).ec != std::errc()) {
      syntax_error("an integer beyond 64 bits", name_, token.place);
    }
    return value;
  }

  ExprPtr parse_list() {
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

  ExprPtr parse_dict() {
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

  bool at_tuple_end() const {
    return current().kind == TokenKind::kVariableEnd || current().kind == TokenKind::kBlockEnd || at_operator(")") ||
           at_name("in") || at_name("recursive");
  }

  /// One expression, or a tuple where commas follow.
  ExprPtr parse_tuple(bool with_conditional, bool in_parentheses) {
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

  ExprPtr parse_postfix(ExprPtr expr) {
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

  ExprPtr parse_call(ExprPtr callee) {
    const Place place = current().place;
    ExprPtr expr = make_of(ExprKind::kCall, place, std::move(callee));
    expr->call = parse_call_arguments();
    measure(*expr);
    return expr;
  }

  ExprPtr parse_attribute(ExprPtr object) {
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

  ExprPtr parse_subscript(ExprPtr object) {
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

  CallArguments parse_call_arguments() {
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

  ExprPtr parse_filters_and_tests(ExprPtr expr) {
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

  std::string take_dotted_name() {
    std::string word = take_name();
    while (skip_operator(".")) word += "." + take_name();
    return word;
  }

  /// The name stands here; the bar before it is taken.
  ExprPtr parse_filter(ExprPtr subject) {
    const Place place = current().place;
    ExprPtr expr = make_of(ExprKind::kFilter, place, std::move(subject));
    expr->name = take_dotted_name();
    if (!is_known_filter(expr->name)) unknown(fmt::format("No filter named '{}'.", expr->name), place);
    if (at_operator("(")) expr->call = parse_call_arguments();
    measure(*expr);
    return expr;
  }

  ExprPtr parse_test(ExprPtr subject) {
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

  // --- unknown filters and tests ---

  struct Unknown {
    std::string message;
    Place place;
  };

  /// Refused at the end of the statement, unless an `if` around it makes it an error of the rendering.
  void unknown(std::string message, Place place) {
    if (!inside_if_) unknown_.push_back({std::move(message), place});
  }
  void refuse_unknown() const {
    if (!unknown_.empty()) syntax_error(unknown_[0].message, name_, unknown_[0].place);
  }

  // --- statements ---

  /// Statements up to the tag that begins with one of `ends`, whose name is the current token then.
  Body parse_body(std::initializer_list<const char*> ends) {
    const Nesting nesting(*this);
    Body body;
    for (;;) {
      switch (current().kind) {
        case TokenKind::kText:
          body.push_back(make_statement(StatementKind::kText));
          body.back()->text = current().value;
          advance();
          break;
        case TokenKind::kVariableBegin:
          body.push_back(make_statement(StatementKind::kOutput));
          advance();
          body.back()->value = parse_tuple(true, false);
          expect_kind(TokenKind::kVariableEnd, "the end of the tag");
          break;
        case TokenKind::kBlockBegin:
          advance();
          if (at_any_name(ends)) return body;
          body.push_back(parse_statement());
          break;
        default:
          if (ends.size() > 0) fail_here(fmt::format("expected '{}', found {}", *(ends.end() - 1), found()));
          return body;
      }
      refuse_unknown();
    }
  }

  std::unique_ptr<Statement> make_statement(StatementKind kind) const {
    auto statement = std::make_unique<Statement>();
    statement->kind = kind;
    statement->place = current().place;
    return statement;
  }

  void end_of_tag() { expect_kind(TokenKind::kBlockEnd, "the end of the tag"); }

  /// A body in a scope of its own up to `end`, whose tag is taken too.
  Body parse_scoped_body(const char* end) {
    const Saved saved(inside_if_, false);
    end_of_tag();
    Body body = parse_body({end});
    expect_name(end);
    return body;
  }

  std::unique_ptr<Statement> parse_statement() {
    const Token tag = current();
    if (tag.kind != TokenKind::kName) fail_here(fmt::format("expected the name of a tag, found {}", found()));
    advance();
    std::unique_ptr<Statement> statement;
    if (tag.value == "if") {
      statement = parse_if();
    } else if (tag.value == "for") {
      statement = parse_for();
    } else if (tag.value == "set") {
      statement = parse_set();
    } else if (tag.value == "macro") {
      statement = parse_macro();
    } else if (tag.value == "call") {
      statement = parse_call_block();
    } else if (tag.value == "filter") {
      statement = make_statement(StatementKind::kFilterBlock);
      statement->value = parse_filter_chain();
      statement->body = parse_scoped_body("endfilter");
    } else if (tag.value == "with") {
      statement = parse_with();
    } else if (tag.value == "generation") {
      statement = make_statement(StatementKind::kScope);
      statement->body = parse_scoped_body("endgeneration");
    } else if (tag.value == "break" || tag.value == "continue") {
      if (loop_depth_ == 0) syntax_error(fmt::format("'{}' outside a loop", tag.value), name_, tag.place);
      statement = make_statement(tag.value == "break" ? StatementKind::kBreak : StatementKind::kContinue);
    } else {
      syntax_error(fmt::format("unknown tag '{}'", tag.value), name_, tag.place);
    }
    statement->place = tag.place;
    end_of_tag();
    return statement;
  }

  std::unique_ptr<Statement> parse_if() {
    auto statement = make_statement(StatementKind::kIf);
    const Saved saved(inside_if_, true);
    for (;;) {
      ExprPtr test = parse_tuple(false, false);
      end_of_tag();
      Body body = parse_body({"elif", "else", "endif"});
      statement->branches.push_back({std::move(test), std::move(body)});
      if (!skip_name("elif")) break;
    }
    if (skip_name("else")) {
      end_of_tag();
      statement->else_body = parse_body({"endif"});
    }
    expect_name("endif");
    return statement;
  }

  ExprPtr parse_target(bool with_namespace) {
    const Place place = current().place;
    std::vector<ExprPtr> names;
    bool is_tuple = false;
    const bool in_parentheses = skip_operator("(");
    for (;;) {
      const Token token = current();
      ExprPtr target = make(ExprKind::kName, token.place);
      target->name = take_name();
      for (const char* reserved : {"true", "false", "none", "True", "False", "None"}) {
        if (target->name == reserved) syntax_error(fmt::format("cannot assign to '{}'", reserved), name_, token.place);
      }
      if (with_namespace && skip_operator(".")) {
        target = make_of(ExprKind::kAttribute, token.place, std::move(target));
        target->name = take_name();
      }
      names.push_back(std::move(target));
      if (!skip_operator(",")) break;
      is_tuple = true;
      if (current().kind != TokenKind::kName || at_name("in")) break;
    }
    if (in_parentheses) expect_operator(")");
    if (!is_tuple) return std::move(names[0]);
    return make(ExprKind::kTuple, place, std::move(names));
  }

  std::unique_ptr<Statement> parse_for() {
    auto statement = make_statement(StatementKind::kFor);
    statement->target = parse_target(false);
    expect_name("in");
    statement->value = parse_tuple(false, false);
    const Saved saved(inside_if_, false);
    if (skip_name("if")) statement->test = parse_expression();
    statement->recursive = skip_name("recursive");
    end_of_tag();
    ++loop_depth_;
    statement->body = parse_body({"else", "endfor"});
    --loop_depth_;
    if (skip_name("else")) {
      end_of_tag();
      statement->else_body = parse_body({"endfor"});
    }
    expect_name("endfor");
    return statement;
  }

  /// "upper | trim" applied to what a block renders.
  ExprPtr parse_filter_chain() {
    ExprPtr expr = parse_filter(nullptr);
    while (skip_operator("|")) expr = parse_filter(std::move(expr));
    return expr;
  }

  std::unique_ptr<Statement> parse_set() {
    auto statement = make_statement(StatementKind::kSet);
    statement->target = parse_target(true);
    if (skip_operator("=")) {
      statement->value = parse_tuple(true, false);
      return statement;
    }
    statement->kind = StatementKind::kSetBlock;
    if (skip_operator("|")) statement->value = parse_filter_chain();
    statement->body = parse_scoped_body("endset");
    return statement;
  }

  std::vector<Parameter> parse_parameters() {
    std::vector<Parameter> parameters;
    expect_operator("(");
    while (!at_operator(")")) {
      if (!parameters.empty()) expect_operator(",");
      Parameter parameter{take_name(), nullptr};
      if (skip_operator("=")) {
        parameter.otherwise = parse_expression();
      } else if (!parameters.empty() && parameters.back().otherwise) {
        fail_here("a parameter without a default behind one with a default");
      }
      parameters.push_back(std::move(parameter));
    }
    expect_operator(")");
    return parameters;
  }

  /// The body of a macro or of a call block, with the special names that it uses.
  void parse_macro_body(Statement& statement, const char* end) {
    MacroNames names;
    const Saved<MacroNames*> saved(macro_names_, &names);
    const Saved saved_depth(loop_depth_, 0);
    statement.body = parse_scoped_body(end);
    statement.uses_caller = names.caller;
    statement.uses_varargs = names.varargs;
    statement.uses_kwargs = names.kwargs;
  }

  std::unique_ptr<Statement> parse_macro() {
    auto statement = make_statement(StatementKind::kMacro);
    statement->text = take_name();
    statement->parameters = parse_parameters();
    parse_macro_body(*statement, "endmacro");
    return statement;
  }

  std::unique_ptr<Statement> parse_call_block() {
    auto statement = make_statement(StatementKind::kCallBlock);
    if (at_operator("(")) statement->parameters = parse_parameters();
    statement->value = parse_expression();
    if (statement->value->kind != ExprKind::kCall) fail_here("expected a call");
    parse_macro_body(*statement, "endcall");
    return statement;
  }

  std::unique_ptr<Statement> parse_with() {
    auto statement = make_statement(StatementKind::kWith);
    while (current().kind != TokenKind::kBlockEnd) {
      if (!statement->assignments.empty()) expect_operator(",");
      ExprPtr target = parse_target(false);
      expect_operator("=");
      statement->assignments.emplace_back(std::move(target), parse_expression());
    }
    statement->body = parse_scoped_body("endwith");
    return statement;
  }

  std::vector<Token> tokens_;
  const std::string& name_;
  size_t at_ = 0;
  int nesting_ = 0, loop_depth_ = 0;
  bool inside_if_ = false;  ///< the innermost construct with a scope or an `if` is an `if`
  MacroNames* macro_names_ = nullptr;
  std::vector<Unknown> unknown_;
};

}  // namespace

Body parse_template(const std::string& source, const std::string& name) {
  return Parser(tokenize(source, name), name).run();
}

}  // namespace plumbline::jinja
