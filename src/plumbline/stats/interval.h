/// Intervals of single figures. Pure; nothing here advances a random stream.
#pragma once

#include <cstdint>

namespace plumbline {

struct Interval {
  double low = 0, high = 0;

  bool excludes(double value) const { return value < low || value > high; }
};

/// Wilson's score interval (1927) of a rate of `count` in `total`. Throws DataError(data.no_values) when total is 0,
/// DataError(data.out_of_domain) unless 0 <= count <= total. `level` is the two-sided coverage, in (0, 1).
Interval wilson_interval(int64_t count, int64_t total, double level = 0.95);

/// The same of a rate that rests on `n` independent observations, which may be a fraction: an effective n. Throws
/// DataError(data.out_of_domain) unless n > 0 and the rate is in [0, 1].
Interval wilson_interval_of_rate(double rate, double n, double level = 0.95);

/// The exact interval of Clopper and Pearson (1934), which covers at least `level`. Throws as wilson_interval does.
Interval clopper_pearson_interval(int64_t count, int64_t total, double level = 0.95);

/// x with P(Z <= x) = p for a standard normal Z; p in (0, 1).
double normal_quantile(double p);

}  // namespace plumbline
