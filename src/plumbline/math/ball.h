/// A complex number with a bound on its rounding error, carried through every operation.
#pragma once

#include <complex>
#include <optional>

namespace plumbline {

/// `radius` bounds the distance to the true value to first order: errors of operands times derivatives, plus the
/// rounding of each step. A value that is not finite, or whose error is as large as itself, is no value.
struct Ball {
  std::complex<long double> value;
  long double radius = 0;

  bool is_real() const;
};

Ball ball_of(long double value);
Ball operator+(const Ball& a, const Ball& b);
Ball operator-(const Ball& a, const Ball& b);
Ball operator*(const Ball& a, const Ball& b);
std::optional<Ball> quotient(const Ball& a, const Ball& b);

/// sin, cos, tan, cot, sec, csc, arcsin, arccos, arctan, sinh, cosh, tanh, exp, ln, abs, floor, ceil, cbrt. Unset for
/// other names, at poles, for results that are not finite, where floor and ceil cannot tell, and where arcsin, arccos
/// of real values leave the reals.
std::optional<Ball> apply_function(const char* name, const Ball& x);

/// Unset for a negative real base with an exponent that is not whole: conventions differ. `whole_exponent` when it is
/// known to be whole.
std::optional<Ball> power(const Ball& base, const Ball& exponent, std::optional<int64_t> whole_exponent);

/// The real root where it is odd, else the principal one.
std::optional<Ball> nth_root(const Ball& x, int64_t degree);

}  // namespace plumbline
