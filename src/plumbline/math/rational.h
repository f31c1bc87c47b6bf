/// Exact fractions of any size up to a bound, through OpenSSL's big numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace plumbline {

/// Always in lowest terms with a positive denominator. Operations that would pass 4,096 bits, and division by zero,
/// give nothing. Copies share their immutable value.
class Rational {
 public:
  explicit Rational(int64_t whole = 0);
  /// "12", "0.125"; digits with at most one point.
  static std::optional<Rational> of_decimal(const std::string& text);

  std::optional<Rational> plus(const Rational& other) const;
  std::optional<Rational> times(const Rational& other) const;
  std::optional<Rational> over(const Rational& other) const;
  std::optional<Rational> to_power(int64_t exponent) const;
  Rational negated() const;
  bool operator==(const Rational& other) const;
  bool is_zero() const;
  /// Set when it is a whole number that fits.
  std::optional<int64_t> whole() const;
  /// -1, 0, 1.
  int sign() const;
  /// To about a double's precision.
  double rounded() const;
  /// "127/50", "-3/1".
  std::string text() const;
  /// Bits of the numerator and of the denominator, whichever are more.
  int num_bits() const;

 private:
  struct Value;
  explicit Rational(std::shared_ptr<const Value> value) : value_(std::move(value)) {}
  static std::optional<Rational> reduced(std::shared_ptr<Value> value);
  std::shared_ptr<const Value> value_;
};

}  // namespace plumbline
