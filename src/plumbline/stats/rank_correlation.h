/// Spearman's rank correlation.
#pragma once

#include <span>

namespace plumbline {

struct RankCorrelation {
  double rho = 0;
  double p = 1;  ///< two-sided, by the t approximation; 0 for |rho| = 1
};

/// Ties have mid-ranks. Throws DataError(data.unpaired | data.no_values), DataError(data.too_few_values) below 3
/// points, DataError(data.undefined) when one side is constant, DataError(data.not_finite).
RankCorrelation spearman(std::span<const double> x, std::span<const double> y);

}  // namespace plumbline
