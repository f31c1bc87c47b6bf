#include "plumbline/record/python_integer.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace plumbline {
namespace {

constexpr size_t kMaxDigits = 10'000;
constexpr size_t kSmallDigits = 18;  // fits an int64_t, sums too
constexpr int64_t kMaxExponent = 40'000;

struct FreeNumber {
  void operator()(BIGNUM* number) const { BN_free(number); }
};
using Number = std::unique_ptr<BIGNUM, FreeNumber>;
struct FreeContext {
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
};

Number read(const std::string& digits) {
  BIGNUM* number = nullptr;
  BN_dec2bn(&number, digits.c_str());
  return Number(number);
}

std::optional<std::string> write(const BIGNUM* number) {
  if (static_cast<size_t>(BN_num_bits(number)) > kMaxDigits * 10 / 3) return std::nullopt;
  char* text = BN_bn2dec(number);
  std::string digits(text);
  OPENSSL_free(text);
  return digits == "-0" ? "0" : digits;
}

/// Quotient and remainder, rounded down.
bool divide(BIGNUM* quotient, BIGNUM* remainder, const BIGNUM* left, const BIGNUM* right, BN_CTX* context) {
  if (BN_is_zero(right) || !BN_div(quotient, remainder, left, right, context)) return false;
  if (BN_is_zero(remainder) || BN_is_negative(remainder) == BN_is_negative(right)) return true;
  return BN_sub_word(quotient, 1) && BN_add(remainder, remainder, right);
}

std::optional<std::string> power(const BIGNUM* base, const std::string& exponent, BN_CTX* context) {
  const int64_t times = exponent.size() > kSmallDigits ? -1 : std::strtoll(exponent.c_str(), nullptr, 10);
  if (times < 0 || times > kMaxExponent) return std::nullopt;
  if (BN_num_bits(base) * times > static_cast<int64_t>(kMaxDigits) * 10 / 3) return std::nullopt;
  const Number result(BN_new()), count(BN_new());
  BN_set_word(count.get(), static_cast<BN_ULONG>(times));
  return BN_exp(result.get(), base, count.get(), context) ? write(result.get()) : std::nullopt;
}

}  // namespace

std::optional<std::string> integer_arithmetic(std::string_view symbol, const std::string& left,
                                              const std::string& right) {
  if (left.size() > kMaxDigits || right.size() > kMaxDigits) return std::nullopt;
  if (left.size() <= kSmallDigits && right.size() <= kSmallDigits && (symbol == "+" || symbol == "-")) {
    const int64_t a = std::strtoll(left.c_str(), nullptr, 10), b = std::strtoll(right.c_str(), nullptr, 10);
    return std::to_string(symbol == "+" ? a + b : a - b);
  }
  const Number a = read(left), b = read(right), result(BN_new()), rest(BN_new());
  const std::unique_ptr<BN_CTX, FreeContext> context(BN_CTX_new());
  bool done = false;
  if (symbol == "+") done = BN_add(result.get(), a.get(), b.get());
  if (symbol == "-") done = BN_sub(result.get(), a.get(), b.get());
  if (symbol == "*") done = BN_mul(result.get(), a.get(), b.get(), context.get());
  if (symbol == "**") return power(a.get(), right, context.get());
  if (symbol == "//") done = divide(result.get(), rest.get(), a.get(), b.get(), context.get());
  if (symbol == "%") done = divide(rest.get(), result.get(), a.get(), b.get(), context.get());
  return done ? write(result.get()) : std::nullopt;
}

int compare_integers(std::string_view left, std::string_view right) {
  const bool left_negative = left.starts_with('-'), right_negative = right.starts_with('-');
  if (left_negative != right_negative) return left_negative ? -1 : 1;
  const int larger = left_negative ? -1 : 1;
  if (left.size() != right.size()) return left.size() > right.size() ? larger : -larger;
  const int order = left.compare(right);
  return order == 0 ? 0 : order > 0 ? larger : -larger;
}

}  // namespace plumbline
