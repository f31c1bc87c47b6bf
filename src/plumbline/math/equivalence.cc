#include "plumbline/math/equivalence.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

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

std::vector<Expression> parts_of_union(const Expression& e) {
  std::vector<Expression> parts;
  for (const Expression& part :
       e.kind == Kind::kUnion || e.kind == Kind::kList ? e.operands : std::vector<Expression>{e}) {
    Expression plain = interval_of(part).value_or(part);
    if (plain.kind == Kind::kTuple && plain.operands.size() == 2)
      plain = make_node(Kind::kInterval, plain.operands, "()");
    parts.push_back(std::move(plain));
  }
  return parts;
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
  const bool turns = is_order(a.operators[0]) && a.operators[0][0] != b.operators[0][0];
  const std::string sign = turns ? flipped(b.operators[0]) : b.operators[0];
  const auto zero_form = [](const Expression& relation, bool turned) {
    return make_node(
        Kind::kAdd, {relation.operands[turned ? 1 : 0], make_node(Kind::kNegate, {relation.operands[turned ? 0 : 1]})});
  };
  const MathVerdict verdict =
      compare_proportional(zero_form(a, false), zero_form(b, turns), /*positive=*/is_order(a.operators[0]));
  if (verdict == MathVerdict::kEqual) return a.operators[0] == sign ? verdict : MathVerdict::kDifferent;
  return MathVerdict::kUndecided;  // other forms may have the same solutions
}

struct Peeled {
  Expression value;
  std::string unit;
  bool is_percent = false;
};

Peeled peel(const Expression& e) {
  if (e.kind == Kind::kUnit) {
    Peeled inner = peel(e.operands[0]);
    if (inner.unit.empty()) return {inner.value, e.text, inner.is_percent};
  }
  if (e.kind == Kind::kPercent) return {e.operands[0], "", true};
  if (e.kind == Kind::kNegate) {
    Peeled inner = peel(e.operands[0]);
    inner.value = make_node(Kind::kNegate, {inner.value});
    return inner;
  }
  return {e, "", false};
}

Expression scaled(const Expression& value, const std::string& fraction) {
  auto factor = parse_math(fraction);
  return make_node(Kind::kMultiply, {value, std::get<Expression>(factor)});
}

/// A percentage beside a plain number: 50% is .5, and whether it is "50" the text does not say.
MathVerdict compare_percent(const Expression& percent, const Expression& plain) {
  const MathVerdict as_share = compare_scalars(scaled(percent, "1/100"), plain);
  if (as_share != MathVerdict::kDifferent) return as_share;
  return compare_scalars(percent, plain) == MathVerdict::kDifferent ? MathVerdict::kDifferent : MathVerdict::kUndecided;
}

MathVerdict compare_quantities(const Peeled& a, const Peeled& b) {
  const auto unit_a = find_unit(a.unit), unit_b = find_unit(b.unit);
  if (unit_a && unit_b) {
    if (unit_a->dimension != unit_b->dimension) return MathVerdict::kDifferent;
    return compare_scalars(scaled(a.value, unit_a->exact), scaled(b.value, unit_b->exact));
  }
  const bool both = !a.unit.empty() && !b.unit.empty();
  if (both && a.unit != b.unit) return MathVerdict::kUndecided;
  const MathVerdict plain = compare_scalars(a.value, b.value);
  const bool has_degrees = (unit_a && unit_a->dimension == "degree") || (unit_b && unit_b->dimension == "degree");
  if (both || !has_degrees || plain == MathVerdict::kEqual) return plain;
  const Expression &degrees = unit_a ? a.value : b.value, &radians = unit_a ? b.value : a.value;
  return compare_scalars(scaled(degrees, "\\pi/180"), radians);
}

MathVerdict compare_plain(const Expression& a, const Expression& b) {
  const Peeled peeled_a = peel(a), peeled_b = peel(b);
  if (peeled_a.is_percent && peeled_b.is_percent) return compare_scalars(peeled_a.value, peeled_b.value);
  if (peeled_a.is_percent) return compare_percent(peeled_a.value, peeled_b.value);
  if (peeled_b.is_percent) return compare_percent(peeled_b.value, peeled_a.value);
  return compare_quantities(peeled_a, peeled_b);
}

/// Spaces between digits stay, as one: 1 1/2 is not 11/2.
std::string without_spaces(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string out;
  bool is_apart = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) || c == '$') {
      is_apart = true;
      continue;
    }
    if (is_apart && !out.empty() && is_digit(out.back()) && is_digit(c)) out += ' ';
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
    if (interval_a) return is_container(b) ? compare_containers(*interval_a, b) : MathVerdict::kUndecided;
    if (interval_b) return is_container(a) ? compare_containers(a, *interval_b) : MathVerdict::kUndecided;
    return MathVerdict::kUndecided;
  }
  if (is_container(a) || is_container(b)) return compare_containers(a, b);
  return compare_plain(a, b);
}

MathComparison compare_math(std::string_view a, std::string_view b) {
  const std::string text = without_spaces(a);
  if (!text.empty() && text == without_spaces(b)) return {MathVerdict::kEqual, ""};
  const auto parsed_a = parse_math(a), parsed_b = parse_math(b);
  for (const auto* parsed : {&parsed_a, &parsed_b}) {
    if (const auto* failure = std::get_if<MathFailure>(parsed)) {
      return {MathVerdict::kUndecided,
              fmt::format("{}, byte {}: {}", parsed == &parsed_a ? "a" : "b", failure->offset, failure->reason)};
    }
  }
  const MathVerdict verdict = compare_expressions(std::get<Expression>(parsed_a), std::get<Expression>(parsed_b));
  return {verdict, verdict == MathVerdict::kUndecided ? "read, and not decided" : ""};
}

}  // namespace plumbline
