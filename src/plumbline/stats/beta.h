/// The regularised incomplete beta function, on which Student's t and the exact binomial intervals rest.
#pragma once

namespace plumbline {

/// I_x(a, b) for a, b > 0 and x in [0, 1], by the continued fraction of Abramowitz and Stegun 26.5.8. `y` is 1 - x,
/// given apart because it may be far below rounding. Relative error below 1e-10.
double incomplete_beta(double a, double b, double x, double y);

/// x with I_x(a, b) = p, p in (0, 1), by bisection.
double incomplete_beta_inverse(double a, double b, double p);

}  // namespace plumbline
