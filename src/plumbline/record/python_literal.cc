#include "plumbline/record/python_literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;
using Parsed = std::optional<PythonValue>;
constexpr int kMaxDepth = 100;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_char(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
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

/// Recursive descent over the text. Every method returns unset (or false) for what it does not know, and then the
/// whole text is no literal: there is no recovery.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}

  Parsed whole_literal() {
    skip_blanks(true);
    Parsed result = value();
    skip_blanks(true);
    return at_end() ? std::move(result) : std::nullopt;
  }

  /// One assert statement up to the end of its line.
  std::optional<TestCase> assert_statement(std::string_view entry_point) {
    if (!word("assert")) return std::nullopt;
    std::optional<TestCase> test = call(entry_point);
    if (!test || !(blank_then("=="))) return std::nullopt;
    Parsed expected = spaced_value();
    if (!expected) return std::nullopt;
    test->expected = std::move(*expected);
    if (blank_then(",")) {
      const Parsed message = spaced_value();
      if (!message || !message->is(Kind::kStr)) return std::nullopt;
    }
    return end_of_statement() ? std::move(test) : std::nullopt;
  }

  bool at_end() const { return at_ == text_.size(); }

  /// Blanks, and between brackets (or statements) line ends and comments too.
  void skip_blanks(bool lines) {
    for (; !at_end(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && text_.substr(at_).starts_with("\\\n")) {
        ++at_;
      } else if (lines && c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (!(c == ' ' || c == '\t' || c == '\f' || (lines && (c == '\n' || c == '\r')))) {
        return;
      }
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  /// A keyword or name, not the beginning of a longer one.
  bool word(std::string_view name) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(name) || (rest.size() > name.size() && is_name_char(rest[name.size()]))) return false;
    at_ += name.size();
    return true;
  }
  bool blank_then(std::string_view token) {
    const size_t before = at_;
    skip_blanks(depth_ > 0);
    if (take(token)) return true;
    at_ = before;
    return false;
  }
  Parsed spaced_value() {
    skip_blanks(depth_ > 0);
    return value();
  }
  bool end_of_statement() {
    skip_blanks(false);
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    return at_end() || take("\n") || take("\r\n") || take(";");
  }

  std::optional<TestCase> call(std::string_view entry_point);
  bool argument(TestCase& test);
  Parsed value();
  Parsed name_value();
  Parsed number();
  Parsed string();
  bool string_piece(std::string& text);
  bool escape(std::string& text);
  bool code_point(std::string& text, int num_digits);
  Parsed bracketed();
  Parsed tuple_or_group();
  Parsed list();
  Parsed dict_or_set();
  bool elements(std::string_view close, std::vector<PythonValue>& items, bool& had_comma);
  Parsed infinity_or_nan();
  Parsed constructor();

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

std::optional<TestCase> LiteralParser::call(std::string_view entry_point) {
  skip_blanks(false);
  if (!take(entry_point) || !blank_then("(")) return std::nullopt;
  TestCase test;
  ++depth_;
  while (!blank_then(")")) {
    if (!argument(test)) return std::nullopt;
    if (blank_then(",")) continue;
    if (!blank_then(")")) return std::nullopt;
    break;
  }
  --depth_;
  return test;
}

bool LiteralParser::argument(TestCase& test) {
  skip_blanks(true);
  const size_t begin = at_;
  size_t end = at_;
  while (end < text_.size() && is_name_char(text_[end])) ++end;
  at_ = end;
  if (end > begin && !is_digit(text_[begin]) && blank_then("=") && peek() != '=') {
    const std::string name(text_.substr(begin, end - begin));
    Parsed parsed = spaced_value();
    const bool is_new = std::none_of(test.kwargs.begin(), test.kwargs.end(),
                                     [&](const auto& argument) { return argument.first == name; });
    if (!parsed || !is_new) return false;
    test.kwargs.emplace_back(name, std::move(*parsed));
    return true;
  }
  at_ = begin;
  Parsed parsed = value();
  if (!parsed || !test.kwargs.empty()) return false;
  test.args.push_back(std::move(*parsed));
  return true;
}

Parsed LiteralParser::value() {
  if (++depth_ > kMaxDepth) return std::nullopt;
  const char c = peek();
  Parsed result;
  if (c == '[' || c == '(' || c == '{')
    result = bracketed();
  else if (c == '-' || c == '+' || c == '.' || is_digit(c))
    result = number();
  else
    result = name_value();
  --depth_;
  return result;
}

Parsed LiteralParser::name_value() {
  if (word("None")) return PythonValue::none();
  if (word("True")) return PythonValue::of_bool(true);
  if (word("False")) return PythonValue::of_bool(false);
  if (Parsed result = infinity_or_nan()) return result;
  if (Parsed result = constructor()) return result;
  return string();
}

Parsed LiteralParser::infinity_or_nan() {
  const size_t before = at_;
  for (const char* name : {"inf", "math.inf"}) {
    if (word(name)) return PythonValue::of_float(INFINITY);
  }
  for (const char* name : {"nan", "math.nan"}) {
    if (word(name)) return PythonValue::of_float(NAN);
  }
  if (!word("float") || !blank_then("(")) {
    at_ = before;
    return std::nullopt;
  }
  skip_blanks(true);
  const Parsed name = string();
  if (name && blank_then(")")) {
    if (name->text == "inf" || name->text == "+inf") return PythonValue::of_float(INFINITY);
    if (name->text == "-inf") return PythonValue::of_float(-INFINITY);
    if (name->text == "nan") return PythonValue::of_float(NAN);
  }
  at_ = before;
  return std::nullopt;
}

/// set(), frozenset() and frozenset(items).
Parsed LiteralParser::constructor() {
  const size_t before = at_;
  const bool is_set = word("set");
  if ((is_set || word("frozenset")) && blank_then("(")) {
    PythonValue result = PythonValue::of_items(is_set ? Kind::kSet : Kind::kFrozenset, {});
    if (blank_then(")")) return result;
    ++depth_;
    Parsed items = is_set ? std::nullopt : spaced_value();
    --depth_;
    const bool iterable = items && (items->is(Kind::kList) || items->is(Kind::kTuple) || items->is(Kind::kSet));
    if (iterable && blank_then(")")) {
      result.items = std::move(items->items);
      if (!std::all_of(result.items.begin(), result.items.end(), is_hashable)) return std::nullopt;
      drop_duplicates(result);
      return result;
    }
  }
  at_ = before;
  return std::nullopt;
}

Parsed LiteralParser::number() {
  bool negative = false;
  for (; peek() == '-' || peek() == '+'; skip_blanks(depth_ > 1)) negative ^= text_[at_++] == '-';
  if (!is_digit(peek()) && peek() != '.') {
    Parsed result = infinity_or_nan();
    if (result && negative) result->real = -result->real;
    return result;
  }
  std::string token;
  bool is_float = false;
  for (; !at_end(); ++at_) {
    const char c = peek();
    const bool exponent = (c == 'e' || c == 'E') && !token.empty();
    const bool sign = (c == '+' || c == '-') && (token.ends_with('e') || token.ends_with('E'));
    if (c == '_' && !token.empty() && is_digit(token.back()) && is_digit(peek(1))) continue;
    if (!is_digit(c) && c != '.' && !exponent && !sign) break;
    is_float |= !is_digit(c);
    token += c;
  }
  if (is_name_char(peek())) return std::nullopt;  // hexadecimal, complex, or no number at all
  if (is_float) {
    char* end = nullptr;
    const double value = std::strtod(token.c_str(), &end);
    if (*end != '\0' || token == ".") return std::nullopt;
    return PythonValue::of_float(negative ? -value : value);
  }
  if (token.size() > 1 && token[0] == '0' && token.find_first_not_of('0') != std::string::npos) return std::nullopt;
  if (token[0] == '0') return PythonValue::of_int("0");
  return PythonValue::of_int((negative ? "-" : "") + token);
}

Parsed LiteralParser::string() {
  std::string text;
  if (!string_piece(text)) return std::nullopt;
  for (size_t before = at_;; before = at_) {
    skip_blanks(depth_ > 1);
    const char c = peek();
    if (c != '\'' && c != '"' && !(is_name_char(c) && (peek(1) == '\'' || peek(1) == '"'))) {
      at_ = before;
      return PythonValue::of_str(std::move(text));
    }
    if (!string_piece(text)) return std::nullopt;
  }
}

bool LiteralParser::string_piece(std::string& text) {
  const bool raw = peek() == 'r' || peek() == 'R';
  if (raw || peek() == 'u' || peek() == 'U') ++at_;
  const char quote = peek();
  if (quote != '\'' && quote != '"') return false;
  const std::string triple(3, quote);
  const std::string close = take(triple) ? triple : std::string(1, quote);
  if (close.size() == 1) ++at_;
  while (!at_end()) {
    if (take(close)) return true;
    const char c = text_[at_++];
    if (c == '\n' && close.size() == 1) return false;
    if (c != '\\') {
      text += c;
    } else if (raw) {
      if (at_end()) return false;
      text += c;
      text += text_[at_++];
    } else if (!escape(text)) {
      return false;
    }
  }
  return false;
}

bool LiteralParser::escape(std::string& text) {
  static constexpr std::string_view kNames = "ntr\\'\"abfv", kMeanings = "\n\t\r\\'\"\a\b\f\v";
  if (at_end()) return false;
  const char c = text_[at_++];
  if (const size_t found = kNames.find(c); found != std::string_view::npos) {
    text += kMeanings[found];
    return true;
  }
  if (c == '\n') return true;
  if (c == 'x') return code_point(text, 2);
  if (c == 'u') return code_point(text, 4);
  if (c == 'U') return code_point(text, 8);
  if (c == 'N') return false;
  if (c >= '0' && c <= '7') {
    uint32_t point = static_cast<uint32_t>(c - '0');
    for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) {
      point = point * 8 + static_cast<uint32_t>(text_[at_++] - '0');
    }
    return append_utf8(text, point);
  }
  text += '\\';
  text += c;
  return true;
}

bool LiteralParser::code_point(std::string& text, int num_digits) {
  uint32_t point = 0;
  for (int i = 0; i < num_digits; ++i) {
    const int digit = hex_digit(peek());
    if (digit < 0) return false;
    point = point * 16 + static_cast<uint32_t>(digit);
    ++at_;
  }
  return append_utf8(text, point);
}

Parsed LiteralParser::bracketed() {
  const char c = text_[at_++];
  if (c == '(') return tuple_or_group();
  return c == '[' ? list() : dict_or_set();
}

bool LiteralParser::elements(std::string_view close, std::vector<PythonValue>& items, bool& had_comma) {
  while (!blank_then(close)) {
    Parsed item = spaced_value();
    if (!item) return false;
    items.push_back(std::move(*item));
    if (blank_then(",")) {
      had_comma = true;
      continue;
    }
    return blank_then(close);
  }
  return items.empty() != had_comma;  // a lone comma is no element
}

Parsed LiteralParser::list() {
  std::vector<PythonValue> items;
  bool had_comma = false;
  if (!elements("]", items, had_comma)) return std::nullopt;
  return PythonValue::of_items(Kind::kList, std::move(items));
}

Parsed LiteralParser::tuple_or_group() {
  std::vector<PythonValue> items;
  bool had_comma = false;
  if (!elements(")", items, had_comma)) return std::nullopt;
  if (items.size() == 1 && !had_comma) return std::move(items[0]);
  return PythonValue::of_items(Kind::kTuple, std::move(items));
}

Parsed LiteralParser::dict_or_set() {
  PythonValue result;
  result.kind = Kind::kDict;
  for (bool first = true; !blank_then("}"); first = false) {
    Parsed key = spaced_value();
    if (!key || !is_hashable(*key)) return std::nullopt;
    const bool is_pair = blank_then(":");
    if (first && !is_pair) result.kind = Kind::kSet;
    if (is_pair != result.is(Kind::kDict)) return std::nullopt;
    if (is_pair) {
      Parsed item = spaced_value();
      if (!item) return std::nullopt;
      result.entries.emplace_back(std::move(*key), std::move(*item));
    } else {
      result.items.push_back(std::move(*key));
    }
    if (blank_then(",")) continue;
    if (!blank_then("}")) return std::nullopt;
    break;
  }
  drop_duplicates(result);
  return result;
}

std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\r')
      result += "\\r";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\\' || c == quote)
      (result += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      result += fmt::format("\\x{:02x}", c);
    else
      result += c;
  }
  return result + quote;
}

