#include "plumbline/text/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plumbline/base/error.h"
#include "plumbline/text/jinja/python_string.h"
#include "plumbline/text/unicode.h"

namespace plumbline::jinja {
namespace {

/// Line ends as \n, and without the last one, as Jinja reads a template.
std::string normalize_newlines(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_character(char32_t c, bool is_first) {
  if (c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  if (c < 0x80) return !is_first && c >= '0' && c <= '9';
  return is_word(c) && !(is_first && is_numeric(c));
}

class Lexer {
 public:
  Lexer(std::string source, const std::string& name) : source_(std::move(source)), name_(name) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      const size_t open = find_open();
      if (open == std::string::npos) {
        add_text(source_.substr(at_), at_);
        break;
      }
      open_tag(open);
    }
    at_ = source_.size();
    add(TokenKind::kEnd, "", at_);
    return std::move(tokens_);
  }

 private:
  size_t find_open() const {
    for (size_t at = source_.find('{', at_); at != std::string::npos; at = source_.find('{', at + 1)) {
      if (at + 1 < source_.size() && std::string_view("{%#").find(source_[at + 1]) != std::string_view::npos) return at;
    }
    return std::string::npos;
  }

  Place place_of(size_t offset) {
    for (; counted_ < offset; ++counted_) {
      if (source_[counted_] == '\n') {
        ++line_;
        line_begin_ = counted_ + 1;
      }
    }
    return {line_, static_cast<int>(offset - line_begin_) + 1};
  }

  [[noreturn]] void fail_at(const std::string& message, size_t offset) {
    line_ = 1, line_begin_ = counted_ = 0;
    syntax_error(message, name_, place_of(std::min(offset, source_.size())));
  }

  void add(TokenKind kind, std::string value, size_t offset) {
    tokens_.push_back({kind, std::move(value), place_of(offset)});
  }
  void add_text(std::string text, size_t offset) {
    if (!text.empty()) add(TokenKind::kText, std::move(text), offset);
  }

  /// The text before a tag, without the white space that the tag's sign or lstrip_blocks takes.
  std::string text_before(size_t open, char sign, bool is_variable) const {
    std::string text = source_.substr(at_, open - at_);
    if (sign == '-') return python_rstrip(text);
    if (sign == '+' || is_variable) return text;
    const size_t newline = text.rfind('\n');
    const size_t line_begin = newline == std::string::npos ? 0 : newline + 1;
    if (line_begin == 0 && !line_starting_) return text;
    return python_rstrip(text.substr(line_begin)).empty() ? text.substr(0, line_begin) : text;
  }

  void open_tag(size_t open) {
    const char type = source_[open + 1];
    size_t inside = open + 2;
    const char sign =
        inside < source_.size() && (source_[inside] == '-' || source_[inside] == '+') ? source_[inside] : ' ';
    if (sign != ' ') ++inside;
    add_text(text_before(open, sign, type == '{'), at_);
    at_ = inside;
    if (type == '#') return comment(open);
    if (type == '%' && raw_block(open)) return;
    const bool is_variable = type == '{';
    add(is_variable ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, source_.substr(open, inside - open), open);
    expression(is_variable, open);
  }

  /// Moves behind the closing mark at `close` with the white space that its sign or trim_blocks takes.
  void close_tag(size_t close, size_t mark_size, bool trims_newline) {
    const bool minus = source_[close] == '-', plus = source_[close] == '+';
    at_ = close + mark_size + (minus || plus);
    if (minus) {
      at_ = skip_space(at_);
    } else if (!plus && trims_newline && at_ < source_.size() && source_[at_] == '\n') {
      ++at_;
    }
    line_starting_ = at_ > 0 && source_[at_ - 1] == '\n';
  }

  size_t skip_space(size_t at) const {
    while (at < source_.size()) {
      size_t behind = at;
      if (!is_python_space(next_code_point(source_, behind))) break;
      at = behind;
    }
    return at;
  }

  void comment(size_t open) {
    size_t close = source_.find("#}", at_);
    if (close == std::string::npos) fail_at("a comment without an end", open);
    if (close > at_ && (source_[close - 1] == '-' || source_[close - 1] == '+')) --close;
    close_tag(close, 2, true);
  }

  /// Where `word` and the end of its tag stand, if a tag of that word alone begins at `at`; npos otherwise.
  size_t end_of_word_tag(size_t at, std::string_view word) const {
    at = skip_space(at);
    if (source_.compare(at, word.size(), word) != 0) return std::string::npos;
    return skip_space(at + word.size());
  }

  bool raw_block(size_t open) {
    const size_t close = end_of_word_tag(at_, "raw");
    if (close == std::string::npos) return false;
    const bool minus = source_.compare(close, 3, "-%}") == 0;
    if (!minus && source_.compare(close, 2, "%}") != 0) return false;
    close_tag(close, 2, false);
    for (size_t end = source_.find("{%", at_); end != std::string::npos; end = source_.find("{%", end + 2)) {
      size_t inside = end + 2;
      const char sign = inside < source_.size() ? source_[inside] : ' ';
      if (sign == '-' || sign == '+') ++inside;
      const size_t end_close = end_of_word_tag(inside, "endraw");
      if (end_close == std::string::npos) continue;
      if (source_.compare(end_close, 2, "%}") != 0 && source_.compare(end_close, 3, "-%}") != 0 &&
          source_.compare(end_close, 3, "+%}") != 0) {
        continue;
      }
      add_text(text_before(end, sign, false), at_);
      close_tag(end_close, 2, true);
      return true;
    }
    fail_at("a raw block without an end", open);
  }

  /// Tokens up to and with the end of the tag.
  void expression(bool is_variable, size_t open) {
    const char* mark = is_variable ? "}}" : "%}";
    std::string brackets;  // that are open
    for (;;) {
      at_ = skip_space(at_);
      if (at_ >= source_.size()) fail_at("a tag without an end", open);
      if (brackets.empty()) {
        const bool signed_end =
            (source_[at_] == '-' || (source_[at_] == '+' && !is_variable)) && source_.compare(at_ + 1, 2, mark) == 0;
        if (signed_end || source_.compare(at_, 2, mark) == 0) {
          add(is_variable ? TokenKind::kVariableEnd : TokenKind::kBlockEnd, mark, at_);
          return close_tag(at_, 2, !is_variable);
        }
      }
      expression_token(brackets);
    }
  }

  void expression_token(std::string& brackets) {
    const char c = source_[at_];
    size_t behind = at_;
    if (is_digit(c)) {
      number();
    } else if (is_name_character(next_code_point(source_, behind), true)) {
      const size_t begin = at_;
      for (size_t next = at_; at_ < source_.size() && is_name_character(next_code_point(source_, next), false);)
        at_ = next;
      add(TokenKind::kName, source_.substr(begin, at_ - begin), begin);
    } else if (c == '\'' || c == '"') {
      string(c);
    } else {
      operator_token(brackets);
    }
  }

  void operator_token(std::string& brackets) {
    static constexpr std::array<std::string_view, 26> kOperators = {"**", "//", "==", "!=", ">=", "<=", "+", "-", "/",
                                                                    "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                                                    ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};
    const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                    [this](std::string_view op) { return source_.compare(at_, op.size(), op) == 0; });
    if (found == kOperators.end()) {
      fail_at(fmt::format("unexpected character {:?}", source_.substr(at_, utf8_length(source_[at_]))), at_);
    }
    const char c = source_[at_];
    if (c == '(' || c == '[' || c == '{') brackets += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c == ')' || c == ']' || c == '}') {
      if (brackets.empty() || brackets.back() != c) fail_at(fmt::format("unexpected '{}'", c), at_);
      brackets.pop_back();
    }
    add(TokenKind::kOperator, std::string(*found), at_);
    at_ += found->size();
  }

