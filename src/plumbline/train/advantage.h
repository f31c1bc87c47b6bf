/// Group advantages: what each completion's reward is worth against its own group.
/// Source: Dr. GRPO (arXiv 2503.20783), A_i = R_i - mean R over the group; the scaled form is GRPO's (2402.03300),
/// A_i = (R_i - mean R) / (std R + 1e-4), std with n - 1. Ours: a missing reward leaves its group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

/// A group whose max - min is below this has no spread: its advantages are rounding.
inline constexpr double kMinGroupSpread = 1e-4;
/// `sprd` of a step: max - min over all its rewards is above this.
inline constexpr double kMinStepSpread = 1e-3;

enum class AdvantageScale {
  kNone,      ///< Dr. GRPO
  kGroupStd,  ///< GRPO
};

/// One completion's reward. Rows are grouped by `group_id` alone, never by position. Unset: there is no verdict,
/// because our own grading failed; never 0.
struct RewardRow {
  int64_t group_id = 0;
  std::optional<double> reward;
};

/// What is known about one group. Mean and standard deviation are over the rows with a reward; 0 when there is none.
struct GroupStatistics {
  int64_t num_rows = 0, num_present = 0;
  double mean = 0, std = 0, spread = 0;
  bool kept = false;  ///< the group enters the loss
};

/// Result i of every vector belongs to row i.
struct Advantages {
  std::vector<double> advantage_B;  ///< 0 for a row without a reward
  std::vector<bool> in_loss_B;      ///< the row has a reward and its group is kept
  std::map<int64_t, GroupStatistics> groups;
  bool has_spread = false;  ///< `sprd`: some rewards of the step differ

  int64_t num_skipped_groups() const;
  int64_t num_zero_spread_groups() const;
};

/// Does not depend on the order of the rows, to the last bit. A group with fewer than two rewards is skipped; one
/// without spread is skipped too when `skip_zero_spread`, else kept (then only the KL term pushes). Throws
/// NumericError(numeric.reward) on a NaN or infinite reward, whatever its group would have come to;
/// ConfigError(config.group_size) on a group of one row.
Advantages estimate_advantages(std::span<const RewardRow> rows, AdvantageScale scale, bool skip_zero_spread);

}  // namespace plumbline
