/// Mean and standard deviation.
#pragma once

#include <span>

namespace plumbline {

/// Throws DataError(data.no_values) for nothing.
double mean_of(std::span<const double> values);

/// With n - 1 below. Throws DataError(data.no_values) for fewer than two values: one value has no spread.
double sample_sd(std::span<const double> values);

}  // namespace plumbline
