#include "plumbline/math/equivalence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "plumbline/math/evaluation.h"
#include "plumbline/math/parser.h"
#include "plumbline/math/scalar_equivalence.h"
#include "plumbline/math/units.h"

namespace plumbline {
namespace {

using Kind = ExpressionKind;
constexpr size_t kMostEntries = 64;

bool is_container(const Expression& e) {
  return e.kind == Kind::kTuple || e.kind == Kind::kList || e.kind == Kind::kSet || e.kind == Kind::kInterval ||
         e.kind == Kind::kUnion || e.kind == Kind::kMatrix;
}

bool is_equation(const Expression& e) {
  return e.kind == Kind::kRelation && e.operators.size() == 1 && e.operators[0] == "=";
}

/// "x" and "f(x)": what may stand before an answer's equals sign.
bool is_label(const Expression& e) {
  if (e.kind == Kind::kSymbol) return true;
  return e.kind == Kind::kMultiply && e.operands.size() == 2 && e.operands[0].kind == Kind::kSymbol &&
         e.operands[1].kind == Kind::kSymbol;
}

bool is_order(const std::string& text) {
  return text == "<" || text == "<=" || text == ">" || text == ">=";
}

std::string flipped(const std::string& text) {
  return text == "<" ? ">" : text == "<=" ? ">=" : text == ">" ? "<" : text == ">=" ? "<=" : text;
}

Expression infinity(bool is_negative) {
  Expression result;
  result.kind = Kind::kConstant;
  result.text = "infinity";
  return is_negative ? make_node(Kind::kNegate, {result}) : result;
}

/// x > 3, 3 < x and 1 < x <= 3 as intervals; `text` is "(]" and so on. Unset for other relations.
std::optional<Expression> interval_of(const Expression& e) {
  if (e.kind != Kind::kRelation || e.operands.size() > 3) return std::nullopt;
  if (!std::all_of(e.operators.begin(), e.operators.end(), is_order)) return std::nullopt;
  const auto is_bound = [](const Expression& bound) { return symbols_of(bound).empty() && !is_container(bound); };
  if (e.operands.size() == 2) {
    const bool variable_first = e.operands[0].kind == Kind::kSymbol;
    const Expression& bound = e.operands[variable_first ? 1 : 0];
    if (e.operands[variable_first ? 0 : 1].kind != Kind::kSymbol || !is_bound(bound)) return std::nullopt;
    const std::string sign = variable_first ? e.operators[0] : flipped(e.operators[0]);
    if (sign[0] == '>') return make_node(Kind::kInterval, {bound, infinity(false)}, sign == ">" ? "()" : "[)");
    return make_node(Kind::kInterval, {infinity(true), bound}, sign == "<" ? "()" : "(]");
  }
  if (e.operands[1].kind != Kind::kSymbol || !is_bound(e.operands[0]) || !is_bound(e.operands[2])) return std::nullopt;
  if (e.operators[0][0] != e.operators[1][0]) return std::nullopt;
  const bool rises = e.operators[0][0] == '<';
  const std::string& before = rises ? e.operators[0] : e.operators[1];
  const std::string& after = rises ? e.operators[1] : e.operators[0];
  return make_node(Kind::kInterval, {e.operands[rises ? 0 : 2], e.operands[rises ? 2 : 0]},
                   std::string(before.size() == 2 ? "[" : "(") + (after.size() == 2 ? "]" : ")"));
}

/// Both signs of every +-; the tree itself when there is none. Empty beyond 16 variants.
std::vector<Expression> variants_of(const Expression& e) {
  std::vector<Expression> results = {e};
  results[0].operands.clear();
  for (const Expression& operand : e.operands) {
    const std::vector<Expression> of_operand = variants_of(operand);
    std::vector<Expression> longer;
    for (const Expression& so_far : results) {
      for (const Expression& variant : of_operand) {
        longer.push_back(so_far);
        longer.back().operands.push_back(variant);
      }
    }
    if (longer.empty() || longer.size() > 16) return {};
    results = std::move(longer);
  }
  if (e.kind != Kind::kPlusMinus) return results;
  std::vector<Expression> signed_results;
  for (const Expression& variant : results) {
    const bool is_binary = variant.operands.size() == 2;
    const Expression minus = make_node(Kind::kNegate, {variant.operands.back()});
    signed_results.push_back(is_binary ? make_node(Kind::kAdd, {variant.operands[0], variant.operands[1]})
                                       : variant.operands[0]);
    signed_results.push_back(is_binary ? make_node(Kind::kAdd, {variant.operands[0], minus}) : minus);
  }
  return signed_results;
}

bool has_plus_minus(const Expression& e) {
  return e.kind == Kind::kPlusMinus || std::any_of(e.operands.begin(), e.operands.end(), has_plus_minus);
}

MathVerdict all_of(const std::vector<Expression>& a, const std::vector<Expression>& b) {
  if (a.size() != b.size()) return MathVerdict::kDifferent;
  MathVerdict verdict = MathVerdict::kEqual;
  for (size_t i = 0; i < a.size(); ++i) {
    const MathVerdict entry = compare_expressions(a[i], b[i]);
    if (entry == MathVerdict::kDifferent) return entry;
    if (entry == MathVerdict::kUndecided) verdict = entry;
  }
  return verdict;
}

/// Whether every entry of `a` has its like in `b`.
MathVerdict all_within(const std::vector<Expression>& a, const std::vector<Expression>& b) {
  MathVerdict verdict = MathVerdict::kEqual;
  for (const Expression& entry : a) {
    bool is_found = false, is_open = false;
    for (const Expression& other : b) {
      const MathVerdict of_pair = compare_expressions(entry, other);
      is_found = is_found || of_pair == MathVerdict::kEqual;
      is_open = is_open || of_pair == MathVerdict::kUndecided;
    }
    if (!is_found && !is_open) return MathVerdict::kDifferent;
    if (!is_found) verdict = MathVerdict::kUndecided;
  }
  return verdict;
}

MathVerdict compare_unordered(const std::vector<Expression>& a, const std::vector<Expression>& b) {
  if (a.size() > kMostEntries || b.size() > kMostEntries) return MathVerdict::kUndecided;
  const MathVerdict there = all_within(a, b), back = all_within(b, a);
  if (there == MathVerdict::kDifferent || back == MathVerdict::kDifferent) return MathVerdict::kDifferent;
  return there == MathVerdict::kEqual && back == MathVerdict::kEqual ? MathVerdict::kEqual : MathVerdict::kUndecided;
}

/// Entries of what has no order; a single value is one entry.
std::vector<Expression> entries_of(const Expression& e) {
  return e.kind == Kind::kList || e.kind == Kind::kSet ? e.operands : std::vector<Expression>{e};
}

MathVerdict compare_intervals(const Expression& a, const Expression& b) {
  const MathVerdict ends = all_of(a.operands, b.operands);
  if (ends != MathVerdict::kEqual) return ends;
  // A closed bracket at infinity is a slip of the pen.
  for (const size_t end : {0, 1}) {
    if (a.text[end] != b.text[end] && infinity_sign(a.operands[end]) == 0) return MathVerdict::kDifferent;
  }
  return MathVerdict::kEqual;
}

/// (a, b) is a pair or an open interval; [a, b] an interval or a list.
MathVerdict compare_pair_with_interval(const Expression& pair, const Expression& interval) {
  const MathVerdict ends = all_of(pair.operands, interval.operands);
  if (ends != MathVerdict::kEqual || interval.text == "()") return ends;
  return interval.text == "[]" ? MathVerdict::kUndecided : MathVerdict::kDifferent;
}

/// (a, b) beside an inequality is an open interval.
Expression as_interval(const Expression& e) {
  return e.kind == Kind::kTuple && e.operands.size() == 2 ? make_node(Kind::kInterval, e.operands, "()") : e;
}

std::vector<Expression> parts_of_union(const Expression& e) {
  std::vector<Expression> parts;
  for (const Expression& part :
       e.kind == Kind::kUnion || e.kind == Kind::kList ? e.operands : std::vector<Expression>{e}) {
    parts.push_back(as_interval(interval_of(part).value_or(part)));
  }
  return parts;
}

/// 2 hours and 30 minutes beside a list.
Expression as_list(const Expression& e) {
  return e.kind == Kind::kAdd && e.text == kListedSum ? make_node(Kind::kList, e.operands) : e;
}

MathVerdict compare_containers(const Expression& a, const Expression& b) {
  if (a.kind == Kind::kUnion || b.kind == Kind::kUnion) return compare_unordered(parts_of_union(a), parts_of_union(b));
  if (a.kind == Kind::kMatrix && b.kind == Kind::kMatrix) {
    return a.num_columns == b.num_columns ? all_of(a.operands, b.operands) : MathVerdict::kDifferent;
  }
  if (a.kind == Kind::kInterval && b.kind == Kind::kInterval) return compare_intervals(a, b);
  if (a.kind == Kind::kTuple && b.kind == Kind::kInterval && a.operands.size() == 2)
    return compare_pair_with_interval(a, b);
  if (b.kind == Kind::kTuple && a.kind == Kind::kInterval && b.operands.size() == 2)
    return compare_pair_with_interval(b, a);
  if (a.kind == Kind::kTuple && b.kind == Kind::kTuple) return all_of(a.operands, b.operands);
  const auto has_order = [](const Expression& e) {
    return is_container(e) && e.kind != Kind::kList && e.kind != Kind::kSet;
  };
  if (!has_order(a) && !has_order(b)) return compare_unordered(entries_of(a), entries_of(b));
  return MathVerdict::kUndecided;  // a matrix beside a tuple, a tuple beside a set: notation differs from author to
                                   // author
}

/// y < 2x + 1, solved for y: a symbol on one side that the other does not have.
bool is_solved(const Expression& relation) {
  for (const size_t side : {0, 1}) {
    const Expression& symbol = relation.operands[side];
    if (symbol.kind == Kind::kSymbol && !symbols_of(relation.operands[1 - side]).count(symbol.text)) return true;
  }
  return false;
}

MathVerdict compare_relations(const Expression& a, const Expression& b) {
  const auto interval_a = interval_of(a), interval_b = interval_of(b);
  if (interval_a && interval_b) {
    return symbols_of(a) == symbols_of(b) ? compare_intervals(*interval_a, *interval_b) : MathVerdict::kUndecided;
  }
  if (a.operators.size() != 1 || b.operators.size() != 1) return MathVerdict::kUndecided;
  if (is_equation(a) && is_equation(b) && is_label(a.operands[0]) && to_text(a.operands[0]) == to_text(b.operands[0])) {
    return compare_expressions(a.operands[1], b.operands[1]);
  }
  if (is_container(a.operands[0]) || is_container(a.operands[1]) || is_container(b.operands[0]) ||
      is_container(b.operands[1])) {
    return MathVerdict::kUndecided;
  }
  const bool are_orders = is_order(a.operators[0]) && is_order(b.operators[0]);
  const bool turns = are_orders && a.operators[0][0] != b.operators[0][0];
  const std::string sign = turns ? flipped(b.operators[0]) : b.operators[0];
  const auto zero_form = [](const Expression& relation, bool turned) {
    return make_node(
        Kind::kAdd, {relation.operands[turned ? 1 : 0], make_node(Kind::kNegate, {relation.operands[turned ? 0 : 1]})});
  };
  const MathVerdict verdict = compare_proportional(zero_form(a, false), zero_form(b, turns), are_orders);
  if (verdict == MathVerdict::kEqual && a.operators[0] == sign) return verdict;
  // The two sides of y < 2x + 1 do meet; those of x^2 <= 0 do no more, so that it has the solutions of x^2 = 0.
  if (verdict == MathVerdict::kEqual && (is_solved(a) || is_solved(b))) return MathVerdict::kDifferent;
  return MathVerdict::kUndecided;  // other forms may have the same solutions
}

/// A value and its unit; a sum or product of quantities in base units.
struct Peeled {
  Expression value;
  std::string unit;           ///< as it stands there; empty without one
  std::optional<Unit> known;  ///< of a unit that is known
  bool is_percent = false;
  bool is_radians = false;
  std::optional<Expression> in_words{};  ///< the value without its number words: the 3 of 3 million
};

Expression scaled(const Expression& value, Expression factor) {
  return make_node(Kind::kMultiply, {value, std::move(factor)});
}
Expression scaled(const Expression& value, const Rational& factor) {
  if (factor == Rational(1)) return value;
  const std::string text = factor.text();
  const size_t slash = text.find('/');
  return scaled(value, make_node(Kind::kDivide, {make_leaf(Kind::kNumber, text.substr(0, slash)),
                                                 make_leaf(Kind::kNumber, text.substr(slash + 1))}));
}
Expression in_radians(const Expression& degrees) {
  return scaled(degrees, make_node(Kind::kDivide, {make_leaf(Kind::kConstant, "pi"), make_leaf(Kind::kNumber, "180")}));
}

/// "Apples" and "apple".
std::string plain_word(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text.size() > 2 && text.back() == 's') text.pop_back();
  return text;
}

Peeled peel(const Expression& e);

std::optional<Unit> product_of(const Unit& a, const Unit& b, int sign) {
  const auto factor = sign > 0 ? a.factor.times(b.factor) : a.factor.over(b.factor);
  if (!factor) return std::nullopt;
  Unit unit{*factor, a.dimension, a.is_si && b.is_si};
  for (size_t i = 0; i < unit.dimension.size(); ++i) unit.dimension[i] += sign * b.dimension[i];
  return unit;
}

/// A number where the dimensions cancel.
Peeled in_base_units(Expression value, const Dimension& dimension) {
  if (dimension == Dimension{}) return {std::move(value), "", std::nullopt};
  return {std::move(value), "base units", Unit{Rational(1), dimension}};
}

/// 3 m + 20 cm: of quantities of one dimension.
Peeled peel_sum(const Expression& e) {
  std::vector<Expression> values;
  std::optional<Dimension> dimension;
  for (const Expression& summand : e.operands) {
    const Peeled part = peel(summand);
    if (!part.known || part.is_percent || (dimension && *dimension != part.known->dimension)) return {e, "", {}};
    dimension = part.known->dimension;
    values.push_back(scaled(part.value, part.known->factor));
  }
  return in_base_units(make_node(Kind::kAdd, std::move(values)), *dimension);
}

/// 3 cm * 4 cm, 2 * 5 cm, 10 m / 2 s.
Peeled peel_product(const Expression& e, int sign) {
  if (e.operands.size() != 2) return {e, "", {}};
  const Peeled first = peel(e.operands[0]), second = peel(e.operands[1]);
  if (first.is_percent || second.is_percent) return {e, "", {}};
  if (first.unit.empty() && second.unit.empty()) return {e, "", {}};
  if ((!first.unit.empty() && !first.known) || (!second.unit.empty() && !second.known)) return {e, "", {}};
  const auto unit = product_of(first.known.value_or(Unit()), second.known.value_or(Unit()), sign);
  if (!unit) return {e, "", {}};
  const Expression value = make_node(e.kind, {first.value, second.value});
  return in_base_units(scaled(value, unit->factor), unit->dimension);
}

/// Takes the number words off the front of a unit: the "million" of "million dollars".
Expression with_number_words(Expression value, std::string& unit) {
  while (true) {
    const size_t end = std::min(unit.find(' '), unit.size());
    const auto word = find_unit(std::string_view(unit).substr(0, end));
    if (!word || word->dimension != Dimension{}) return value;
    if (word->factor == Rational(1)) return value;  // radian
    value = scaled(value, word->factor);
    unit.erase(0, std::min(end + 1, unit.size()));
  }
}

Peeled peel_unit(const Expression& e) {
  Peeled inner = peel(e.operands[0]);
  if (inner.unit.empty()) {
    inner.unit = e.text;
    Expression value = with_number_words(inner.value, inner.unit);
    if (inner.unit != e.text) inner.in_words = std::exchange(inner.value, std::move(value));
    inner.known = parse_units(inner.unit);
    if (!inner.known || inner.known->dimension != Dimension{}) return inner;
    inner.is_radians = true;
    inner.unit.clear();
    inner.known.reset();
    return inner;
  }
  const auto known = parse_units(e.text);
  if (e.operands[0].kind == Kind::kUnit && inner.known && known) {  // \$3 million
    std::string left = e.text;
    Expression value = with_number_words(inner.value, left);
    inner.in_words = std::exchange(inner.value, std::move(value));
    if (left.empty()) return inner;
  }
  return {e, "", {}};
}

bool has_units(const Expression& e) {
  return e.kind == Kind::kUnit || std::any_of(e.operands.begin(), e.operands.end(), has_units);
}

Peeled peel(const Expression& e) {
  if (e.kind != Kind::kPercent && e.kind != Kind::kNegate && !has_units(e)) return {e, "", {}};
  switch (e.kind) {
    case Kind::kUnit:
      return peel_unit(e);
    case Kind::kPercent:
      return {e.operands[0], "", {}, true};
    case Kind::kNegate: {
      Peeled inner = peel(e.operands[0]);
      inner.value = make_node(Kind::kNegate, {inner.value});
      return inner;
    }
    case Kind::kAdd:
      return peel_sum(e);
    case Kind::kMultiply:
      return peel_product(e, 1);
    case Kind::kDivide:
      return peel_product(e, -1);
    default:
      return {e, "", {}};
  }
}

/// A percentage beside a plain number: 50% is .5, and whether it is "50" the text does not say.
MathVerdict compare_percent(const Expression& percent, const Expression& plain) {
  const MathVerdict as_share = compare_scalars(make_node(Kind::kPercent, {percent}), plain);
  if (as_share != MathVerdict::kDifferent) return as_share;
  return compare_scalars(percent, plain) == MathVerdict::kDifferent ? MathVerdict::kDifferent : MathVerdict::kUndecided;
}

bool is_degree(const Dimension& dimension) {
  Dimension degree{};
  degree[kDegree] = 1;
  return dimension == degree;
}
bool is_time(const Dimension& dimension) {
  return dimension == Dimension{0, 0, 1};
}

/// A unit beside none is left out; what is right in another unit of its dimension may be what was asked for.
MathVerdict compare_with_unitless(const Peeled& quantity, const Peeled& plain) {
  const bool is_angle = quantity.known && is_degree(quantity.known->dimension);
  const MathVerdict left_out = is_angle && plain.is_radians ? MathVerdict::kDifferent  // 30 degrees beside 30 radians
                                                            : compare_scalars(quantity.value, plain.value);
  if (left_out != MathVerdict::kDifferent || !quantity.known) return left_out;
  if (is_angle) return compare_scalars(in_radians(quantity.value), plain.value);
  const auto value = exact_value(scaled(quantity.value, quantity.known->factor)), wanted = exact_value(plain.value);
  if (!value || !wanted || wanted->is_zero()) return left_out;
  for (const Unit& other : units_like(*quantity.known)) {
    const auto converted = value->over(other.factor);
    if (converted && *converted == *wanted) return MathVerdict::kUndecided;
  }
  return left_out;
}

MathVerdict compare_quantities(const Peeled& a, const Peeled& b) {
  if (a.known && b.known) {
    if (a.known->dimension == b.known->dimension)
      return compare_scalars(scaled(a.value, a.known->factor), scaled(b.value, b.known->factor));
    // "5 units" beside 5 cm; 30 minutes beside half a degree.
    const bool is_open = a.known->dimension[kAnyUnit] != b.known->dimension[kAnyUnit] ||
                         (is_degree(a.known->dimension) && is_time(b.known->dimension)) ||
                         (is_time(a.known->dimension) && is_degree(b.known->dimension));
    return is_open ? MathVerdict::kUndecided : MathVerdict::kDifferent;
  }
  if (a.unit.empty() != b.unit.empty())
    return a.unit.empty() ? compare_with_unitless(b, a) : compare_with_unitless(a, b);
  if (plain_word(a.unit) != plain_word(b.unit)) return MathVerdict::kUndecided;
  return compare_scalars(a.value, b.value);
}

MathVerdict compare_peeled(const Peeled& a, const Peeled& b) {
  if (a.is_percent && b.is_percent) return compare_scalars(a.value, b.value);
  if (a.is_percent) return compare_percent(a.value, b.value);
  if (b.is_percent) return compare_percent(b.value, a.value);
  return compare_quantities(a, b);
}

MathVerdict compare_plain(const Expression& a, const Expression& b) {
  Peeled peeled_a = peel(a), peeled_b = peel(b);
  const MathVerdict verdict = compare_peeled(peeled_a, peeled_b);
  if (verdict != MathVerdict::kDifferent || (!peeled_a.in_words && !peeled_b.in_words)) return verdict;
  // "3 million" beside 3: the question may have asked for millions.
  for (Peeled* peeled : {&peeled_a, &peeled_b}) {
    if (peeled->in_words) peeled->value = *peeled->in_words;
  }
  return compare_peeled(peeled_a, peeled_b) == MathVerdict::kDifferent ? verdict : MathVerdict::kUndecided;
}

/// Spaces between digits stay, as one: 1 1/2 is not 11/2. So do those around an e: 2e - 3 is not 2e-3.
std::string without_spaces(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_e = [](char c) { return c == 'e' || c == 'E'; };
  const auto counts = [&](char before, char after) {
    const bool is_sign = after == '-' || after == '+';
    return (is_digit(before) && (is_digit(after) || is_e(after))) || (is_e(before) && (is_digit(after) || is_sign)) ||
           ((before == '-' || before == '+') && is_digit(after));
  };
  std::string out;
  bool is_apart = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) || c == '$') {
      is_apart = true;
      continue;
    }
    if (is_apart && !out.empty() && counts(out.back(), c)) out += ' ';
    is_apart = false;
    out += c;
  }
  return out;
}

}  // namespace

