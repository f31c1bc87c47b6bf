/// Tokens of the part of Python that tests are written in. Anything else (bytes, f-strings, hexadecimal and complex
/// numbers, names beyond ASCII, lone surrogates) is a kBad token: such a test stays code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/python_value.h"

namespace plumbline {

struct PythonToken {
  enum class Kind { kName, kNumber, kString, kOperator, kNewline, kIndent, kDedent, kEnd, kBad };
  Kind kind = Kind::kEnd;
  std::string_view text;  ///< names and operators, into the source; kBad: what is wrong
  PythonValue value;      ///< kNumber, kString (one piece)
  size_t line = 1;
};

/// Hands out one token after the other; after kEnd or kBad the same again. Line ends between brackets do not count. The
/// first statement may be indented; its indentation is the outermost. Borrows the source. Not thread-safe.
class PythonLexer {
 public:
  explicit PythonLexer(std::string_view source) : source_(source) {}
  PythonToken next();

 private:
  PythonToken make(PythonToken::Kind kind, std::string_view text = {}) const;
  PythonToken bad(std::string_view reason);
  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool at_end() const { return at_ >= source_.size(); }
  bool take(std::string_view token);
  /// Blanks, comments and, where they do not count, line ends. False for a stray backslash.
  bool skip_blanks();
  /// At the beginning of a line: sets pending_ to the indents (+) or dedents (-) to hand out. False when it fits none.
  bool measure_indent();
  PythonToken number();
  PythonToken string();
  bool string_body(std::string& text, bool raw);
  bool escape(std::string& text);
  bool code_point(std::string& text, int num_digits);
  PythonToken operator_token();

  std::string_view source_;
  size_t at_ = 0, line_ = 1;
  int brackets_ = 0;
  bool line_begins_ = true, ended_ = false;
  int pending_ = 0;
  std::vector<size_t> indents_;
};

}  // namespace plumbline
