#include "plumbline/train/advantage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr double kStdEps = 1e-4;

void refuse_non_finite(std::span<const RewardRow> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].reward && !std::isfinite(*rows[i].reward)) {
      throw NumericError("numeric.reward", fmt::format("the reward of a completion is {}", *rows[i].reward),
                         fmt::format("row {}, group {}", i, rows[i].group_id),
                         "a grader must give a finite reward, or none when it could not grade");
    }
  }
}

/// Rewards are summed in sorted order, so that the order of arrival cannot change a bit.
GroupStatistics describe(std::vector<double> rewards, int64_t num_rows) {
  GroupStatistics group{.num_rows = num_rows, .num_present = static_cast<int64_t>(rewards.size())};
  if (rewards.empty()) return group;
  std::sort(rewards.begin(), rewards.end());
  const double count = static_cast<double>(rewards.size());
  group.mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / count;
  group.spread = rewards.back() - rewards.front();
  if (rewards.size() < 2) return group;
  double sum_of_squares = 0;
  for (const double reward : rewards) sum_of_squares += (reward - group.mean) * (reward - group.mean);
  group.std = std::sqrt(sum_of_squares / (count - 1));
  return group;
}

std::map<int64_t, GroupStatistics> describe_groups(std::span<const RewardRow> rows, bool skip_zero_spread) {
  struct Members {
    int64_t num_rows = 0;
    std::vector<double> rewards;
  };
  std::map<int64_t, Members> members;
  for (const RewardRow& row : rows) {
    Members& group = members[row.group_id];
    ++group.num_rows;
    if (row.reward) group.rewards.push_back(*row.reward);
  }
  std::map<int64_t, GroupStatistics> groups;
  for (auto& [id, group] : members) {
    if (group.num_rows < 2) {
      throw ConfigError("config.group_size", "a group of one completion has no advantage", fmt::format("group {}", id),
                        "set rollout.group_size to 2 or more");
    }
    GroupStatistics described = describe(std::move(group.rewards), group.num_rows);
    described.kept = described.num_present >= 2 && (!skip_zero_spread || described.spread >= kMinGroupSpread);
    groups.emplace(id, described);
  }
  return groups;
}

double advantage_of(double reward, const GroupStatistics& group, AdvantageKind kind) {
  if (kind == AdvantageKind::kReward) return reward;
  // Equal rewards can leave a mean that is off by rounding; without any spread the advantage is 0 by definition.
  if (group.spread == 0) return 0;
  const double distance = reward - group.mean;
  if (kind == AdvantageKind::kGroupStd) return distance / (group.std + kStdEps);
  if (kind == AdvantageKind::kGroupMean) return distance;
  const double count = static_cast<double>(group.num_present);
  return distance * count / (count - 1);
}

}  // namespace

AdvantageKind advantage_kind_of(LossKind loss) {
  switch (loss) {
    case LossKind::kDrGrpo:
      return AdvantageKind::kGroupMean;
    case LossKind::kRloo:
      return AdvantageKind::kLeaveOneOut;
    case LossKind::kReinforcePlus:
      return AdvantageKind::kReward;
    case LossKind::kGrpo:
    case LossKind::kDapo:
    case LossKind::kBnpo:
      break;
  }
  return AdvantageKind::kGroupStd;
}

int64_t Advantages::num_skipped_groups() const {
  return std::count_if(groups.begin(), groups.end(), [](const auto& entry) { return !entry.second.kept; });
}

int64_t Advantages::num_zero_spread_groups() const {
  return std::count_if(groups.begin(), groups.end(), [](const auto& entry) {
    return entry.second.num_present >= 2 && entry.second.spread < kMinGroupSpread;
  });
}

Advantages estimate_advantages(std::span<const RewardRow> rows, AdvantageKind kind, bool skip_zero_spread) {
  refuse_non_finite(rows);
  Advantages result;
  result.groups = describe_groups(rows, skip_zero_spread && kind != AdvantageKind::kReward);
  double lowest = INFINITY, highest = -INFINITY;
  for (const RewardRow& row : rows) {
    const GroupStatistics& group = result.groups.at(row.group_id);
    result.advantage_B.push_back(row.reward ? advantage_of(*row.reward, group, kind) : 0.0);
    result.in_loss_B.push_back(row.reward.has_value() && group.kept);
    if (!row.reward) continue;
    lowest = std::min(lowest, *row.reward);
    highest = std::max(highest, *row.reward);
  }
  result.has_spread = highest - lowest > kMinStepSpread;
  return result;
}

}  // namespace plumbline
