#include "plumbline/math/scalar_equivalence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "plumbline/base/rng.h"
#include "plumbline/base/sha256.h"
#include "plumbline/math/evaluation.h"

namespace plumbline {
namespace {

constexpr int kNumPoints = 16;     ///< near ones, at which both must agree
constexpr int kNumFarPoints = 24;  ///< over ten decades of both signs, which may only refute
constexpr int kNumBeyond = 8;      ///< of those, beyond the largest number of either side
constexpr int kEnoughPoints = 4;
constexpr size_t kMostSymbols = 4;
constexpr int kMostSafeBits = 48;       ///< of a fraction that may equal an irrational expression by its value
constexpr long double kFaint = 1e-30L;  ///< values that may be what underflow left
constexpr long double kTight = 1e-12L;  ///< relative rounding error up to which agreement counts

/// Values of the symbols, as fractions and rounded.
struct Point {
  std::map<std::string, Rational> fractions;
  Assignment assignment;
  bool is_far = false;
};

void set_symbol(Point& point, const std::string& name, int64_t above, int64_t below) {
  point.fractions.emplace(name, *Rational(above).over(Rational(below)));
  point.assignment.symbols[name] = static_cast<long double>(above) / static_cast<long double>(below);
}

/// The largest size of a number that stands in the tree, as a place at which an expression may turn.
int64_t largest_number(const Expression& e) {
  constexpr int64_t kMost = 1'000'000'000'000;
  int64_t largest = 0;
  if (symbols_of(e).empty()) {
    const auto value = ball_value(e, {});
    if (value && std::abs(value->value) < kMost) largest = static_cast<int64_t>(std::abs(value->value)) + 1;
  }
  for (const Expression& operand : e.operands) largest = std::max(largest, largest_number(operand));
  return largest;
}

/// The points follow from what is compared, so that no answer can be made to fit them.
uint64_t seed_of(const Expression& a, const Expression& b) {
  std::string first = to_text(a), second = to_text(b);
  if (second < first) std::swap(first, second);
  return std::stoull(sha256_hex(first + "\n" + second).substr(0, 12), nullptr, 16);
}

/// Near: sizes from 0.2 to 2.8, the second half of both signs. Far: sizes from 1e-4 to 1e6 and beyond the largest
/// number of either side.
std::vector<Point> points_for(const Expression& a, const Expression& b, const std::set<std::string>& names) {
  constexpr std::array<int64_t, 10> kScales = {1, 10, 100, 1000, 10'000, 100'000, 1, 10, 100, 1000};
  const int64_t beyond = 2 * std::max(largest_number(a), largest_number(b));
  const uint64_t seed = seed_of(a, b);
  std::vector<Point> points(names.empty() ? 1 : kNumPoints + kNumFarPoints);
  for (size_t i = 0; i < points.size(); ++i) {
    Point& point = points[i];
    point.is_far = i >= kNumPoints;
    CounterRng rng({.seed = seed, .stream = Stream::kMathProbes, .sample = static_cast<uint32_t>(i)});
    size_t turn = i;  // beyond, every choice of signs of three symbols comes up
    for (const std::string& name : names) {
      const auto size = static_cast<int64_t>(2000 + 26000 * rng.next_unit());  // ten thousandths
      bool is_negative = i >= kNumPoints / 2 && rng.next_unit() < 0.5;
      int64_t above = size, below = 10'000;
      if (i + kNumBeyond >= points.size() && point.is_far) {
        above += beyond * below;
        is_negative = turn % 2 == 1;
        turn /= 2;
      } else if (point.is_far) {
        const auto scale = static_cast<size_t>(rng.next_unit() * kScales.size());
        if (scale < 6) {
          above *= kScales[scale];
        } else {
          below *= kScales[scale];
        }
      }
      set_symbol(point, name, is_negative ? -above : above, below);
    }
  }
  return points;
}

/// What is compared, and where.
struct Comparison {
  Comparison(const Expression& a, const Expression& b, const std::set<std::string>& names)
      : a(a), b(b), has_symbols(!names.empty()), points(points_for(a, b, names)) {}

