/// Plain and LaTeX mathematics as one stream of tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

enum class TokenKind {
  kNumber,    ///< digits with at most one point; thousands separators are gone
  kName,      ///< one letter, a LaTeX command or a known word, without backslash: "x", "frac", "sin"
  kText,      ///< the inside of \text{...} and the like
  kOperator,  ///< one of + - * / ^ _ ! % & , ; : = < > ( ) [ ] { } | and the words <= >= != \\ -> +-
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  size_t offset = 0;  ///< byte in the source
  bool space_before = false;
  bool is_command = false;  ///< written with a backslash; of a text: \text{...}, not a plain word
};

/// What cannot be read: where and why.
struct MathFailure {
  size_t offset = 0;
  std::string reason;
};

struct TokenStream {
  std::vector<Token> tokens;  ///< ends with kEnd
  std::optional<MathFailure> failure;
};

/// Math delimiters ($, \(, \[), sizes (\left, \big), spaces (\, \; \quad) and styles disappear.
TokenStream tokenize_math(std::string_view text);

}  // namespace plumbline