  std::string digits(size_t& at) const {
    std::string out;
    while (at < source_.size() &&
           (is_digit(source_[at]) || (source_[at] == '_' && at + 1 < source_.size() && is_digit(source_[at + 1])))) {
      if (source_[at] != '_') out += source_[at];
      ++at;
    }
    return out;
  }

  void number() {
    const size_t begin = at_;
    if (source_[at_] == '0' && at_ + 1 < source_.size() &&
        std::string_view("xXoObB").find(source_[at_ + 1]) != std::string_view::npos) {
      fail_at("numbers of base 2, 8 and 16 are not supported", at_);
    }
    std::string value = digits(at_);
    bool is_float = false;
    // After a dot digits are an attribute ("x.0.1"), never a fraction.
    const bool may_be_float = begin == 0 || source_[begin - 1] != '.';
    if (may_be_float && at_ + 1 < source_.size() && source_[at_] == '.' && is_digit(source_[at_ + 1])) {
      ++at_;
      value += '.' + digits(at_);
      is_float = true;
    }
    if (may_be_float && at_ < source_.size() && (source_[at_] == 'e' || source_[at_] == 'E')) {
      size_t exponent = at_ + 1;
      std::string sign;
      if (exponent < source_.size() && (source_[exponent] == '+' || source_[exponent] == '-'))
        sign = source_[exponent++];
      if (exponent < source_.size() && is_digit(source_[exponent])) {
        value += 'e' + sign + digits(exponent);
        at_ = exponent;
        is_float = true;
      }
    }
    add(is_float ? TokenKind::kFloat : TokenKind::kInteger, value, begin);
  }

