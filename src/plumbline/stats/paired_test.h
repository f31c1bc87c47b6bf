/// Differences of pairs, for example of two arms that ran with the same seed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "plumbline/stats/interval.h"

namespace plumbline {

struct PairedDifference {
  int64_t num_pairs = 0;
  double mean = 0;
  std::optional<double> sd;          ///< unset for one pair
  std::optional<Interval> interval;  ///< Student's t on the differences; unset for one pair and when all are equal
};

/// Throws DataError(data.no_values) for no pair. An interval of zero width proves nothing, so differences without
/// spread have none. `level` is the two-sided coverage.
PairedDifference paired_difference(std::span<const double> differences, double level = 0.95);

/// The paired t over seeds: one difference a seed.
struct SeedTest {
  int64_t num_seeds = 0;
  double mean = 0, sd = 0;
  std::optional<double> t, p;        ///< two-sided; unset when all differences are equal
  std::optional<Interval> interval;  ///< unset likewise: width 0 would look like certainty
};

/// Throws DataError(data.no_values), DataError(data.too_few_values) below 3 seeds, DataError(data.not_finite).
SeedTest seed_t_test(std::span<const double> differences, double level = 0.95);

}  // namespace plumbline
