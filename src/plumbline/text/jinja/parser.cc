#include "plumbline/text/jinja/parser.h"

#include <fmt/format.h>

#include <initializer_list>

#include "plumbline/text/jinja/expression_parser.h"
#include "plumbline/text/jinja/name_scopes.h"

namespace plumbline::jinja {
namespace {

/// The statement half.
class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Body run() {
    Body body = parse_body({});
    if (current().kind != TokenKind::kEnd) fail_here("unexpected text");
    return body;
  }

 private:
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
      statement = make_statement(StatementKind::kGeneration);
      parse_macro_body(*statement, "endgeneration");
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
    // Jinja makes a function of a recursive loop, so that its `else` is in no loop.
    const Saved saved_depth(loop_depth_, statement->recursive ? 0 : loop_depth_);
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

  /// The body of what Jinja makes a function of: a loop outside cannot be left from it.
  void parse_macro_body(Statement& statement, const char* end) {
    const Saved saved_depth(loop_depth_, 0);
    statement.body = parse_scoped_body(end);
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

  int loop_depth_ = 0;
};

}  // namespace

Template parse_template(const std::string& source, const std::string& name) {
  Template parsed{Parser(tokenize(source, name), name).run(), {}};
  resolve_names(parsed, name);
  return parsed;
}

}  // namespace plumbline::jinja
