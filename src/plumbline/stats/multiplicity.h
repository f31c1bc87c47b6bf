/// Several tests at once.
#pragma once

#include <span>
#include <vector>

namespace plumbline {

/// Holm's step-down adjustment (1979): p values in the given order, monotone in rank and capped at 1. One is rejected
/// at alpha when its adjusted value is at most alpha. Throws DataError(data.no_values), DataError(data.out_of_domain)
/// for a value outside [0, 1].
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace plumbline
