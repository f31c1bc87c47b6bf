/// Whether a mean can come from the set that it is said to come from.
#pragma once

#include <cstdint>
#include <span>

namespace plumbline {

/// True when `value` is, after rounding to `decimals`, a mean of `n` rewards out of `rewards`: one of
/// min + j d / n within [min, max], d the greatest common divisor of the differences between possible rewards (which
/// are multiples of 1e-9). A value off that grid exposes stale or mixed figures. Throws DataError(data.no_values)
/// without items or rewards, DataError(data.out_of_domain), DataError(data.not_finite).
bool is_possible_mean(double value, int64_t n, std::span<const double> rewards, int decimals);

}  // namespace plumbline
