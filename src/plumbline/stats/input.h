/// What every function of this folder asks of its input, under the same ids. Statistics of nothing are errors, not 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace plumbline {

/// Throws DataError(data.no_values) when `num` is 0, DataError(data.too_few_values) when it is below `least`. `what`
/// names the figure: "a paired t over seeds".
void require_values(int64_t num, int64_t least, const std::string& what);

/// Throws DataError(data.unpaired) unless both have the same length.
void require_paired(size_t a, size_t b, const std::string& what);

/// Throws DataError(data.out_of_domain) unless `holds`; `needs` says what the figure needs: "a rate needs 0 <= k <= n".
void require_domain(bool holds, const std::string& needs);

/// Throws DataError(data.not_finite) for NaN and infinities.
void require_finite(std::span<const double> values, const std::string& what);

}  // namespace plumbline
