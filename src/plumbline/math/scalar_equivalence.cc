#include "plumbline/math/scalar_equivalence.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumbline/base/rng.h"
#include "plumbline/math/evaluation.h"

namespace plumbline {
namespace {

constexpr int kNumPoints = 16;
constexpr int kEnoughPoints = 4;
constexpr size_t kMostSymbols = 4;
constexpr int kMostSafeBits = 48;       ///< of a fraction that may equal an irrational expression by its value
constexpr long double kTight = 1e-12L;  ///< relative rounding error up to which agreement counts

struct PointPair {
  Ball a, b;
  bool is_real = false;
};

/// Both values at every point where both have one.
std::vector<PointPair> values_at_points(const Expression& a, const Expression& b, long double log_base) {
  std::set<std::string> names = symbols_of(a);
  names.merge(symbols_of(b));
  std::vector<PointPair> pairs;
  const int num_points = names.empty() ? 1 : kNumPoints;
  for (int point = 0; point < num_points; ++point) {
    Assignment assignment;
    assignment.log_base = log_base;
    CounterRng rng({.seed = 20, .stream = Stream::kMathProbes, .sample = static_cast<uint32_t>(point)});
    for (const std::string& name : names) {
      const double size = 0.2 + 2.6 * rng.next_unit();
      const bool is_negative = point >= kNumPoints / 2 && rng.next_unit() < 0.5;
      assignment.symbols[name] = is_negative ? -size : size;
    }
    const auto value_a = ball_value(a, assignment), value_b = ball_value(b, assignment);
    if (value_a && value_b) pairs.push_back({*value_a, *value_b, value_a->is_real() && value_b->is_real()});
  }
  return pairs;
}

/// Real points alone when there are enough of them; all points when none is real.
std::vector<PointPair> points_that_count(std::vector<PointPair> pairs, bool has_symbols) {
  const auto num_real = std::count_if(pairs.begin(), pairs.end(), [](const PointPair& pair) { return pair.is_real; });
  if (num_real > 0 && has_symbols) std::erase_if(pairs, [](const PointPair& pair) { return !pair.is_real; });
  return pairs;
}

bool is_apart(const Ball& a, const Ball& b) {
  return std::abs(a.value - b.value) > 4 * (a.radius + b.radius);
}

bool agrees(const Ball& a, const Ball& b) {
  const long double error = a.radius + b.radius, size = std::max(std::abs(a.value), std::abs(b.value));
  return std::abs(a.value - b.value) <= error && error <= kTight * std::max(size, 1e-3L);
}

MathVerdict compare_at_points(const Expression& a, const Expression& b, long double log_base) {
  const bool has_symbols = !symbols_of(a).empty() || !symbols_of(b).empty();
  const std::vector<PointPair> pairs = points_that_count(values_at_points(a, b, log_base), has_symbols);
  int num_agreeing = 0;
  for (const PointPair& pair : pairs) {
    if (is_apart(pair.a, pair.b)) return MathVerdict::kDifferent;
    num_agreeing += agrees(pair.a, pair.b);
  }
  const int needed = has_symbols ? kEnoughPoints : 1;
  return num_agreeing >= needed && num_agreeing == static_cast<int>(pairs.size()) ? MathVerdict::kEqual
                                                                                  : MathVerdict::kUndecided;
}

MathVerdict proportional_at_points(const Expression& a, const Expression& b, bool positive, long double log_base) {
  const std::vector<PointPair> pairs = points_that_count(values_at_points(a, b, log_base), true);
  std::optional<Ball> first;
  int num_agreeing = 0;
  for (const PointPair& pair : pairs) {
    const auto ratio = quotient(pair.a, pair.b);
    if (!ratio) continue;
    if (!first) first = ratio;
    if (is_apart(*ratio, *first)) return MathVerdict::kDifferent;
    num_agreeing += agrees(*ratio, *first);
  }
  if (num_agreeing < kEnoughPoints || !first->is_real()) return MathVerdict::kUndecided;
  if (std::abs(first->value) <= 4 * first->radius) return MathVerdict::kUndecided;
  return positive && first->value.real() < 0 ? MathVerdict::kDifferent : MathVerdict::kEqual;
}

/// Bare logarithms are read both ways.
template <typename Compare>
MathVerdict under_both_logs(const Expression& a, const Expression& b, const Compare& compare) {
  const MathVerdict natural = compare(0.0L);
  if (!has_bare_log(a) && !has_bare_log(b)) return natural;
  return compare(10.0L) == natural ? natural : MathVerdict::kUndecided;
}

bool has_too_many_symbols(const Expression& a, const Expression& b) {
  std::set<std::string> names = symbols_of(a);
  names.merge(symbols_of(b));
  return names.size() > kMostSymbols;
}

}  // namespace

int infinity_sign(const Expression& expression) {
  if (expression.kind == ExpressionKind::kNegate) return -infinity_sign(expression.operands[0]);
  return expression.kind == ExpressionKind::kConstant && expression.text == "infinity" ? 1 : 0;
}

MathVerdict compare_scalars(const Expression& a, const Expression& b) {
  const int infinity_a = infinity_sign(a), infinity_b = infinity_sign(b);
  if (infinity_a != 0 || infinity_b != 0) {
    return infinity_a == infinity_b ? MathVerdict::kEqual : MathVerdict::kDifferent;
  }
  const auto exact_a = exact_value(a), exact_b = exact_value(b);
  if (exact_a && exact_b) return *exact_a == *exact_b ? MathVerdict::kEqual : MathVerdict::kDifferent;
  if (has_too_many_symbols(a, b)) return MathVerdict::kUndecided;
  const MathVerdict verdict = under_both_logs(a, b, [&](long double base) { return compare_at_points(a, b, base); });
  // exp(pi sqrt(163)) is within 1e-12 of a whole number of 18 digits: rounding cannot tell such pairs apart.
  const bool is_long =
      (exact_a && exact_a->num_bits() > kMostSafeBits) || (exact_b && exact_b->num_bits() > kMostSafeBits);
  return verdict == MathVerdict::kEqual && is_long ? MathVerdict::kUndecided : verdict;
}

MathVerdict compare_proportional(const Expression& a, const Expression& b, bool positive) {
  if (has_too_many_symbols(a, b)) return MathVerdict::kUndecided;
  return under_both_logs(a, b, [&](long double base) { return proportional_at_points(a, b, positive, base); });
}

}  // namespace plumbline
