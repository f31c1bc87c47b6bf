/// Advantages: what each completion's reward is worth against its own group.
/// Ours in all of them: a missing reward leaves its group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "plumbline/train/policy_loss.h"

namespace plumbline {

/// A group whose max - min is below this has no spread: its advantages are rounding.
inline constexpr double kMinGroupSpread = 1e-4;
/// `sprd` of a step: max - min over all its rewards is above this.
inline constexpr double kMinStepSpread = 1e-3;

/// What the reward is compared with; mean, std (n - 1) and n are over the group's rewards.
enum class AdvantageKind {
  kGroupMean,    ///< R - mean: Dr. GRPO (arXiv 2503.20783)
  kGroupStd,     ///< (R - mean) / (std + 1e-4): GRPO (2402.03300), DAPO, and bnpo
  kLeaveOneOut,  ///< R - mean of the others = (R - mean) n / (n - 1): RLOO (2402.14740)
  kReward,       ///< R itself: REINFORCE++ normalises over the step's tokens later (token_advantage.h)
};

/// The comparison that belongs to a loss.
AdvantageKind advantage_kind_of(LossKind loss);

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
/// without spread is skipped too when `skip_zero_spread`, else kept (then only the KL term pushes); kReward has no
/// group baseline, so there a group without spread still teaches and is never skipped for that. Throws
/// NumericError(numeric.reward) on a NaN or infinite reward, whatever its group would have come to;
/// ConfigError(config.group_size) on a group of one row.
Advantages estimate_advantages(std::span<const RewardRow> rows, AdvantageKind kind, bool skip_zero_spread);

}  // namespace plumbline