  void string(char quote) {
    const size_t begin = at_++;
    std::string value;
    while (at_ < source_.size() && source_[at_] != quote) {
      if (source_[at_] == '\\') {
        escape(value);
      } else {
        value += source_[at_++];
      }
    }
    if (at_ >= source_.size()) fail_at("a string without an end", begin);
    ++at_;
    add(TokenKind::kString, std::move(value), begin);
  }

  /// Python's escapes; an unknown one stays as it is written.
  void escape(std::string& out) {
    if (at_ + 1 >= source_.size()) fail_at("a string without an end", at_);
    const char c = source_[at_ + 1];
    static constexpr std::string_view kNames = "abfnrtv\\'\"", kMeanings = "\a\b\f\n\r\t\v\\'\"";
    if (const size_t known = kNames.find(c); known != std::string_view::npos) {
      out += kMeanings[known];
      at_ += 2;
    } else if (c == '\n') {
      at_ += 2;
    } else if (c == 'x' || c == 'u' || c == 'U') {
      code_point(out, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    } else if (c >= '0' && c <= '7') {
      uint32_t code = 0;
      size_t end = at_ + 1;
      for (; end < at_ + 4 && end < source_.size() && source_[end] >= '0' && source_[end] <= '7'; ++end) {
        code = code * 8 + (source_[end] - '0');
      }
      append_utf8(out, code);
      at_ = end;
    } else if (c == 'N') {
      fail_at("the escape \\N is not supported", at_);
    } else {
      out += source_[at_++];
    }
  }

  void code_point(std::string& out, size_t num_digits) {
    uint32_t code = 0;
    for (size_t i = 0; i < num_digits; ++i) {
      const size_t at = at_ + 2 + i;
      const char c = at < source_.size() ? source_[at] : ' ';
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) fail_at("an escape with too few hexadecimal digits", at_);
      code = code * 16 + digit;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) fail_at("an escape that is no character", at_);
    append_utf8(out, code);
    at_ += 2 + num_digits;
  }

  std::string source_;
  const std::string& name_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  bool line_starting_ = true;
  size_t counted_ = 0, line_begin_ = 0;  // place_of goes forward only
  int line_ = 1;
};

}  // namespace

void syntax_error(const std::string& message, const std::string& name, Place place) {
  throw DataError("data.template_syntax", message,
                  fmt::format("{}, line {}, column {}", name, place.line, place.column),
                  "only the Jinja that chat templates use is known");
}

std::vector<Token> tokenize(std::string_view source, const std::string& name) {
  return Lexer(normalize_newlines(source), name).run();
}

}  // namespace plumbline::jinja
