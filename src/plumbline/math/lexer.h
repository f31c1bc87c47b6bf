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
  bool is_command = false;     ///< written with a backslash; of a text: \text{...}, not a plain word
  bool is_scientific = false;  ///< of a number: written "2.5e-3"; the text is 0.0025
};

/// Which runs of up to three letters behind a value are units where they name one, and not products of letters.
enum class UnitLetters {
  kNone,    ///< none: 5 cm is 5 times c times m
  kUsual,   ///< cm, kg, min and the like
  kSpaced,  ///< every known unit and every word of three letters that a space stands before: "3 m", "20 m/s", "7 men"
  kAll      ///< the same without the space: "3m"
};

/// One of the ways in which a text can be read.
struct MathReading {
  bool scientific = true;  ///< 2e-3 is 0.002; else 2 times Euler's e, less 3
  UnitLetters letters = UnitLetters::kUsual;
  bool slash_ends_at_factor = true;  ///< 1/2x is half of x; else 1 over 2x
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
TokenStream tokenize_math(std::string_view text, MathReading reading = {});

}  // namespace plumbline
