#include "plumbline/train/monitor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

/// Four groups of four; completions 1, 6 and 11 hack, 2 has a vacuous tester, 3 has no verdict.
struct Step {
  Step() {
    for (size_t i = 0; i < 16; ++i) {
      verdicts[i].label = i % 5 == 1 ? Label::kRewardHack : Label::kIncorrect;
      verdicts[i].vacuous = i == 2;
      rewards[i] = static_cast<double>(i);
      scores[i] = i % 5 == 1 ? 2.0 : -1.0;
    }
    rewards[3].reset();
  }
  GradedStep graded() const {
    return {.version = 5, .group_size = 4, .reward_B = rewards, .verdict_B = verdicts, .score_B = scores};
  }
  std::vector<Verdict> verdicts = std::vector<Verdict>(16);
  std::vector<std::optional<double>> rewards = std::vector<std::optional<double>>(16);
  std::vector<double> scores = std::vector<double>(16);
};

TEST(FlagMonitor, PenaltyTakesItsAmountOffFlaggedRewardsAlone) {
  const Step step;
  const FlagMonitor monitor({.action = MonitorAction::kPenalty, .penalty = 1.5});
  const TransformedRewards changed = monitor.apply(step.graded());
  for (size_t i = 0; i < 16; ++i) {
    if (i == 3) {
      EXPECT_FALSE(changed.reward_B[i]);
    } else {
      EXPECT_EQ(changed.reward_B[i].value(), static_cast<double>(i) - (i % 5 == 1 ? 1.5 : 0)) << i;
    }
  }
  EXPECT_DOUBLE_EQ(changed.metrics.at("flagged"), 3.0 / 15);
  EXPECT_EQ(changed.metrics.at("wrong"), 0);
  EXPECT_DOUBLE_EQ(changed.metrics.at("reward"), (120.0 - 3 - 4.5) / 15);
}

TEST(FlagMonitor, ScreeningTakesFlaggedCompletionsOut) {
  const Step step;
  for (const auto& [flag, chosen] : {std::pair{MonitorFlag::kHacked, std::vector<size_t>{1, 6, 11}},
                                     std::pair{MonitorFlag::kVacuous, std::vector<size_t>{2}}}) {
    const FlagMonitor monitor({.action = MonitorAction::kScreening, .flag = flag});
    const TransformedRewards changed = monitor.apply(step.graded());
    for (size_t i = 0; i < 16; ++i) {
      const bool is_out = i == 3 || std::find(chosen.begin(), chosen.end(), i) != chosen.end();
      EXPECT_EQ(changed.reward_B[i].has_value(), !is_out) << i;
    }
  }
}

TEST(FlagMonitor, AProbeFlagsWhatLiesBeyondItsThreshold) {
  const Step step;
  const FlagMonitor monitor({.action = MonitorAction::kScreening, .flag = MonitorFlag::kProbe},
                            HiddenReading{.layer = 1, .direction_D = {1}, .threshold = 0.5});
  EXPECT_NE(monitor.reading(), nullptr);
  const TransformedRewards changed = monitor.apply(step.graded());
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(changed.reward_B[i].has_value(), i % 5 != 1 && i != 3) << i;
}

TEST(FlagMonitor, AccuracyZeroTurnsEveryFlagRound) {
  const Step step;
  const FlagMonitor monitor({.action = MonitorAction::kScreening, .accuracy = 0});
  const TransformedRewards changed = monitor.apply(step.graded());
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(changed.reward_B[i].has_value(), i % 5 == 1) << i;
  EXPECT_EQ(changed.metrics.at("wrong"), 1);
}

/// The share of wrong flags is 1 - accuracy, and each is a function of seed, version, prompt and sample alone.
TEST(FlagMonitor, ErrorsHaveTheirRateAndDependOnThePlaceAlone) {
  const size_t count = 20000;
  std::vector<Verdict> verdicts(count);
  const std::vector<std::optional<double>> rewards(count, 1.0);
  const FlagMonitor monitor({.action = MonitorAction::kScreening, .accuracy = 0.9, .seed = 3});
  const GradedStep whole{.version = 1, .group_size = 8, .reward_B = rewards, .verdict_B = verdicts, .score_B = {}};
  const TransformedRewards changed = monitor.apply(whole);
  const double share = changed.metrics.at("wrong");
  EXPECT_NEAR(share, 0.1, 4 * std::sqrt(0.1 * 0.9 / static_cast<double>(count)));
  GradedStep part = whole;  // fewer prompts in the step: the same errors for those there are
  part.reward_B = whole.reward_B.first(800);
  part.verdict_B = whole.verdict_B.first(800);
  const TransformedRewards fewer = monitor.apply(part);
  for (size_t i = 0; i < 800; ++i) EXPECT_EQ(fewer.reward_B[i], changed.reward_B[i]);
  GradedStep later = whole;
  later.version = 2;
  EXPECT_NE(monitor.apply(later).reward_B, changed.reward_B);
  EXPECT_EQ(monitor.apply(whole).reward_B, changed.reward_B);
}

}  // namespace
}  // namespace plumbline
