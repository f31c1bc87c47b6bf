#include "plumbline/verify/tasks/step_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "plumbline/math/evaluation.h"
#include "plumbline/math/number_text.h"
#include "plumbline/math/parser.h"

namespace plumbline {
namespace {

/// "007.50" as "7.5".
std::string plain_number(const std::string& text) {
  std::string digits = text;
  if (digits.find('.') != std::string::npos) {
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  }
  size_t zeros = 0;
  while (zeros + 1 < digits.size() && digits[zeros] == '0' && digits[zeros + 1] != '.') ++zeros;
  digits.erase(0, zeros);
  if (digits.empty()) return "0";
  return digits.front() == '.' ? "0" + digits : digits;
}

/// A product: sign, and factors with how often each stands in it (below 0: in the denominator).
struct Term {
  bool is_negative = false;
  std::map<std::string, int> factors;

  void add(const std::string& factor, int power) {
    if (factor == "1") return;
    if ((factors[factor] += power) == 0) factors.erase(factor);
  }
  std::string text() const {
    if (factors.empty()) return "1";
    std::string text;
    for (const auto& [factor, power] : factors) {
      text += (text.empty() ? "" : "*") + (power == 1 ? factor : fmt::format("{}^{}", factor, power));
    }
    return text;
  }
  bool operator==(const Term&) const = default;
};

std::vector<Term> terms_of(const Expression& expression);

std::string sum_text(const std::vector<Term>& terms) {
  std::vector<std::string> parts;
  for (const Term& term : terms) parts.push_back((term.is_negative ? "-" : "+") + term.text());
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += part;
  if (text.empty()) return "0";
  if (terms.size() == 1 && !terms[0].is_negative) return text.substr(1);
  return "(" + text + ")";
}

/// "sin(u)" to 's' and "u"; 'c' for the cosine.
std::pair<char, std::string> circular(const std::string& factor) {
  if (factor.starts_with("sin(")) return {'s', factor.substr(4)};
  if (factor.starts_with("cos(")) return {'c', factor.substr(4)};
  return {0, ""};
}

/// t sin(u)^2 + t cos(u)^2 = t; returns whether it found such a pair.
bool merge_circle(std::vector<Term>& terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (const auto& [factor, power] : terms[i].factors) {
      const auto [kind, argument] = circular(factor);
      if (kind != 's' || power < 2) continue;
      const std::string sine = factor;  // the term that holds it moves below
      Term rest = terms[i];
      rest.add(sine, -2);
      Term partner = rest;
      partner.add("cos(" + argument, 2);
      const auto found = std::find(terms.begin(), terms.end(), partner);
      if (found == terms.end()) continue;
      terms.erase(found);
      *std::find(terms.begin(), terms.end(), [&] {
        Term self = rest;
        self.add(sine, 2);
        return self;
      }()) = rest;
      return true;
    }
  }
  return false;
}

/// Terms that cancel each other go, and so do zeros.
void simplify(std::vector<Term>& terms) {
  while (merge_circle(terms)) {
  }
  std::erase_if(terms, [](const Term& term) { return term.factors.count("0") && term.factors.at("0") > 0; });
  for (size_t i = 0; i < terms.size(); ++i) {
    Term opposite = terms[i];
    opposite.is_negative = !opposite.is_negative;
    const auto found = std::find(terms.begin(), terms.end(), opposite);
    if (found == terms.end()) continue;
    terms.erase(found);
    terms.erase(std::find_if(terms.begin(), terms.end(), [&](const Term& term) {
      return term.factors == opposite.factors && term.is_negative != opposite.is_negative;
    }));
    i = static_cast<size_t>(-1);  // from the front again
  }
}

/// A small whole exponent.
std::optional<int> whole_exponent(const Expression& exponent) {
  if (exponent.kind != ExpressionKind::kNumber) return std::nullopt;
  const std::string digits = plain_number(exponent.text);
  if (digits.size() > 2 || digits.find('.') != std::string::npos) return std::nullopt;
  return std::stoi(digits);
}

/// What is neither a sum nor a product, with its operands in normal form.
std::string plain_form(const Expression& expression) {
  if (expression.kind == ExpressionKind::kNumber) return plain_number(expression.text);
  if (expression.operands.empty()) return expression.text;
  std::string text = expression.text;
  if (expression.kind != ExpressionKind::kFunction)
    text = fmt::format("#{}{}", static_cast<int>(expression.kind), text);
  text += "(";
  for (const Expression& operand : expression.operands) text += normal_form(operand) + ",";
  for (const std::string& op : expression.operators) text += op;
  return text + ")";
}

void multiply_sum(Term& product, const Expression& sum, int power) {
  const std::vector<Term> terms = terms_of(sum);
  if (terms.empty()) {
    product.add("0", power);
  } else if (terms.size() == 1) {
    if (terms[0].is_negative && power % 2 != 0) product.is_negative = !product.is_negative;
    for (const auto& [name, count] : terms[0].factors) product.add(name, count * power);
  } else {
    product.add(sum_text(terms), power);
  }
}

void multiply(Term& product, const Expression& factor, int power) {
  switch (factor.kind) {
    case ExpressionKind::kMultiply:
      for (const Expression& operand : factor.operands) multiply(product, operand, power);
      return;
    case ExpressionKind::kDivide:
      multiply(product, factor.operands[0], power);
      multiply(product, factor.operands[1], -power);
      return;
    case ExpressionKind::kNegate:
      if (power % 2 != 0) product.is_negative = !product.is_negative;
      multiply(product, factor.operands[0], power);
      return;
    case ExpressionKind::kAdd:
      multiply_sum(product, factor, power);
      return;
    case ExpressionKind::kPower:
      if (const auto exponent = whole_exponent(factor.operands[1]); exponent && std::abs(power) < 1000) {
        multiply(product, factor.operands[0], power * *exponent);
        return;
      }
      break;
    default:
      break;
  }
  product.add(plain_form(factor), power);
}

std::vector<Term> terms_of(const Expression& expression) {
  std::vector<Term> terms;
  const auto append = [&](const Expression& operand, bool is_negated) {
    std::vector<Term> more = terms_of(operand);
    for (Term& term : more) {
      if (is_negated) term.is_negative = !term.is_negative;
      terms.push_back(std::move(term));
    }
  };
  switch (expression.kind) {
    case ExpressionKind::kAdd:
      for (const Expression& operand : expression.operands) append(operand, false);
      break;
    case ExpressionKind::kNegate:
      append(expression.operands[0], true);
      break;
    case ExpressionKind::kMultiply:
    case ExpressionKind::kDivide:
    case ExpressionKind::kPower: {
      Term product;
      multiply(product, expression, 1);
      terms.push_back(std::move(product));
      break;
    }
    default:
      terms.emplace_back().add(plain_form(expression), 1);
  }
  simplify(terms);
  return terms;
}

// ---- what a text holds ----

const std::map<std::string, std::vector<std::string>, std::less<>>& spelt_numbers() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> words = {
      {"zero", {"0"}},     {"one", {"1"}},        {"two", {"2"}},       {"three", {"3"}},
      {"four", {"4"}},     {"five", {"5"}},       {"six", {"6"}},       {"seven", {"7"}},
      {"eight", {"8"}},    {"nine", {"9"}},       {"ten", {"10"}},      {"eleven", {"11"}},
      {"twelve", {"12"}},  {"thirteen", {"13"}},  {"fourteen", {"14"}}, {"fifteen", {"15"}},
      {"sixteen", {"16"}}, {"seventeen", {"17"}}, {"eighteen", {"18"}}, {"nineteen", {"19"}},
      {"twenty", {"20"}},  {"twice", {"2"}},      {"double", {"2"}},    {"half", {"2", "0.5"}},
      {"triple", {"3"}},   {"thrice", {"3"}},     {"third", {"3"}},     {"quarter", {"4", "0.25"}},
      {"dozen", {"12"}},   {"squared", {"2"}},    {"square", {"2"}},    {"cubed", {"3"}},
      {"cube", {"3"}}};
  return words;
}

