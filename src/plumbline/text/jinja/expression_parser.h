/// The expression half of the parser.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumbline/text/jinja/ast.h"
#include "plumbline/text/jinja/token_stream.h"

namespace plumbline::jinja {

class ExpressionParser : public TokenStream {
 public:
  using TokenStream::TokenStream;

 protected:
  /// Bounds the recursion of the parser.
  struct Nesting {
    explicit Nesting(ExpressionParser& owner);
    ~Nesting() { --parser.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ExpressionParser& parser;
  };

  ExprPtr make(ExprKind kind, Place place, std::vector<ExprPtr> parts = {}) const;
  void measure(Expr& expr) const;
  ExprPtr constant(Value value, Place place) const;
  ExprPtr parse_expression(bool with_conditional = true);
  ExprPtr parse_conditional();
  ExprPtr parse_or();
  ExprPtr parse_and();
  ExprPtr parse_not();
  /// The comparison operator that stands here, taken; empty when there is none.
  std::string take_comparison();
  ExprPtr parse_compare();
  /// A level of left-associative binary operators.
  ExprPtr parse_binary(std::initializer_list<const char*> operators, ExprPtr (ExpressionParser::*operand)());
  ExprPtr parse_sum();
  ExprPtr parse_product();
  ExprPtr parse_power();
  ExprPtr parse_filtered_unary();
  ExprPtr parse_concat();
  ExprPtr parse_unary(bool with_filters);
  ExprPtr parse_primary();
  ExprPtr name_or_constant(const Token& token);
  int64_t integer(const Token& token) const;
  ExprPtr parse_list();
  ExprPtr parse_dict();
  bool at_tuple_end() const;
  /// One expression, or a tuple where commas follow.
  ExprPtr parse_tuple(bool with_conditional, bool in_parentheses);
  ExprPtr parse_postfix(ExprPtr expr);
  ExprPtr parse_call(ExprPtr callee);
  ExprPtr parse_attribute(ExprPtr object);
  ExprPtr parse_subscript(ExprPtr object);
  CallArguments parse_call_arguments();
  ExprPtr parse_filters_and_tests(ExprPtr expr);
  std::string take_dotted_name();
  /// The name stands here; the bar before it is taken.
  ExprPtr parse_filter(ExprPtr subject);
  ExprPtr parse_test(ExprPtr subject);
  /// Refused at the end of the statement, unless an `if` around it makes it an error of the rendering.
  void unknown(std::string message, Place place);
  void refuse_unknown() const;

  template <typename... Parts>
  ExprPtr make_of(ExprKind kind, Place place, Parts... parts) const {
    std::vector<ExprPtr> list;
    (list.push_back(std::move(parts)), ...);
    return make(kind, place, std::move(list));
  }

  struct Unknown {
    std::string message;
    Place place;
  };

  int nesting_ = 0;
  bool inside_if_ = false;  ///< the innermost construct with a scope or an `if` is an `if`
  std::vector<Unknown> unknown_;
};

}  // namespace plumbline::jinja
