/// How far two raters agree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace plumbline {

struct Agreement {
  int64_t num_items = 0;
  double observed = 0;          ///< share of items with the same label
  std::optional<double> kappa;  ///< Cohen's; unset when agreement by chance is certain
  double pabak = 0;             ///< (c observed - 1) / (c - 1) with c labels, at least 2
};

/// Labels by item. Throws DataError(data.unpaired | data.no_values).
Agreement agreement_of(std::span<const std::string> rater_a, std::span<const std::string> rater_b);

}  // namespace plumbline
