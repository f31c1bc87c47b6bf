/// Rows that belong together: the seeds of one item. The unit of resampling is the item, never the row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

struct Cluster {
  double sum = 0;      ///< of the differences of its rows
  double squares = 0;  ///< of the same
  int64_t num_rows = 0;
  int64_t num_above = 0, num_below = 0;  ///< differences above and below 0
};

/// One cluster an item, in order of first appearance. `items` and `differences` by row.
/// Throws DataError(data.unpaired | data.no_values | data.not_finite).
std::vector<Cluster> clusters_of(std::span<const std::string> items, std::span<const double> differences);

/// Sum of all differences over the number of all rows.
double mean_of(std::span<const Cluster> clusters);

/// Standard error of that mean, with items drawn and not rows: the linearised one of a ratio, with n - 1 below. One row
/// an item makes it sd / sqrt(n); copies of every row change nothing. 0 when the items' means do not differ. Throws
/// DataError(data.no_values), DataError(data.too_few_values) for one item.
double standard_error_of(std::span<const Cluster> clusters);

/// Distinct strings: prompts behind items, items behind rows.
int64_t num_distinct(std::span<const std::string> values);

}  // namespace plumbline
