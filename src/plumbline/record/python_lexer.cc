#include "plumbline/record/python_lexer.h"

#include <array>
#include <cstdlib>

namespace plumbline {
namespace {

using Kind = PythonToken::Kind;
constexpr size_t kTabWidth = 8;
constexpr size_t kMaxIndents = 100;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_begin(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// Bytes beyond ASCII are name characters that we do not know.
bool is_name_char(char c) {
  return is_digit(c) || is_name_begin(c) || static_cast<unsigned char>(c) >= 0x80;
}
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool append_utf8(std::string& text, uint32_t point) {
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | (point >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | (point >> 18));
    tail(12), tail(6), tail(0);
  }
  return true;
}

}  // namespace

PythonToken PythonLexer::make(Kind kind, std::string_view text) const {
  PythonToken token;
  token.kind = kind;
  token.text = text;
  token.line = line_;
  return token;
}

PythonToken PythonLexer::bad(std::string_view reason) {
  at_ = source_.size();
  ended_ = true;
  pending_ = 0;
  indents_.clear();
  return make(Kind::kBad, reason);
}

bool PythonLexer::take(std::string_view token) {
  if (!source_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool PythonLexer::skip_blanks() {
  for (; !at_end(); ++at_) {
    const char c = peek();
    if (c == '\\') {
      if (peek(1) == '\r' && peek(2) == '\n') ++at_;
      if (peek(1) != '\n') return false;
      ++at_, ++line_;
    } else if (c == '#') {
      at_ = std::min(source_.find('\n', at_), source_.size()) - 1;
    } else if (c == '\n' && brackets_ > 0) {
      ++line_;
    } else if (c != ' ' && c != '\t' && c != '\f' && !(c == '\r' && (peek(1) == '\n' || at_ + 1 == source_.size()))) {
      return true;
    }
  }
  return true;
}

bool PythonLexer::measure_indent() {
  size_t width = 0;
  for (;; ++at_) {
    const char c = peek();
    if (c == ' ') {
      ++width;
    } else if (c == '\t') {
      width = (width / kTabWidth + 1) * kTabWidth;
    } else if (c == '\f') {
      width = 0;
    } else if (c == '\r' && peek(1) == '\n') {
      continue;
    } else if (c == '\n' && !at_end()) {
      width = 0, ++line_;
    } else if (c == '#') {
      at_ = std::min(source_.find('\n', at_), source_.size()) - 1;
    } else {
      break;
    }
  }
  line_begins_ = false;
  if (at_end()) return true;
  if (indents_.empty()) indents_.push_back(width);
  if (width > indents_.back()) {
    indents_.push_back(width);
    pending_ = 1;
    return indents_.size() <= kMaxIndents;
  }
  while (width < indents_.back()) {
    indents_.pop_back();
    --pending_;
    if (indents_.empty()) return false;
  }
  return width == indents_.back();
}

PythonToken PythonLexer::next() {
  if (line_begins_ && !measure_indent()) return bad("its indentation is inconsistent");
  if (pending_ > 0) return --pending_, make(Kind::kIndent);
  if (pending_ < 0) return ++pending_, make(Kind::kDedent);
  if (!skip_blanks()) return bad("it has a stray backslash");
  if (at_end()) {
    if (!ended_) {
      ended_ = true;
      pending_ = indents_.empty() ? 0 : 1 - static_cast<int>(indents_.size());
      return make(Kind::kNewline);
    }
    return make(Kind::kEnd);
  }
  const char c = peek();
  if (c == '\n') {
    const PythonToken token = make(Kind::kNewline);
    ++at_, ++line_;
    line_begins_ = true;
    return token;
  }
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  const bool prefixed = (c == 'r' || c == 'R' || c == 'u' || c == 'U') && (peek(1) == '\'' || peek(1) == '"');
  if (c == '\'' || c == '"' || prefixed) return string();
  if (is_name_begin(c)) {
    const size_t begin = at_;
    while (!at_end() && is_name_char(peek())) ++at_;
    const std::string_view name = source_.substr(begin, at_ - begin);
    if (peek() == '\'' || peek() == '"') return bad("it has bytes or an f-string");
    for (const char letter : name) {
      if (static_cast<unsigned char>(letter) >= 0x80) return bad("it has a name beyond ASCII");
    }
    return make(Kind::kName, name);
  }
  return operator_token();
}

PythonToken PythonLexer::operator_token() {
  static constexpr std::array<std::string_view, 45> kOperators = {
      "**=", "//=", ">>=", "<<=", "...", "!=", "==", "<=", ">=", "->", "**", "//", "+=", "-=", "*=",
      "/=",  "%=",  ":=",  "<<",  ">>",  "&=", "|=", "^=", "+",  "-",  "*",  "/",  "%",  "(",  ")",
      "[",   "]",   "{",   "}",   ",",   ":",  ".",  ";",  "@",  "=",  "<",  ">",  "&",  "|",  "^"};
  for (const std::string_view symbol : kOperators) {
    const size_t begin = at_;
    if (!take(symbol)) continue;
    const char c = symbol[0];
    if (c == '(' || c == '[' || c == '{') ++brackets_;
    if ((c == ')' || c == ']' || c == '}') && brackets_-- == 0) return bad("its brackets do not match");
    return make(Kind::kOperator, source_.substr(begin, symbol.size()));
  }
  return bad("it has a character that no test needs");
}

PythonToken PythonLexer::number() {
  std::string digits;
  bool is_float = false;
  for (; !at_end(); ++at_) {
    const char c = peek();
    const bool exponent = (c == 'e' || c == 'E') && !digits.empty();
    const bool sign = (c == '+' || c == '-') && (digits.ends_with('e') || digits.ends_with('E'));
    if (c == '_' && !digits.empty() && is_digit(digits.back()) && is_digit(peek(1))) continue;
    if (!is_digit(c) && c != '.' && !exponent && !sign) break;
    is_float |= !is_digit(c);
    digits += c;
  }
  if (is_name_char(peek())) return bad("it has a number that is not decimal");
  PythonToken token = make(Kind::kNumber);
  if (is_float) {
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (*end != '\0') return bad("it has a malformed number");
    token.value = PythonValue::of_float(value);
    return token;
  }
  const bool only_zeros = digits.find_first_not_of('0') == std::string::npos;
  if (digits[0] == '0' && !only_zeros) return bad("it has a number with leading zeros");
  token.value = PythonValue::of_int(only_zeros ? "0" : digits);
  return token;
}

PythonToken PythonLexer::string() {
  PythonToken token = make(Kind::kString);
  const bool raw = peek() == 'r' || peek() == 'R';
  if (peek() != '\'' && peek() != '"') ++at_;
  std::string text;
  if (!string_body(text, raw)) return bad("it has a string that is cut or has an unknown escape");
  token.value = PythonValue::of_str(std::move(text));
  return token;
}

bool PythonLexer::string_body(std::string& text, bool raw) {
  const char quote = peek();
  const std::string triple(3, quote);
  const std::string close = take(triple) ? triple : std::string(1, quote);
  if (close.size() == 1) ++at_;
  while (!at_end()) {
    if (take(close)) return true;
    const char c = source_[at_++];
    if (c == '\n') {
      if (close.size() == 1) return false;
      ++line_;
    }
    if (c == '\r' && close.size() == 3) {  // Python reads every line end as \n
      if (peek() == '\n') continue;
      text += '\n';
    } else if (c != '\\') {
      text += c;
    } else if (raw) {
      if (at_end() || peek() == '\r') return false;
      line_ += peek() == '\n';
      text += c;
      text += source_[at_++];
    } else if (!escape(text)) {
      return false;
    }
  }
  return false;
}

bool PythonLexer::escape(std::string& text) {
  static constexpr std::string_view kNames = "ntr\\'\"abfv", kMeanings = "\n\t\r\\'\"\a\b\f\v";
  if (at_end()) return false;
  const char c = source_[at_++];
  if (const size_t found = kNames.find(c); found != std::string_view::npos) {
    text += kMeanings[found];
    return true;
  }
  if (c == '\n') return ++line_, true;
  if (c == '\r') return false;
  if (c == 'x') return code_point(text, 2);
  if (c == 'u') return code_point(text, 4);
  if (c == 'U') return code_point(text, 8);
  if (c == 'N') return false;
  if (c >= '0' && c <= '7') {
    uint32_t point = static_cast<uint32_t>(c - '0');
    for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) {
      point = point * 8 + static_cast<uint32_t>(source_[at_++] - '0');
    }
    return append_utf8(text, point);
  }
  text += '\\';
  text += c;
  return true;
}

bool PythonLexer::code_point(std::string& text, int num_digits) {
  uint32_t point = 0;
  for (int i = 0; i < num_digits; ++i) {
    const int digit = hex_digit(peek());
    if (digit < 0) return false;
    point = point * 16 + static_cast<uint32_t>(digit);
    ++at_;
  }
  return append_utf8(text, point);
}

}  // namespace plumbline
