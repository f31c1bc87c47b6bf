/// Exact tests of counts.
#pragma once

#include <cstdint>

namespace plumbline {

/// P(an outcome as unlikely as `count` of `total`, or less likely) under Binomial(total, rate): the two-sided test that
/// adds up all outcomes of at most the same probability. Throws DataError(data.no_values) for total 0 and
/// DataError(data.out_of_domain) unless 0 <= count <= total and 0 < rate < 1.
double binomial_test(int64_t count, int64_t total, double rate = 0.5);

/// McNemar's exact two-sided p of discordant counts; 1 without a discordant pair. For differences of real values this
/// is the sign test: counts above and below 0. Throws DataError(data.out_of_domain) for a negative count.
double mcnemar_exact(int64_t base_only, int64_t candidate_only);

}  // namespace plumbline
