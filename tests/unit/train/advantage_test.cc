#include "plumbline/train/advantage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"

namespace plumbline {
namespace {

std::vector<RewardRow> one_group(const std::vector<std::optional<double>>& rewards) {
  std::vector<RewardRow> rows;
  for (const auto& reward : rewards) rows.push_back({.group_id = 7, .reward = reward});
  return rows;
}

TEST(Advantage, IsTheDistanceToTheGroupMean) {
  const Advantages result = estimate_advantages(one_group({3.5, 0.5, 0.0, 3.5}), AdvantageKind::kGroupMean, true);
  EXPECT_EQ(result.advantage_B, (std::vector<double>{1.625, -1.375, -1.875, 1.625}));
  EXPECT_TRUE(result.has_spread);
  EXPECT_EQ(result.num_skipped_groups(), 0);
}

TEST(Advantage, NullLeavesTheGroupAndIsNotZero) {
  const Advantages result = estimate_advantages(one_group({3.0, std::nullopt, 1.0}), AdvantageKind::kGroupMean, true);
  EXPECT_EQ(result.advantage_B, (std::vector<double>{1, 0, -1}));
  EXPECT_EQ(result.in_loss_B, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(result.groups.at(7).num_present, 2);
}

TEST(Advantage, FewerThanTwoRewardsSkipTheGroup) {
  const Advantages result =
      estimate_advantages(one_group({std::nullopt, 3.5, std::nullopt}), AdvantageKind::kGroupMean, false);
  EXPECT_EQ(result.in_loss_B, (std::vector<bool>{false, false, false}));
  EXPECT_EQ(result.num_skipped_groups(), 1);
  EXPECT_FALSE(result.has_spread);
}

TEST(Advantage, ZeroSpreadIsSkippedOrKeptAsAsked) {
  const auto rows = one_group({0.1, 0.1, 0.1});  // 3 * 0.1 / 3 is not 0.1 in binary
  EXPECT_EQ(estimate_advantages(rows, AdvantageKind::kGroupMean, true).num_skipped_groups(), 1);
  const Advantages kept = estimate_advantages(rows, AdvantageKind::kGroupMean, false);
  EXPECT_EQ(kept.num_skipped_groups(), 0);
  EXPECT_EQ(kept.num_zero_spread_groups(), 1);
  EXPECT_EQ(kept.advantage_B, (std::vector<double>{0, 0, 0}));
}

TEST(Advantage, NonFiniteRewardsAreErrorsEvenInASkippedGroup) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const auto rows = one_group({std::nullopt, bad, std::nullopt});
    EXPECT_THROW(estimate_advantages(rows, AdvantageKind::kGroupMean, true), NumericError);
  }
}

TEST(Advantage, GroupOfOneIsRefused) {
  EXPECT_THROW(estimate_advantages(one_group({3.5}), AdvantageKind::kGroupMean, true), ConfigError);
}

TEST(Advantage, OrderOfRowsChangesNoBit) {
  CounterRng rng({.seed = 4, .stream = Stream::kTest});
  std::vector<RewardRow> rows;
  for (int64_t i = 0; i < 60; ++i) rows.push_back({.group_id = i % 6, .reward = rng.next_normal()});
  const Advantages straight = estimate_advantages(rows, AdvantageKind::kGroupStd, true);
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = (i * 37 + 11) % order.size();
  std::vector<RewardRow> shuffled;
  for (const size_t i : order) shuffled.push_back(rows[i]);
  const Advantages other = estimate_advantages(shuffled, AdvantageKind::kGroupStd, true);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(other.advantage_B[i], straight.advantage_B[order[i]]);
}

}  // namespace
}  // namespace plumbline