std::string joined(const std::vector<PythonValue>& items) {
  std::string text;
  for (const PythonValue& item : items) text += (text.empty() ? "" : ", ") + to_python_literal(item);
  return text;
}

}  // namespace

std::optional<PythonValue> parse_python_literal(std::string_view text) {
  return LiteralParser(text).whole_literal();
}

std::optional<TestCase> parse_assert(std::string_view statement, std::string_view entry_point) {
  LiteralParser parser(statement);
  parser.skip_blanks(true);
  std::optional<TestCase> test = parser.assert_statement(entry_point);
  parser.skip_blanks(true);
  return parser.at_end() ? std::move(test) : std::nullopt;
}

std::optional<std::vector<TestCase>> parse_assert_program(std::string_view program, std::string_view entry_point) {
  LiteralParser parser(program);
  std::vector<TestCase> tests;
  for (parser.skip_blanks(true); !parser.at_end(); parser.skip_blanks(true)) {
    std::optional<TestCase> test = parser.assert_statement(entry_point);
    if (!test) return std::nullopt;
    tests.push_back(std::move(*test));
  }
  if (tests.empty()) return std::nullopt;
  return tests;
}

std::string to_python_literal(const PythonValue& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.boolean ? "True" : "False";
    case Kind::kInt:
      return value.text;
    case Kind::kFloat:
      if (std::isnan(value.real)) return "float('nan')";
      if (std::isinf(value.real)) return value.real > 0 ? "float('inf')" : "float('-inf')";
      return float_text(value.real);
    case Kind::kStr:
      return quoted(value.text);
    case Kind::kList:
      return "[" + joined(value.items) + "]";
    case Kind::kTuple:
      return "(" + joined(value.items) + (value.items.size() == 1 ? ",)" : ")");
    case Kind::kSet:
      return value.items.empty() ? "set()" : "{" + joined(value.items) + "}";
    case Kind::kFrozenset:
      return value.items.empty() ? "frozenset()" : "frozenset({" + joined(value.items) + "})";
    case Kind::kDict: {
      std::string text;
      for (const auto& [key, item] : value.entries) {
        text += (text.empty() ? "" : ", ") + to_python_literal(key) + ": " + to_python_literal(item);
      }
      return "{" + text + "}";
    }
  }
  return "";
}

std::string to_python_call(const TestCase& test, std::string_view entry_point) {
  std::string arguments = joined(test.args);
  for (const auto& [name, value] : test.kwargs) {
    arguments += (arguments.empty() ? "" : ", ") + name + "=" + to_python_literal(value);
  }
  return std::string(entry_point) + "(" + arguments + ")";
}

}  // namespace plumbline