/// Numbers and words of a text.
struct Vocabulary {
  std::set<std::string> numbers, words;
};

Vocabulary vocabulary_of(std::string_view text) {
  Vocabulary found;
  const auto is_digit = [&](size_t i) { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); };
  const auto is_letter = [&](size_t i) { return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])); };
  for (size_t i = 0; i < text.size();) {
    if (is_digit(i)) {
      std::string digits;
      while (is_digit(i) || ((text[i] == '.' || text[i] == ',') && is_digit(i + 1))) {
        if (text[i] != ',') digits += text[i];
        if (++i >= text.size()) break;
      }
      found.numbers.insert(plain_number(digits));
      const size_t size = exponent_size(text.substr(i));  // 2e-3 may be 0.002, or 2 times Euler's e, less 3
      const auto scientific = size > 0 ? plain_decimal(digits, text.substr(i, size)) : std::nullopt;
      if (scientific) found.numbers.insert(plain_number(*scientific));
    } else if (is_letter(i)) {
      std::string word;
      while (is_letter(i)) word += text[i++];
      found.words.insert(word);
      std::transform(word.begin(), word.end(), word.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      found.words.insert(word);
      if (const auto spelt = spelt_numbers().find(word); spelt != spelt_numbers().end()) {
        found.numbers.insert(spelt->second.begin(), spelt->second.end());
      }
    } else {
      ++i;
    }
  }
  return found;
}

