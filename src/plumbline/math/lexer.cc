#include "plumbline/math/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "plumbline/math/names.h"
#include "plumbline/math/number_text.h"
#include "plumbline/math/units.h"

namespace plumbline {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Commands that change nothing but the look.
const std::set<std::string>& invisible() {
  static const std::set<std::string> names = {
      "left", "right", "big",          "Big",       "bigg",   "Bigg",    "bigl",      "bigr",     "Bigl",  "Bigr",
      "quad", "qquad", "displaystyle", "textstyle", "limits", "phantom", "mathstrut", "nolimits", "middle"};
  return names;
}

const std::map<std::string, std::string>& command_operators() {
  static const std::map<std::string, std::string> names = {
      {"cdot", "*"},      {"times", "*"}, {"ast", "*"},   {"div", "/"},       {"le", "<="},    {"leq", "<="},
      {"leqslant", "<="}, {"ge", ">="},   {"geq", ">="},  {"geqslant", ">="}, {"ne", "!="},    {"neq", "!="},
      {"lt", "<"},        {"gt", ">"},    {"pm", "+-"},   {"lbrace", "{"},    {"rbrace", "}"}, {"lbrack", "["},
      {"rbrack", "]"},    {"vert", "|"},  {"lvert", "|"}, {"rvert", "|"},     {"mid", "|"}};
  return names;
}

/// UTF-8 signs that people type.
const std::vector<std::pair<std::string, std::string>>& signs() {
  static const std::vector<std::pair<std::string, std::string>> pairs = {
      {"−", "-"},     {"–", "-"},        {"×", "*"},       {"·", "*"},        {"⋅", "*"},
      {"÷", "/"},     {"≤", "<="},       {"≥", ">="},      {"≠", "!="},       {"±", "+-"},
      {"π", "\\pi "}, {"∞", "\\infty "}, {"√", "\\sqrt "}, {"°", "^\\circ "}, {"∪", "\\cup "},
      {"²", "^2 "},   {"³", "^3 "},      {"½", "(1/2)"},   {"θ", "\\theta "}, {"α", "\\alpha "},
      {"∈", "\\in "}, {"µ", "\\mu "},    {"μ", "\\mu "},   {"Ω", "\\Omega "}, {"Ω", "\\Omega "}};
  return pairs;
}

std::string plain_signs(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    bool is_known = false;
    for (const auto& [sign, plain] : signs()) {
      if (text.compare(at, sign.size(), sign) != 0) continue;
      out += plain;
      at += sign.size();
      is_known = true;
      break;
    }
    if (!is_known) out += text[at++];
  }
  return out;
}

class Lexer {
 public:
  Lexer(std::string_view text, MathReading reading) : text_(text), reading_(reading) {}

  TokenStream run() {
    while (at_ < text_.size() && !stream_.failure) step();
    start_ = at_;
    if (!stream_.failure) add(TokenKind::kEnd, "");
    return std::move(stream_);
  }

 private:
  void add(TokenKind kind, std::string text, bool is_command = false) {
    stream_.tokens.push_back({kind, std::move(text), start_, space_, is_command});
    space_ = false;
  }
  void fail(std::string reason) { stream_.failure = MathFailure{start_, std::move(reason)}; }

