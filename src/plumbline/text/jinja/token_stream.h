/// The tokens of a template, one after the other, for a recursive-descent parser.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/text/jinja/lexer.h"

namespace plumbline::jinja {

/// The last token (kEnd) is never passed.
class TokenStream {
 public:
  /// `name` must outlive the stream; it goes into errors.
  TokenStream(std::vector<Token> tokens, const std::string& name) : tokens_(std::move(tokens)), name_(name) {}

 protected:
  const Token& current() const;
  const Token& ahead() const;
  void advance();
  [[noreturn]] void fail_here(const std::string& message) const;
  bool at_operator(std::string_view op) const;
  bool at_name(std::string_view word) const;
  bool at_any_name(std::initializer_list<const char*> words) const;
  bool skip_operator(std::string_view op);
  bool skip_name(std::string_view word);
  std::string found() const;
  void expect_operator(std::string_view op);
  void expect_name(std::string_view word);
  void expect_kind(TokenKind kind, const char* what);
  std::string take_name();

  std::vector<Token> tokens_;
  const std::string& name_;
  size_t at_ = 0;
};

}  // namespace plumbline::jinja
