/// Student's t distribution.
#pragma once

namespace plumbline {

/// P(T <= t) with `degrees` of freedom (> 0), by the continued fraction of the incomplete beta function
/// (Abramowitz and Stegun 26.5.8). Relative error of the tails below 1e-10.
double student_t_cdf(double t, double degrees);

/// t with P(T <= t) = p; p in (0, 1).
double student_t_quantile(double p, double degrees);

}  // namespace plumbline
