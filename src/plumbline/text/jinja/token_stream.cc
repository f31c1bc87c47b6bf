#include "plumbline/text/jinja/token_stream.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::jinja {

const Token& TokenStream::current() const {
  return tokens_[at_];
}

const Token& TokenStream::ahead() const {
  return tokens_[std::min(at_ + 1, tokens_.size() - 1)];
}

void TokenStream::advance() {
  if (at_ + 1 < tokens_.size()) ++at_;
}

void TokenStream::fail_here(const std::string& message) const {
  syntax_error(message, name_, current().place);
}

bool TokenStream::at_operator(std::string_view op) const {
  return current().kind == TokenKind::kOperator && current().value == op;
}

bool TokenStream::at_name(std::string_view word) const {
  return current().kind == TokenKind::kName && current().value == word;
}

bool TokenStream::at_any_name(std::initializer_list<const char*> words) const {
  return std::any_of(words.begin(), words.end(), [this](const char* word) { return at_name(word); });
}

bool TokenStream::skip_operator(std::string_view op) {
  return at_operator(op) && (advance(), true);
}

bool TokenStream::skip_name(std::string_view word) {
  return at_name(word) && (advance(), true);
}

std::string TokenStream::found() const {
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

void TokenStream::expect_operator(std::string_view op) {
  if (!skip_operator(op)) fail_here(fmt::format("expected '{}', found {}", op, found()));
}

void TokenStream::expect_name(std::string_view word) {
  if (!skip_name(word)) fail_here(fmt::format("expected '{}', found {}", word, found()));
}

void TokenStream::expect_kind(TokenKind kind, const char* what) {
  if (current().kind != kind) fail_here(fmt::format("expected {}, found {}", what, found()));
  advance();
}

std::string TokenStream::take_name() {
  if (current().kind != TokenKind::kName) fail_here(fmt::format("expected a name, found {}", found()));
  std::string word = current().value;
  advance();
  return word;
}

}  // namespace plumbline::jinja
