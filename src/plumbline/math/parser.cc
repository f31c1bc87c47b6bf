#include "plumbline/math/parser.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "plumbline/math/names.h"
#include "plumbline/math/units.h"

namespace plumbline {
namespace {

using Kind = ExpressionKind;

constexpr int kMostDepth = 64;

/// Thrown inside the parser only; parse_math turns it into a value.
struct Failure {
  MathFailure failure;
};

class Parser {
 public:
  Parser(std::vector<Token> tokens, MathReading reading) : tokens_(std::move(tokens)), reading_(reading) {}

  Expression run() {
    Expression result = list();
    if (peek().kind != TokenKind::kEnd) fail("text behind the expression");
    return result;
  }

 private:
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token next() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  bool is_operator(const char* text, size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::kOperator && peek(ahead).text == text;
  }
  bool is_name(const char* text) const { return peek().kind == TokenKind::kName && peek().text == text; }
  bool take(const char* text) {
    if (!is_operator(text)) return false;
    next();
    return true;
  }
  void expect(const char* text) {
    if (!take(text)) fail(std::string("expected ") + text);
  }
  [[noreturn]] void fail(std::string reason) const { throw Failure{{peek().offset, std::move(reason)}}; }

  struct Depth {
    explicit Depth(Parser& of) : parser(of) {
      if (++parser.depth_ > kMostDepth) parser.fail("nested too deep");
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  bool is_or() const {
    return is_name("or") || is_name("and") ||
           (peek().kind == TokenKind::kText && (peek().text == "or" || peek().text == "and"));
  }

  Expression list() {
    std::vector<Expression> entries;
    entries.push_back(relation());
    while (true) {
      bool separated = false;
      while (take(",") || take(";")) separated = true;
      const bool is_and = peek().text == "and";
      if (is_or()) {
        next();
        if (is_and && !separated && adds_part(entries.back())) continue;
        separated = true;
      }
      if (!separated) break;
      entries.push_back(relation());
    }
    return entries.size() == 1 ? std::move(entries[0]) : make_node(Kind::kList, std::move(entries));
  }

  /// "2 hours and 30 minutes": a sum that compare_expressions may also take for a list.
  bool adds_part(Expression& before) {
    if (peek().kind != TokenKind::kNumber || !find_unit_token(1) || !is_part_of(peek(1).text, before)) return false;
    before = make_binary(Kind::kAdd, std::move(before), product());
    before.text = kListedSum;
    return true;
  }

  static bool is_relation_text(const std::string& text) {
    return text == "<" || text == "<=" || text == "=" || text == ">" || text == ">=" || text == "!=";
  }

  Expression relation() {
    const Depth depth(*this);
    Expression first = unions();
    if (is_name("in")) {  // x \in S says S
      next();
      return unions();
    }
    if (peek().kind != TokenKind::kOperator || !is_relation_text(peek().text)) return first;
    std::vector<Expression> operands;
    std::vector<std::string> operators;
    operands.push_back(std::move(first));
    while (peek().kind == TokenKind::kOperator && is_relation_text(peek().text)) {
      operators.push_back(next().text);
      operands.push_back(unions());
    }
    Expression result = make_node(Kind::kRelation, std::move(operands));
    result.operators = std::move(operators);
    return result;
  }

  Expression unions() {
    Expression first = sum();
    if (!is_name("cup")) return first;
    std::vector<Expression> parts;
    parts.push_back(std::move(first));
    while (is_name("cup")) {
      next();
      parts.push_back(sum());
    }
    return make_node(Kind::kUnion, std::move(parts));
  }

  Expression sum() {
    const Depth depth(*this);
    std::vector<Expression> terms;
    terms.push_back(product());
    while (is_operator("+") || is_operator("-") || is_operator("+-")) {
      const std::string sign = next().text;
      Expression term = product();
      if (sign == "+-") {
        Expression before = terms.size() == 1 ? std::move(terms[0]) : make_node(Kind::kAdd, std::move(terms));
        terms.clear();
        terms.push_back(make_binary(Kind::kPlusMinus, std::move(before), std::move(term)));
      } else {
        terms.push_back(sign == "-" ? make_unary(Kind::kNegate, std::move(term)) : std::move(term));
      }
    }
    return terms.size() == 1 ? std::move(terms[0]) : make_node(Kind::kAdd, std::move(terms));
  }

  static bool ends_in_unit(const Expression& product) {
    const Expression* last = &product;
    while (last->kind == Kind::kMultiply || last->kind == Kind::kDivide) last = &last->operands.back();
    return last->kind == Kind::kUnit;
  }

  /// Whether a unit is a smaller one of the dimension in which `before` ends: the minutes of "2 hours 30 minutes".
  static bool is_part_of(const std::string& unit, const Expression& before) {
    const Expression* last = &before;
    while (last->kind == Kind::kAdd || last->kind == Kind::kNegate) last = &last->operands.back();
    const auto smaller = parse_units(unit);
    const auto larger = last->kind == Kind::kUnit ? parse_units(last->text) : std::nullopt;
    if (!smaller || !larger || smaller->dimension != larger->dimension) return false;
    const auto difference = smaller->factor.plus(larger->factor.negated());
    return difference && difference->sign() < 0;
  }

  /// Whether the next token begins a factor that is multiplied without a sign.
  bool begins_factor() const {
    const Token& token = peek();
    if (token.kind == TokenKind::kNumber) return true;
    if (token.kind == TokenKind::kName) {
      static const std::set<std::string> none = {"or", "and", "in", "cup", "endmatrix", "to", "mod"};
      return !none.count(token.text);
    }
    return is_operator("(") || is_operator("{") || (is_operator("|") && !in_bars_);
  }

  static bool is_plain_number(const Expression& expression) { return expression.kind == Kind::kNumber; }
  static bool is_whole(const Expression& e) { return is_plain_number(e) && e.text.find('.') == std::string::npos; }
  static bool is_numeric_fraction(const Expression& e) {
    return e.kind == Kind::kDivide && is_whole(e.operands[0]) && is_whole(e.operands[1]);
  }

  Expression product() {
    const Depth depth(*this);
    Expression result = signed_factor();
    while (true) {
      if (is_operator("*") || is_operator("/")) {
        const Kind kind = next().text == "*" ? Kind::kMultiply : Kind::kDivide;
        Expression factor = signed_factor();
        if (ends_in_unit(result) && is_plain_number(factor) && peek().kind == TokenKind::kText && !is_or()) {
          factor = with_unit(std::move(factor));  // 10 m / 2 s
        }
        while (kind == Kind::kDivide && !reading_.slash_ends_at_factor && begins_factor()) {
          factor = implicit(std::move(factor));
        }
        if (kind == Kind::kDivide && is_whole(result) && factor.kind == Kind::kPercent &&
            is_whole(factor.operands[0])) {
          factor = make_binary(kind, std::move(result), std::move(factor.operands[0]));  // 1/2% is half a percent
          result = make_unary(Kind::kPercent, std::move(factor));
          continue;
        }
        result = make_binary(kind, std::move(result), std::move(factor));
      } else if (peek().kind == TokenKind::kText && !is_or()) {
        result = with_unit(std::move(result));
      } else if (peek().kind == TokenKind::kNumber && find_unit_token(1) && is_part_of(peek(1).text, result)) {
        const bool is_negative = result.kind == Kind::kNegate;  // -(2 hours 30 minutes)
        Expression part = with_unit(make_leaf(Kind::kNumber, next().text));
        Expression whole = is_negative ? std::move(result.operands[0]) : std::move(result);
        result = make_binary(Kind::kAdd, std::move(whole), std::move(part));
        if (is_negative) result = make_unary(Kind::kNegate, std::move(result));
      } else if (begins_factor()) {
        result = implicit(std::move(result));
      } else {
        return result;
      }
    }
  }

  bool begins_fraction() const {
    return is_name("frac") || is_name("dfrac") || is_name("tfrac") || peek().kind == TokenKind::kNumber;
  }

  /// Behind a whole number a fraction of whole numbers makes a mixed number; two numbers side by side are no product.
  Expression implicit(Expression before) {
    if (before.kind == Kind::kNegate && is_whole(before.operands[0]) && begins_fraction()) {
      return make_unary(Kind::kNegate, implicit(std::move(before.operands[0])));  // -1\frac12 is -(1 + 1/2)
    }
    const bool starts_with_number = peek().kind == TokenKind::kNumber;
    if (starts_with_number) {
      const bool is_mixed =
          is_whole(before) && peek().space_before && is_operator("/", 1) && peek(2).kind == TokenKind::kNumber;
      if (!is_mixed) fail("two numbers side by side");
      Expression numerator = make_leaf(Kind::kNumber, next().text);
      next();
      Expression denominator = make_leaf(Kind::kNumber, next().text);
      return postfix(make_binary(Kind::kAdd, std::move(before),
                                 make_binary(Kind::kDivide, std::move(numerator), std::move(denominator))));
    }
    const bool is_command_fraction = begins_fraction();
    Expression factor = power();
    if (is_command_fraction && is_whole(before) && is_numeric_fraction(factor)) {
      return make_binary(Kind::kAdd, std::move(before), std::move(factor));
    }
    if (is_command_fraction && is_whole(before) && factor.kind == Kind::kPercent &&
        is_numeric_fraction(factor.operands[0])) {  // 33\frac13\%
      Expression mixed = make_binary(Kind::kAdd, std::move(before), std::move(factor.operands[0]));
      return make_unary(Kind::kPercent, std::move(mixed));
    }
    return make_binary(Kind::kMultiply, std::move(before), std::move(factor));
  }

  /// "1260 not" is no amount of a unit called not.
  static bool takes_back(std::string text) {
    static const std::set<std::string> words = {"not",     "no",        "non",   "nor",  "never",  "neither",
                                                "without", "except",    "isn",   "isnt", "wrong",  "false",
                                                "unless",  "incorrect", "minus", "plus", "divided"};
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string word;
    for (const char c : text + " ") {
      if (c >= 'a' && c <= 'z') {
        word += c;
      } else {
        if (words.count(word)) return true;
        word.clear();
      }
    }
    return false;
  }

  bool find_unit_token(size_t ahead) const {
    return peek(ahead).kind == TokenKind::kText && parse_units(peek(ahead).text).has_value();
  }
  /// "/ (kg K)": units up to the bracket that closes, and nothing else.
  bool opens_units() const {
    if (!is_operator("/") || !is_operator("(", 1) || !find_unit_token(2)) return false;
    for (size_t ahead = 3; peek(ahead).kind != TokenKind::kEnd; ++ahead) {
      if (is_operator(")", ahead)) return true;
      const bool is_power = is_operator("^", ahead) || is_operator("{", ahead) || is_operator("}", ahead) ||
                            is_operator("-", ahead) || is_operator("*", ahead) ||
                            (peek(ahead).kind == TokenKind::kNumber && !is_operator(")", ahead - 1));
      if (!is_power && !find_unit_token(ahead)) return false;
    }
    return false;
  }
  /// "^2", "^{-1}", "^-1" behind a unit; empty when there is no such power.
  std::string unit_power() {
    if (!is_operator("^")) return "";
    size_t ahead = 1;
    const bool in_braces = is_operator("{", ahead);
    ahead += in_braces;
    const bool is_negative = is_operator("-", ahead);
    ahead += is_negative;
    if (peek(ahead).kind != TokenKind::kNumber || (in_braces && !is_operator("}", ahead + 1))) return "";
    const std::string power = (is_negative ? "^-" : "^") + peek(ahead).text;
    at_ += ahead + 1 + in_braces;
    return power;
  }

  std::string powered_unit() {
    std::string name = next().text;
    name += unit_power();
    return name;
  }

  /// A plain word behind anything but a number is language, not a unit.
  Expression with_unit(Expression value) {
    const Expression& unsigned_value = value.kind == Kind::kNegate ? value.operands[0] : value;
    const bool is_number = is_plain_number(unsigned_value) || is_numeric_fraction(unsigned_value) ||
                           (unsigned_value.kind == Kind::kAdd && is_whole(unsigned_value.operands[0]) &&
                            is_numeric_fraction(unsigned_value.operands.back()));  // 1 1/2 cups
    if (!peek().is_command && !is_number && !find_unit_token(0)) fail("a word");
    if (takes_back(peek().text)) fail("a word that takes back what it stands behind");
    std::string name = powered_unit();
    while (find_unit_token(0) || ((is_operator("*") || is_operator("/")) && find_unit_token(1)) || opens_units()) {
      if (opens_units()) {
        next();
        next();
        name += "/(" + powered_unit();
        while (!take(")")) {
          name += take("*") ? "*" : " ";
          name += powered_unit();
        }
        name += ")";
      } else {
        name += find_unit_token(0) ? " " : next().text;
        name += powered_unit();
      }
    }
    Expression result = make_unary(Kind::kUnit, std::move(value));
    result.text = std::move(name);
    return result;
  }

  Expression signed_factor() {
    const Depth depth(*this);
    if (take("-")) return make_unary(Kind::kNegate, signed_factor());
    if (take("+")) return signed_factor();
    if (take("+-")) return make_unary(Kind::kPlusMinus, signed_factor());
    return power();
  }

  Expression power() {
    Expression base = postfix(atom());
    if (!take("^")) return base;
    if (is_degree_sign()) return postfix(make_node(Kind::kUnit, single(std::move(base)), degree_name()));
    Expression result = make_binary(Kind::kPower, std::move(base), exponent());
    if (is_operator("^")) fail("a power of a power without brackets");
    return postfix(std::move(result));
  }

  static std::vector<Expression> single(Expression value) {
    std::vector<Expression> operands;
    operands.push_back(std::move(value));
    return operands;
  }

  /// Degrees of an angle, or of temperature, which are no multiples of a kelvin.
  std::string degree_name() {
    if (peek().kind != TokenKind::kName && peek().kind != TokenKind::kText) return "degree";
    if (peek().text != "C" && peek().text != "F") return "degree";
    return next().text == "C" ? "celsius" : "fahrenheit";
  }

  /// ^\circ and ^{\circ}.
  bool is_degree_sign() {
    if (is_name("circ")) {
      next();
      return true;
    }
    if (is_operator("{") && peek(1).kind == TokenKind::kName && peek(1).text == "circ" && is_operator("}", 2)) {
      at_ += 3;
      return true;
    }
    return false;
  }

  /// One token or a group; a sign may stand before it.
  Expression exponent() {
    const Depth depth(*this);
    if (take("-")) return make_unary(Kind::kNegate, exponent());
    if (is_operator("{")) return group();
    if (peek().is_scientific) fail("an exponent with an exponent");  // x^2e-3 is x^2 e - 3
    if (peek().kind == TokenKind::kNumber || is_operator("(") || peek().kind == TokenKind::kName) return atom();
    fail("an exponent is missing");
  }

  Expression postfix(Expression value) {
    while (true) {
      if (take("!")) {
        value = make_function("factorial", std::move(value));
      } else if (take("%")) {
        value = make_unary(Kind::kPercent, std::move(value));
      } else {
        return value;
      }
    }
  }

  /// {...} in LaTeX: an argument.
  Expression group() {
    const Depth depth(*this);
    const bool outer = std::exchange(in_bars_, false);
    expect("{");
    Expression inside = list();
    expect("}");
    in_bars_ = outer;
    return inside;
  }

  /// The argument of a command: a group, or one digit or name (\frac12, \sqrt2).
  Expression argument() {
    const Depth depth(*this);
    if (is_operator("{")) return group();
    if (peek().kind == TokenKind::kNumber) {
      Token& token = tokens_[at_];
      if (token.is_scientific) fail("an argument without braces");  // \frac12e-3 is one half of e, less 3
      if (token.text.size() == 1) return make_leaf(Kind::kNumber, next().text);
      if (token.text.find('.') != std::string::npos) fail("an argument without braces");
      const std::string digit = token.text.substr(0, 1);
      token.text.erase(0, 1);  // \frac12 is one half
      return make_leaf(Kind::kNumber, digit);
    }
    if (peek().kind == TokenKind::kName) return atom();
    fail("an argument is missing");
  }

  Expression atom() {
    const Depth depth(*this);
    if (peek().kind == TokenKind::kNumber) return make_leaf(Kind::kNumber, next().text);
    if (peek().kind == TokenKind::kName) return name();
    if (peek().kind == TokenKind::kText && peek().text == "$") {  // \$5
      next();
      return make_node(Kind::kUnit, single(power()), "$");
    }
    if (is_operator("(") || is_operator("[")) return brackets();
    if (is_operator("\\{")) return set("\\{", "\\}");
    if (is_operator("{")) return braces();
    if (is_operator("|") && !in_bars_) {
      next();
      in_bars_ = true;
      Expression inside = sum();
      in_bars_ = false;
      expect("|");
      return make_function("abs", std::move(inside));
    }
    fail("an operand is missing");
  }

  std::vector<Expression> entries(const std::set<std::string>& ends) {
    std::vector<Expression> result;
    if (peek().kind == TokenKind::kOperator && ends.count(peek().text)) return result;
    result.push_back(relation());
    while (take(",") || take(";")) result.push_back(relation());
    return result;
  }

  Expression set(const char* open, const char* close) {
    const bool outer = std::exchange(in_bars_, false);
    expect(open);
    std::vector<Expression> members = entries({close});
    expect(close);
    in_bars_ = outer;
    return make_node(Kind::kSet, std::move(members));
  }

  /// Braces without a backslash: a group, or a set when there are several entries.
  Expression braces() {
    Expression result = set("{", "}");
    if (result.operands.size() != 1) return result;
    Expression inside = std::move(result.operands[0]);
    return inside;
  }

  Expression brackets() {
    const bool outer = std::exchange(in_bars_, false);
    const std::string open = next().text;
    std::vector<Expression> inside = entries({")", "]"});
    if (!is_operator(")") && !is_operator("]")) fail("a bracket is not closed");
    const std::string close = next().text;
    in_bars_ = outer;
    const bool is_mixed = (open == "(") != (close == ")");
    if (inside.size() == 1 && !is_mixed) return std::move(inside[0]);
    if (is_mixed && inside.size() != 2) fail("brackets that do not match");
    if (is_mixed) return make_node(Kind::kInterval, std::move(inside), open + close);
    if (open == "(") return make_node(Kind::kTuple, std::move(inside));
    if (!inside.empty() && std::all_of(inside.begin(), inside.end(), [&](const Expression& row) {
          return (row.kind == Kind::kTuple || row.kind == Kind::kInterval) &&
                 row.operands.size() == inside[0].operands.size();
        })) {
      return rows_to_matrix(std::move(inside));
    }
    return inside.size() == 2 ? make_node(Kind::kInterval, std::move(inside), "[]")
                              : make_node(Kind::kTuple, std::move(inside));
  }

  static Expression rows_to_matrix(std::vector<Expression> rows) {
    Expression matrix;
    matrix.kind = Kind::kMatrix;
    matrix.num_columns = static_cast<int>(rows[0].operands.size());
    for (Expression& row : rows) {
      for (Expression& entry : row.operands) matrix.operands.push_back(std::move(entry));
    }
    return matrix;
  }

  Expression matrix() {
    std::vector<Expression> rows;
    while (true) {
      Expression row = make_node(Kind::kTuple, single(relation()));
      while (take("&")) row.operands.push_back(relation());
      rows.push_back(std::move(row));
      if (!take("\\\\") || is_name("endmatrix")) break;
    }
    if (!is_name("endmatrix")) fail("a matrix is not closed");
    next();
    for (const Expression& row : rows) {
      if (row.operands.size() != rows[0].operands.size()) fail("rows of different length");
    }
    return rows_to_matrix(std::move(rows));
  }

  Expression name() {
    const Token token = next();
    const std::string& text = token.text;
    if (text == "frac" || text == "dfrac" || text == "tfrac") {
      Expression numerator = argument();
      return make_binary(Kind::kDivide, std::move(numerator), argument());
    }
    if (text == "sqrt") return root(token.is_command);
    if (text == "beginmatrix") return matrix();
    if (text == "binom" && token.is_command) {
      Expression result = make_function("binomial", argument());
      result.operands.push_back(argument());
      return result;
    }
    if (function_names().count(text)) return call(function_names().at(text), token.is_command);
    if (text == "pi") return make_leaf(Kind::kConstant, "pi");
    if (text == "infty" || text == "infinity" || text == "inf" || text == "oo")
      return make_leaf(Kind::kConstant, "infinity");
    if (text == "emptyset" || text == "varnothing") return make_node(Kind::kSet, {});
    if (text == "e" || text == "i") return make_leaf(Kind::kConstant, text);
    if (text.size() == 1 || greek_names().count(text)) return make_leaf(Kind::kSymbol, text + subscript());
    at_ -= at_ > 0;
    fail("an unknown name");
  }

  /// "_1" and "_{12}" belong to the name.
  std::string subscript() {
    if (!take("_")) return "";
    if (peek().is_scientific) fail("an index with an exponent");
    if (peek().kind == TokenKind::kNumber || peek().kind == TokenKind::kName) return "_" + next().text;
    if (is_operator("{") && (peek(1).kind == TokenKind::kNumber || peek(1).kind == TokenKind::kName) &&
        is_operator("}", 2)) {
      const std::string text = "_" + peek(1).text;
      at_ += 3;
      return text;
    }
    fail("an index that is no number and no name");
  }

  Expression root(bool is_command) {
    Expression degree = make_leaf(Kind::kNumber, "2");
    if (is_command && take("[")) {
      degree = sum();
      expect("]");
    }
    Expression radicand = is_operator("(") ? atom() : argument();
    Expression result = make_function("root", std::move(radicand));
    result.operands.push_back(std::move(degree));
    return result;
  }

  /// sin x, sin(x), sin^2 x, \log_2 8: without brackets the argument is the product of plain factors that follows.
  Expression call(const std::string& name, bool is_command) {
    Expression base, power;
    bool has_base = false, has_power = false, is_inverse = false;
    if (name == "log" && take("_")) {
      base = is_operator("{") ? group() : argument();
      has_base = true;
    }
    if (take("^")) {
      power = exponent();
      is_inverse = to_text(power) == "(neg 1)";
      has_power = !is_inverse;
    }
    Expression inside = call_argument(is_command);
    std::string spelled = name;
    if (is_inverse) {
      static const std::map<std::string, std::string> inverses = {
          {"sin", "arcsin"}, {"cos", "arccos"}, {"tan", "arctan"}};
      if (!inverses.count(name)) fail("an inverse without a name");
      spelled = inverses.at(name);
    }
    Expression result = make_function(spelled, std::move(inside));
    if (has_base) result.operands.push_back(std::move(base));
    return has_power ? make_binary(Kind::kPower, std::move(result), std::move(power)) : result;
  }

  Expression call_argument(bool is_command) {
    const Depth depth(*this);
    if (is_operator("(") || (is_command && is_operator("{"))) return atom();
    if (is_operator("|") && !in_bars_) return atom();
    const auto continues = [&] {
      return begins_factor() && !(peek().kind == TokenKind::kName && function_names().count(peek().text));
    };
    if (!continues()) fail("a function without an argument");
    Expression result = this->power();
    while (continues() && peek().kind != TokenKind::kNumber && !is_operator("(")) {
      result = make_binary(Kind::kMultiply, std::move(result), this->power());
    }
    return result;
  }

  std::vector<Token> tokens_;
  const MathReading reading_;
  size_t at_ = 0;
  int depth_ = 0;
  bool in_bars_ = false;
};

}  // namespace

std::variant<Expression, MathFailure> parse_math(std::string_view text, MathReading reading) {
  if (text.size() > kMostMathCharacters) return MathFailure{kMostMathCharacters, "longer than 512 characters"};
  TokenStream stream = tokenize_math(text, reading);
  const bool is_scientific =
      std::any_of(stream.tokens.begin(), stream.tokens.end(), [](const Token& token) { return token.is_scientific; });
  std::optional<MathFailure> failed = stream.failure;
  if (!failed) {
    try {
      return Parser(std::move(stream.tokens), reading).run();
    } catch (const Failure& failure) {
      failed = failure.failure;
    }
  }
  if (!is_scientific) return *failed;
  reading.scientific = false;
  auto plain = parse_math(text, reading);
  if (std::holds_alternative<MathFailure>(plain)) return *failed;
  return plain;
}

}  // namespace plumbline
