#include "plumbline/math/rational.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

constexpr int kMostBits = 4096;

struct FreeNumber {
  void operator()(BIGNUM* number) const { BN_free(number); }
};
using Number = std::unique_ptr<BIGNUM, FreeNumber>;

struct FreeContext {
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
};

Number fresh() {
  Number number(BN_new());
  PL_CHECK(number != nullptr, "OpenSSL has no memory");
  return number;
}

BN_CTX* context() {
  thread_local const std::unique_ptr<BN_CTX, FreeContext> owned(BN_CTX_new());
  PL_CHECK(owned != nullptr, "OpenSSL has no memory");
  return owned.get();
}

/// Euclid's way: BN_gcd takes constant time, which at this size is a long one.
Number common_divisor(const BIGNUM* a, const BIGNUM* b) {
  Number larger(BN_dup(a)), smaller(BN_dup(b));
  PL_CHECK(larger && smaller, "OpenSSL has no memory");
  while (!BN_is_zero(smaller.get())) {
    BN_mod(larger.get(), larger.get(), smaller.get(), context());
    std::swap(larger, smaller);
  }
  BN_set_negative(larger.get(), 0);
  return larger;
}

}  // namespace

struct Rational::Value {
  Number numerator = fresh(), denominator = fresh();
};

std::optional<Rational> Rational::reduced(std::shared_ptr<Value> value) {
  if (BN_is_zero(value->denominator.get())) return std::nullopt;
  if (BN_num_bits(value->numerator.get()) > 2 * kMostBits || BN_num_bits(value->denominator.get()) > 2 * kMostBits) {
    return std::nullopt;
  }
  const Number divisor = common_divisor(value->numerator.get(), value->denominator.get());
  if (!BN_is_one(divisor.get())) {
    BN_div(value->numerator.get(), nullptr, value->numerator.get(), divisor.get(), context());
    BN_div(value->denominator.get(), nullptr, value->denominator.get(), divisor.get(), context());
  }
  if (BN_is_negative(value->denominator.get())) {
    BN_set_negative(value->denominator.get(), 0);
    BN_set_negative(value->numerator.get(), !BN_is_negative(value->numerator.get()));
  }
  if (BN_num_bits(value->numerator.get()) > kMostBits || BN_num_bits(value->denominator.get()) > kMostBits) {
    return std::nullopt;
  }
  return Rational(std::move(value));
}

Rational::Rational(int64_t whole) {
  auto value = std::make_shared<Value>();
  const std::string digits = std::to_string(whole);
  BIGNUM* number = value->numerator.get();
  BN_dec2bn(&number, digits.c_str());
  BN_one(value->denominator.get());
  value_ = std::move(value);
}

std::optional<Rational> Rational::of_decimal(const std::string& text) {
  std::string digits = text;
  const size_t point = digits.find('.');
  const size_t decimals = point == std::string::npos ? 0 : digits.size() - point - 1;
  if (point != std::string::npos) digits.erase(point, 1);
  if (digits.empty() || digits.size() > 1000 || digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  auto value = std::make_shared<Value>();
  BIGNUM *numerator = value->numerator.get(), *denominator = value->denominator.get();
  BN_dec2bn(&numerator, digits.c_str());
  BN_dec2bn(&denominator, ("1" + std::string(decimals, '0')).c_str());
  return reduced(std::move(value));
}

std::optional<Rational> Rational::plus(const Rational& other) const {
  auto value = std::make_shared<Value>();
  const Number cross = fresh();
  BN_mul(value->numerator.get(), value_->numerator.get(), other.value_->denominator.get(), context());
  BN_mul(cross.get(), other.value_->numerator.get(), value_->denominator.get(), context());
  BN_add(value->numerator.get(), value->numerator.get(), cross.get());
  BN_mul(value->denominator.get(), value_->denominator.get(), other.value_->denominator.get(), context());
  return reduced(std::move(value));
}

std::optional<Rational> Rational::times(const Rational& other) const {
  auto value = std::make_shared<Value>();
  BN_mul(value->numerator.get(), value_->numerator.get(), other.value_->numerator.get(), context());
  BN_mul(value->denominator.get(), value_->denominator.get(), other.value_->denominator.get(), context());
  return reduced(std::move(value));
}

std::optional<Rational> Rational::over(const Rational& other) const {
  auto value = std::make_shared<Value>();
  BN_mul(value->numerator.get(), value_->numerator.get(), other.value_->denominator.get(), context());
  BN_mul(value->denominator.get(), value_->denominator.get(), other.value_->numerator.get(), context());
  return reduced(std::move(value));
}

std::optional<Rational> Rational::to_power(int64_t exponent) const {
  if (exponent < -kMostBits || exponent > kMostBits) return std::nullopt;
  std::optional<Rational> result = Rational(1), square = *this;
  for (int64_t left = std::abs(exponent); left > 0; left /= 2) {
    if (left % 2 == 1) result = result->times(*square);
    if (!result) return std::nullopt;
    if (left > 1) square = square->times(*square);
    if (!square) return std::nullopt;
  }
  return exponent < 0 ? Rational(1).over(*result) : result;
}

Rational Rational::negated() const {
  auto value = std::make_shared<Value>();
  BN_copy(value->numerator.get(), value_->numerator.get());
  BN_copy(value->denominator.get(), value_->denominator.get());
  BN_set_negative(value->numerator.get(), !BN_is_negative(value->numerator.get()));
  return Rational(std::move(value));
}

bool Rational::operator==(const Rational& other) const {
  return BN_cmp(value_->numerator.get(), other.value_->numerator.get()) == 0 &&
         BN_cmp(value_->denominator.get(), other.value_->denominator.get()) == 0;
}

bool Rational::is_zero() const {
  return BN_is_zero(value_->numerator.get());
}

int Rational::sign() const {
  return is_zero() ? 0 : BN_is_negative(value_->numerator.get()) ? -1 : 1;
}

int Rational::num_bits() const {
  return std::max(BN_num_bits(value_->numerator.get()), BN_num_bits(value_->denominator.get()));
}

std::string Rational::text() const {
  const auto digits = [](const BIGNUM* number) {
    char* const raw = BN_bn2dec(number);
    PL_CHECK(raw != nullptr, "OpenSSL has no memory");
    std::string text(raw);
    OPENSSL_free(raw);
    return text;
  };
  return digits(value_->numerator.get()) + "/" + digits(value_->denominator.get());
}

double Rational::rounded() const {
  const std::string fraction = text();
  const size_t slash = fraction.find('/');
  return static_cast<double>(std::strtold(fraction.c_str(), nullptr) /
                             std::strtold(fraction.c_str() + slash + 1, nullptr));
}

std::optional<int64_t> Rational::whole() const {
  if (!BN_is_one(value_->denominator.get()) || BN_num_bits(value_->numerator.get()) > 62) return std::nullopt;
  const auto magnitude = static_cast<int64_t>(BN_get_word(value_->numerator.get()));
  return sign() < 0 ? -magnitude : magnitude;
}

}  // namespace plumbline