  void step() {
    start_ = at_;
    const char c = text_[at_];
    if (std::isspace(static_cast<unsigned char>(c)) || c == '~' || c == '$') {
      space_ = true;
      ++at_;
    } else if (c == '\\') {
      command();
    } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      number();
    } else if (is_letter(c)) {
      word();
    } else {
      sign(c);
    }
  }

  void sign(char c) {
    if (c == '.' && text_.find_first_not_of(" $", at_ + 1) == std::string_view::npos) {
      ++at_;  // the end of a sentence
      return;
    }
    const std::string_view rest = text_.substr(at_);
    for (const char* pair : {"<=", ">=", "!=", "+-", "**", "=="}) {
      if (rest.substr(0, 2) != pair) continue;
      at_ += 2;
      // A factorial before an equality is no "!=" in the texts at hand.
      add(TokenKind::kOperator, pair == std::string("**") ? "^" : pair == std::string("==") ? "=" : pair);
      return;
    }
    ++at_;
    static const std::string known = "+-*/^_!%&,;:=<>()[]{}|'";
    if (known.find(c) == std::string::npos) return fail("a character without meaning in mathematics");
    depth_ += c == '(' || c == '[' || c == '{';
    depth_ -= c == ')' || c == ']' || c == '}';
    add(TokenKind::kOperator, std::string(1, c));
  }

  /// Digits, thousands separators ("1,000" and "1{,}000": groups of three, nothing else), one point.
  void number() {
    std::string digits;
    grouped_ = false;
    const auto take_digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) digits += text_[at_++];
    };
    take_digits();
    while (!digits.empty() && group_follows(digits.size())) take_digits();
    if (at_ < text_.size() && text_[at_] == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])) {
      digits += text_[at_++];
      take_digits();
    }
    const size_t size = reading_.scientific ? exponent_size(text_.substr(at_)) : 0;
    const auto value = size > 0 ? plain_decimal(digits, text_.substr(at_, size)) : std::optional(digits);
    if (!value) return fail("an exponent beyond 400");
    at_ += size;
    add(TokenKind::kNumber, *value);
    stream_.tokens.back().is_scientific = size > 0;
  }

  /// Skips a separator when exactly three digits follow it.
  bool group_follows(size_t num_before) {
    size_t next = at_;
    if (text_.compare(next, 3, "{,}") == 0 || text_.compare(next, 3, ",\\!") == 0) {
      next += 3;
    } else if (text_.compare(next, 2, "\\,") == 0) {
      next += 2;
    } else if (next < text_.size() && text_[next] == ',' && depth_ == 0 && (num_before <= 3 || grouped_)) {
      next += 1;
    } else {
      return false;
    }
    size_t num = 0;
    while (next + num < text_.size() && is_digit(text_[next + num])) ++num;
    if (num != 3) return false;
    at_ = next;
    grouped_ = true;
    return true;
  }

  void command() {
    ++at_;
    if (at_ >= text_.size()) return fail("a backslash at the end");
    const char c = text_[at_];
    if (!is_letter(c)) {
      ++at_;
      symbol_command(c);
      return;
    }
    std::string name;
    while (at_ < text_.size() && is_letter(text_[at_])) name += text_[at_++];
    if (name == "text" || name == "mathrm" || name == "textbf" || name == "mathbf" || name == "mbox" ||
        name == "textrm" || name == "operatorname") {
      braced_text(name == "text" || name == "textbf" || name == "mbox" || name == "textrm");
    } else if (name == "begin" || name == "end") {
      environment(name);
    } else if (const auto found = command_operators().find(name); found != command_operators().end()) {
      add(TokenKind::kOperator, found->second);
    } else if (invisible().count(name)) {
      space_ = true;
      if ((name == "left" || name == "right") && at_ < text_.size() && text_[at_] == '.') ++at_;
    } else if (!greek_unit(name)) {
      add(TokenKind::kName, name, true);
    }
  }

  /// \Omega is the ohm, and \mu a millionth of the unit that follows, where letters are read as units.
  bool greek_unit(const std::string& name) {
    const bool reads_units = reading_.letters == UnitLetters::kSpaced || reading_.letters == UnitLetters::kAll;
    if (!reads_units || (!behind_value() && !behind_unit())) return false;
    if (name == "Omega") {
      add(TokenKind::kText, "ohm");
      return true;
    }
    if (name != "mu") return false;
    size_t begin = std::min(text_.find_first_not_of(' ', at_), text_.size());
    for (const std::string_view command : {"\\text{", "\\mathrm{"}) {
      if (text_.substr(begin, command.size()) == command) begin += command.size();
    }
    size_t end = begin;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string unit = "u" + std::string(text_.substr(begin, end - begin));
    if (end == begin || !find_unit(unit)) return false;
    at_ = end + (end < text_.size() && text_[begin - 1] == '{' && text_[end] == '}');
    add(TokenKind::kText, unit);
    return true;
  }

  void symbol_command(char c) {
    if (c == ',' || c == ';' || c == ':' || c == '!' || c == ' ' || c == '(' || c == ')' || c == '[' || c == ']') {
      space_ = true;  // spaces, and the delimiters of mathematics
    } else if (c == '{' || c == '}') {
      depth_ += c == '{' ? 1 : -1;
      add(TokenKind::kOperator, c == '{' ? "\\{" : "\\}");
    } else if (c == '%' || c == '&' || c == '|') {
      add(TokenKind::kOperator, std::string(1, c));
    } else if (c == '\\') {
      add(TokenKind::kOperator, "\\\\");
    } else if (c == '$') {
      add(TokenKind::kText, "$", true);
    } else {
      fail("an unknown command");
    }
  }

  /// Upright letters may also be Euler's e, the imaginary unit and a function's name; those of \text are words.
  void braced_text(bool is_words) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size() || text_[at_] != '{') return fail("text without braces");
    const size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) return fail("text that never ends");
    std::string inside(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    inside.erase(0, inside.find_first_not_of(' ') == std::string::npos ? inside.size() : inside.find_first_not_of(' '));
    while (!inside.empty() && (inside.back() == ' ' || inside.back() == '.')) inside.pop_back();
    if (inside == "percent") return add(TokenKind::kOperator, "%");
    if (!is_words && (inside == "e" || inside == "i")) return add(TokenKind::kName, inside);
    if (!is_words && function_names().count(inside)) return add(TokenKind::kName, inside, true);
    if (!inside.empty()) add(TokenKind::kText, inside, true);
  }

  void environment(const std::string& which) {
    const size_t end = text_.find('}', at_);
    if (at_ >= text_.size() || text_[at_] != '{' || end == std::string_view::npos)
      return fail("an environment without a name");
    const std::string name(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    static const std::set<std::string> matrices = {"matrix", "pmatrix", "bmatrix", "vmatrix", "array", "smallmatrix"};
    if (!matrices.count(name) || name == "vmatrix") return fail("an environment that is no matrix");
    if (name == "array" && which == "begin" && at_ < text_.size() && text_[at_] == '{') {
      const size_t columns = text_.find('}', at_);
      if (columns == std::string_view::npos) return fail("an array without an end");
      at_ = columns + 1;
    }
    add(TokenKind::kName, which + "matrix", true);
  }

  /// Known words are one name; other runs of letters are products of letters.
  void word() {
    size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string_view letters = text_.substr(at_, end - at_);
    static const std::array<std::string_view, 36> words = {
        "arcsin", "arccos", "arctan", "asin", "acos", "atan", "sinh",  "cosh",  "tanh", "sin",   "cos",      "tan",
        "cot",    "sec",    "csc",    "sqrt", "cbrt", "exp",  "ln",    "log",   "abs",  "pi",    "infinity", "inf",
        "floor",  "ceil",   "or",     "and",  "oo",   "in",   "theta", "alpha", "beta", "binom", "gcd",      "mod"};
    const bool is_word = std::find(words.begin(), words.end(), letters) != words.end();
    const bool closes = behind_number() && ends_value(end);  // "12 in", "5 sec", not "5 sec x"
    if (is_word && !(closes && is_usual_unit(letters))) {
      at_ = end;
      add(TokenKind::kName, std::string(letters));
      return;
    }
    if (letters == "x" && behind_number() && power_of_ten(end)) {
      at_ = end;
      add(TokenKind::kOperator, "*");
      return;
    }
    if (letters == "percent" && behind_value()) {
      at_ = end;
      add(TokenKind::kOperator, "%");
      return;
    }
    if (letters == "per" && behind_unit()) {
      at_ = end;
      add(TokenKind::kOperator, "/");
      return;
    }
    // Longer runs are words of a language, not products.
    if (letters.size() > 3 || is_unit(letters)) {
      at_ = end;
      add(TokenKind::kText, std::string(letters));
      return;
    }
    ++at_;
    add(TokenKind::kName, std::string(letters.substr(0, 1)));
    for (size_t i = 1; i < letters.size(); ++i, ++at_) add(TokenKind::kName, std::string(letters.substr(i, 1)));
  }

  bool behind_number() const { return !stream_.tokens.empty() && stream_.tokens.back().kind == TokenKind::kNumber; }
  bool behind_value() const {
    if (stream_.tokens.empty()) return false;
    const Token& last = stream_.tokens.back();
    return behind_number() || (last.kind == TokenKind::kOperator && (last.text == "}" || last.text == ")")) ||
           (last.kind == TokenKind::kName && last.text == "pi");
  }
  /// Behind a unit, with its power if there is one, and the sign of a product: "kg", "kg m^2 /".
  bool behind_unit() const {
    const std::vector<Token>& tokens = stream_.tokens;
    size_t end = tokens.size();
    const auto take = [&](const char* sign) {
      const bool is_there = end > 0 && tokens[end - 1].kind == TokenKind::kOperator && tokens[end - 1].text == sign;
      end -= is_there;
      return is_there;
    };
    if (take("(") && !(end > 0 && tokens[end - 1].text == "/")) return false;
    if (!take("*")) take("/");
    const size_t behind_power = end;
    take("}");
    if (end > 0 && tokens[end - 1].kind == TokenKind::kNumber) {
      --end;
      take("-");
      take("{");
      if (!take("^")) return false;
    } else {
      end = behind_power;
    }
    return end > 0 && tokens[end - 1].kind == TokenKind::kText && find_unit(tokens[end - 1].text);
  }
  /// Whether nothing follows that would be an argument or a factor.
  bool ends_value(size_t from) const {
    const size_t next = text_.find_first_not_of(" $", from);
    return next == std::string_view::npos || std::string_view(",;)]}=<>.^/").find(text_[next]) != text_.npos;
  }
  /// "10^" follows: 3 x 10^8.
  bool power_of_ten(size_t from) const {
    const size_t next = text_.find_first_not_of(' ', from);
    return next != std::string_view::npos && text_.substr(next, 3) == "10^";
  }
  bool is_unit(std::string_view letters) const {
    if (reading_.letters == UnitLetters::kNone) return false;
    if (is_usual_unit(letters) && behind_value()) return true;
    if (reading_.letters == UnitLetters::kUsual) return false;
    if (!find_unit(letters)) return letters.size() == 3 && space_ && behind_number();
    const bool is_behind = (behind_value() && (space_ || reading_.letters == UnitLetters::kAll)) ||
                           (space_ && !stream_.tokens.empty() && stream_.tokens.back().kind == TokenKind::kName &&
                            stream_.tokens.back().text.size() == 1);  // 2x m
    return is_behind || behind_unit();
  }

  std::string_view text_;
  const MathReading reading_;
  size_t at_ = 0, start_ = 0;
  bool space_ = false;
  int depth_ = 0;         ///< open brackets, in which a comma separates entries
  bool grouped_ = false;  ///< a thousands separator was seen in this number
  TokenStream stream_;
};

}  // namespace

TokenStream tokenize_math(std::string_view text, MathReading reading) {
  const std::string plain = plain_signs(text);
  return Lexer(plain, reading).run();
}

}  // namespace plumbline
