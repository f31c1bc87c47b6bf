/// Whether two scalar expressions have the same value.
#pragma once

#include "plumbline/math/equivalence.h"

namespace plumbline {

/// As compare_math says; undecided for what is no scalar.
MathVerdict compare_scalars(const Expression& a, const Expression& b);

/// Whether a = c b for one constant c other than 0 wherever both have a value; with `positive` c must be above 0.
/// Undecided where it cannot be told, different when it is not so.
MathVerdict compare_proportional(const Expression& a, const Expression& b, bool positive);

/// +1 and -1 for infinity and its opposite, 0 otherwise.
int infinity_sign(const Expression& expression);

}  // namespace plumbline
