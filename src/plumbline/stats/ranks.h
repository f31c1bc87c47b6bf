/// Ranks with ties.
#pragma once

#include <span>
#include <vector>

namespace plumbline {

/// Twice the mid-rank of each value (1-based), so that ranks stay whole.
std::vector<size_t> double_ranks(std::span<const double> values);

}  // namespace plumbline