/// The name of a symbol without its index.
std::string stem(const std::string& name) {
  return name.substr(0, name.find('_'));
}

bool all_known(const Expression& expression, const Vocabulary& vocabulary, bool numbers_too, bool& any) {
  switch (expression.kind) {
    case ExpressionKind::kNumber:
      if (!numbers_too) break;
      any = true;
      if (!vocabulary.numbers.count(plain_number(expression.text))) return false;
      break;
    case ExpressionKind::kSymbol:
      any = true;
      if (!vocabulary.words.count(stem(expression.text))) return false;
      break;
    case ExpressionKind::kFunction:
      if (numbers_too && !vocabulary.words.count(expression.text)) return false;
      break;
    default:
      break;
  }
  return std::all_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expression& operand) { return all_known(operand, vocabulary, numbers_too, any); });
}

}  // namespace

std::string prompt_text(const Problem& problem) {
  std::string text;
  for (const Message& message : problem.prompt) text += message.content + "\n";
  return text;
}

std::string normal_form(const Expression& expression) {
  return sum_text(terms_of(expression));
}

bool is_derived(const Expression& expression, std::string_view problem_text) {
  bool any = false;
  return all_known(expression, vocabulary_of(problem_text), true, any) && any;
}

bool has_foreign_symbol(std::string_view text, std::string_view gold, std::string_view problem_text) {
  const auto parsed = parse_math(text), parsed_gold = parse_math(gold);
  const auto as_units = parse_math(text, {.letters = UnitLetters::kAll});
  const Expression* const tree = std::get_if<Expression>(&parsed);
  const Expression* const unit_tree = std::get_if<Expression>(&as_units);
  if (!tree) return false;
  Vocabulary vocabulary = vocabulary_of(problem_text);
  if (const Expression* const gold_tree = std::get_if<Expression>(&parsed_gold)) {
    for (const std::string& symbol : symbols_of(*gold_tree)) vocabulary.words.insert(stem(symbol));
  }
  bool any = false;
  return !all_known(*tree, vocabulary, false, any) && !(unit_tree && all_known(*unit_tree, vocabulary, false, any));
}

bool did_work(std::span<const Expression> steps, const Expression& gold, std::string_view problem_text,
              int64_t min_steps, std::string* why_not) {
  const auto fail = [&](const std::string& why) {
    if (why_not) *why_not = why;
    return false;
  };
  if (steps.empty()) return fail("there are no steps");
  if (!is_derived(steps.front(), problem_text)) return fail("the first expression is not taken from the problem");
  const Vocabulary vocabulary = vocabulary_of(problem_text);
  std::set<std::string> seen;
  std::set<std::pair<std::string, std::string>> transitions;
  std::string previous;
  for (size_t i = 0; i < steps.size(); ++i) {
    bool any = false;
    if (!all_known(steps[i], vocabulary, false, any)) return fail("a symbol is not the problem's");
    const std::string form = normal_form(steps[i]);
    if (i == 0 && form == normal_form(gold)) return fail("the first expression is the answer");
    if (i > 0 && form == previous) return fail("a step only writes the one before it in another way");
    if (!seen.insert(form).second) return fail("a step goes back to an earlier one");
    if (i > 0) transitions.insert({previous, form});
    previous = form;
  }
  if (static_cast<int64_t>(transitions.size()) < min_steps) {
    return fail(fmt::format("{} transitions of {}", transitions.size(), min_steps));
  }
  return true;
}

}  // namespace plumbline