std::string_view name_of(MathVerdict verdict) {
  return verdict == MathVerdict::kEqual ? "equal" : verdict == MathVerdict::kDifferent ? "different" : "undecided";
}

MathVerdict compare_expressions(const Expression& a, const Expression& b) {
  if (has_plus_minus(a) || has_plus_minus(b)) {
    const auto expanded = [](const Expression& e) { return make_node(Kind::kList, variants_of(e)); };
    if (is_container(a) || is_container(b)) {
      // Entries expand one by one inside a list or set.
      const auto flat = [](const Expression& e) {
        std::vector<Expression> entries;
        for (const Expression& entry : entries_of(e)) {
          for (Expression& variant : variants_of(entry)) entries.push_back(std::move(variant));
        }
        return entries;
      };
      return compare_unordered(flat(a), flat(b));
    }
    return compare_unordered(expanded(a).operands, expanded(b).operands);
  }
  const bool relation_a = a.kind == Kind::kRelation, relation_b = b.kind == Kind::kRelation;
  if (relation_a && relation_b) return compare_relations(a, b);
  if (is_equation(a) && is_label(a.operands[0])) return compare_expressions(a.operands[1], b);
  if (is_equation(b) && is_label(b.operands[0])) return compare_expressions(a, b.operands[1]);
  if (relation_a || relation_b) {
    const auto interval_a = interval_of(a), interval_b = interval_of(b);
    if (interval_a) return is_container(b) ? compare_containers(*interval_a, as_interval(b)) : MathVerdict::kUndecided;
    if (interval_b) return is_container(a) ? compare_containers(as_interval(a), *interval_b) : MathVerdict::kUndecided;
    return MathVerdict::kUndecided;
  }
  if (is_container(a) || is_container(b)) {
    const bool both = is_container(a) && is_container(b);
    return compare_containers(both ? a : as_list(a), both ? b : as_list(b));
  }
  return compare_plain(a, b);
}