  const Expression &a, &b;
  const bool has_symbols;
  const std::vector<Point> points;
};

struct PointPair {
  Ball a, b;
  bool is_real = false, is_far = false;
};

/// Both values at every point where both have one.
std::vector<PointPair> values_at_points(const Comparison& comparison, long double log_base) {
  std::vector<PointPair> pairs;
  for (const Point& point : comparison.points) {
    Assignment assignment = point.assignment;
    assignment.log_base = log_base;
    const auto value_a = ball_value(comparison.a, assignment), value_b = ball_value(comparison.b, assignment);
    if (value_a && value_b) {
      pairs.push_back({*value_a, *value_b, value_a->is_real() && value_b->is_real(), point.is_far});
    }
  }
  return pairs;
}

/// Of two sides that are fractions of their symbols: no rounding hides anything. Unset when they are none, or have
/// values at too few points.
std::optional<MathVerdict> compare_exactly(const Comparison& comparison) {
  if (!comparison.has_symbols) return std::nullopt;
  int num_agreeing = 0;
  for (const Point& point : comparison.points) {
    const auto value_a = exact_value(comparison.a, point.fractions);
    const auto value_b = exact_value(comparison.b, point.fractions);
    if (!value_a || !value_b) continue;
    if (!(*value_a == *value_b)) return MathVerdict::kDifferent;
    ++num_agreeing;
  }
  return num_agreeing >= kNumPoints / 2 ? std::optional(MathVerdict::kEqual) : std::nullopt;
}

/// Real points alone when there are enough of them; all points when none is real.
std::vector<PointPair> points_that_count(std::vector<PointPair> pairs, bool has_symbols) {
  std::erase_if(pairs, [](const PointPair& pair) { return pair.is_far; });
  const auto num_real = std::count_if(pairs.begin(), pairs.end(), [](const PointPair& pair) { return pair.is_real; });
  if (num_real > 0 && has_symbols) std::erase_if(pairs, [](const PointPair& pair) { return !pair.is_real; });
  return pairs;
}

bool is_apart(const Ball& a, const Ball& b) {
  return std::abs(a.value - b.value) > 4 * (a.radius + b.radius);
}

bool is_tight(const Ball& a, const Ball& b) {
  return a.radius + b.radius <= kTight * std::max({std::abs(a.value), std::abs(b.value), 1e-3L});
}

bool agrees(const Ball& a, const Ball& b) {
  return std::abs(a.value - b.value) <= a.radius + b.radius && is_tight(a, b);
}

/// Far out rounding may hide much, so that agreement there is no evidence; a difference is.
bool is_refuted(const std::vector<PointPair>& pairs) {
  return std::any_of(pairs.begin(), pairs.end(), [](const PointPair& pair) {
    const long double size = std::max(std::abs(pair.a.value), std::abs(pair.b.value));
    const bool is_clear = size > kFaint && std::abs(pair.a.value - pair.b.value) > kTight * size;
    return pair.is_far && pair.is_real && is_clear && is_tight(pair.a, pair.b) && is_apart(pair.a, pair.b);
  });
}

bool hides_detail_nearby(const Comparison& comparison) {
  const Assignment& near = comparison.points.front().assignment;
  return hides_detail(comparison.a, near) || hides_detail(comparison.b, near);
}

MathVerdict compare_at_points(const Comparison& comparison, long double log_base) {
  const std::vector<PointPair> all = values_at_points(comparison, log_base);
  const std::vector<PointPair> pairs = points_that_count(all, comparison.has_symbols);
  if (is_refuted(all)) return MathVerdict::kDifferent;
  int num_agreeing = 0;
  for (const PointPair& pair : pairs) {
    if (is_apart(pair.a, pair.b)) return MathVerdict::kDifferent;
    num_agreeing += agrees(pair.a, pair.b);
  }
  const int needed = comparison.has_symbols ? kEnoughPoints : 1;
  return num_agreeing >= needed && num_agreeing == static_cast<int>(pairs.size()) ? MathVerdict::kEqual
                                                                                  : MathVerdict::kUndecided;
}

MathVerdict proportional_at_points(const Comparison& comparison, bool positive, long double log_base) {
  const std::vector<PointPair> pairs = points_that_count(values_at_points(comparison, log_base), true);
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
MathVerdict under_both_logs(const Comparison& comparison, const Compare& compare) {
  const MathVerdict natural = compare(0.0L);
  if (!has_bare_log(comparison.a) && !has_bare_log(comparison.b)) return natural;
  return compare(10.0L) == natural ? natural : MathVerdict::kUndecided;
}

std::set<std::string> symbols_of_both(const Expression& a, const Expression& b) {
  std::set<std::string> names = symbols_of(a);
  names.merge(symbols_of(b));
  return names;
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
  const std::set<std::string> names = symbols_of_both(a, b);
  if (names.size() > kMostSymbols) return MathVerdict::kUndecided;
  const Comparison comparison(a, b, names);
  if (const auto exact = compare_exactly(comparison)) return *exact;
  const MathVerdict verdict =
      under_both_logs(comparison, [&](long double base) { return compare_at_points(comparison, base); });
  // exp(pi sqrt(163)) is within 1e-12 of a whole number of 18 digits: rounding cannot tell such pairs apart.
  const bool is_long =
      (exact_a && exact_a->num_bits() > kMostSafeBits) || (exact_b && exact_b->num_bits() > kMostSafeBits);
  return verdict == MathVerdict::kEqual && (is_long || hides_detail_nearby(comparison)) ? MathVerdict::kUndecided
                                                                                        : verdict;
}

MathVerdict compare_proportional(const Expression& a, const Expression& b, bool positive) {
  const std::set<std::string> names = symbols_of_both(a, b);
  if (names.size() > kMostSymbols) return MathVerdict::kUndecided;
  const Comparison comparison(a, b, names);
  return under_both_logs(comparison,
                         [&](long double base) { return proportional_at_points(comparison, positive, base); });
}

}  // namespace plumbline
