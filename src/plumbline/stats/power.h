/// What a comparison of this size can see.
#pragma once

#include <cstdint>

namespace plumbline {

/// The smallest difference of two rates that `n` items show with 80% power at the two-sided 5% level, at the largest
/// variance: (z.975 + z.80) sqrt(2 x .25 (1 - rho) / n). `rho` is the correlation of the arms over items; 0 unless it
/// was estimated and is said so. Throws DataError(data.no_values), DataError(data.out_of_domain) unless -1 <= rho < 1.
double minimum_detectable_effect(int64_t n, double rho = 0);

/// The smallest n whose minimum detectable effect is at most `effect`. Throws DataError(data.out_of_domain) unless
/// effect > 0 and -1 <= rho < 1.
int64_t required_n(double effect, double rho = 0);

}  // namespace plumbline