namespace {

using Parsed = std::variant<Expression, MathFailure>;

bool is_read(const Parsed& parsed) {
  return std::holds_alternative<Expression>(parsed);
}
const Expression* tree_of(const Parsed& parsed) {
  return std::get_if<Expression>(&parsed);
}
bool is_same(const Parsed& a, const Parsed& b) {
  return is_read(a) && is_read(b) && to_text(std::get<Expression>(a)) == to_text(std::get<Expression>(b));
}

/// Two texts read in one way.
struct ReadPair {
  Parsed a, b;
  MathVerdict verdict = MathVerdict::kUndecided;

  bool is_read() const { return plumbline::is_read(a) && plumbline::is_read(b); }
};

/// Two texts, to be read in several ways; the usual one is compared at once.
class TwoTexts {
 public:
  TwoTexts(std::string_view a, std::string_view b, TreeComparison* compare) : a_(a), b_(b), compare_(compare) {
    usual_ = read({});
  }
  const ReadPair& usual() const { return usual_; }
  MathVerdict verdict() const { return usual_.verdict; }
  ReadPair read(MathReading reading) const { return compared(parse_math(a_, reading), parse_math(b_, reading)); }
  ReadPair compared(Parsed a, Parsed b) const {
    ReadPair pair{std::move(a), std::move(b)};
    const bool is_new = !is_same(pair.a, usual_.a) || !is_same(pair.b, usual_.b);
    pair.verdict = !pair.is_read() ? MathVerdict::kUndecided
                   : is_new        ? compare_(*tree_of(pair.a), *tree_of(pair.b))
                                   : usual_.verdict;
    return pair;
  }

 private:
  const std::string_view a_, b_;
  TreeComparison* const compare_;
  ReadPair usual_{MathFailure{}, MathFailure{}};
};

/// "3,14" with a point, where its one comma stands between digits. Unset for other texts.
std::optional<std::string> with_decimal_point(std::string_view text) {
  const size_t comma = text.find(',');
  const auto is_digit = [&](size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  if (comma == 0 || comma == text.npos || text.find(',', comma + 1) != text.npos) return std::nullopt;
  if (!is_digit(comma - 1) || !is_digit(comma + 1)) return std::nullopt;
  std::string plain(text);
  plain[comma] = '.';
  return plain;
}

/// What is nothing but words, without brackets and \\text: B, (B), \\text{(B)}, \\textbf{Yes}. Empty for anything else.
std::string plain_words(std::string_view text) {
  std::string plain(text);
  for (const std::string_view command : {"\\textbf", "\\textit", "\\text", "\\mathbf", "\\mathrm", "\\mbox"}) {
    if (const size_t at = plain.find(command); at != plain.npos) plain.erase(at, command.size());
  }
  std::erase_if(plain, [](char c) { return std::string_view("(){}.$").find(c) != std::string_view::npos; });
  plain.erase(0, std::min(plain.find_first_not_of(' '), plain.size()));
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  const auto is_word = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == ' '; };
  return std::all_of(plain.begin(), plain.end(), is_word) ? plain : "";
}

/// Of two answers in words, one of them marked as such: a letter of a choice decides, other words may only agree.
std::optional<MathVerdict> compare_words(std::string_view a, std::string_view b) {
  const std::string words = plain_words(a), others = plain_words(b);
  if (words.empty() || others.empty() || (a.find('\\') == a.npos && b.find('\\') == b.npos)) return std::nullopt;
  const auto is_choice = [](const std::string& text) { return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z'; };
  if (is_choice(words) && is_choice(others)) {
    return words == others ? MathVerdict::kEqual : MathVerdict::kDifferent;
  }
  const bool are_long = words.size() > 1 && others.size() > 1;
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  const bool is_equal = are_long ? lower(words) == lower(others) : words == others;
  return is_equal ? std::optional(MathVerdict::kEqual) : std::nullopt;
}

/// The verdict of readings that differ in which letters are units and which are symbols.
MathVerdict verdict_on_letters(const TwoTexts& texts) {
  const ReadPair units = texts.read({.letters = UnitLetters::kAll});
  const bool both = units.is_read() && has_units(*tree_of(units.a)) && has_units(*tree_of(units.b));
  if (both && units.verdict == MathVerdict::kEqual) return MathVerdict::kEqual;
  if (texts.read({.letters = UnitLetters::kNone}).verdict == MathVerdict::kEqual) return MathVerdict::kEqual;
  if (texts.verdict() == MathVerdict::kUndecided) return both ? units.verdict : MathVerdict::kUndecided;
  // "3 m" beside 3: a unit left out, or three times m. "1 h" beside 3600 may be the same in seconds.
  const ReadPair spaced = texts.read({.letters = UnitLetters::kSpaced});
  const bool is_quantity =
      spaced.is_read() && (tree_of(spaced.a)->kind == Kind::kUnit || tree_of(spaced.b)->kind == Kind::kUnit);
  const bool is_open =
      spaced.verdict == MathVerdict::kEqual || (spaced.verdict == MathVerdict::kUndecided && is_quantity);
  return is_open ? MathVerdict::kUndecided : texts.verdict();
}

/// Whether another reading of numbers and slashes makes equal what is different.
bool may_be_equal(const TwoTexts& texts, std::string_view a, std::string_view b) {
  if (texts.read({.scientific = false}).verdict == MathVerdict::kEqual) return true;
  if (texts.read({.slash_ends_at_factor = false}).verdict == MathVerdict::kEqual) return true;
  const auto point_a = with_decimal_point(a), point_b = with_decimal_point(b);
  if (!point_a && !point_b) return false;
  return texts.compared(parse_math(point_a ? *point_a : a), parse_math(point_b ? *point_b : b)).verdict ==
         MathVerdict::kEqual;
}

}  // namespace

MathComparison compare_math(std::string_view a, std::string_view b, TreeComparison* compare) {
  const std::string text = without_spaces(a);
  if (!text.empty() && text == without_spaces(b)) return {MathVerdict::kEqual, ""};
  if (const auto words = compare_words(a, b)) return {*words, ""};
  const TwoTexts texts(a, b, compare);
  MathVerdict verdict = texts.verdict();
  if (verdict != MathVerdict::kEqual) verdict = verdict_on_letters(texts);
  if (verdict == MathVerdict::kDifferent && may_be_equal(texts, a, b)) verdict = MathVerdict::kUndecided;
  if (verdict != MathVerdict::kUndecided) return {verdict, ""};
  if (const auto* failure = std::get_if<MathFailure>(&texts.usual().a)) {
    return {verdict, fmt::format("a, byte {}: {}", failure->offset, failure->reason)};
  }
  if (const auto* failure = std::get_if<MathFailure>(&texts.usual().b)) {
    return {verdict, fmt::format("b, byte {}: {}", failure->offset, failure->reason)};
  }
  return {verdict, "read, and not decided"};
}

}  // namespace plumbline
