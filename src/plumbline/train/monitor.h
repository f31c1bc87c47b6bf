/// Monitors that act on flagged completions: penalty takes a constant off their reward, screening takes them out of
/// their group. Source: the interventions of ariahw/rl-rewardhacking; ours states the flag's accuracy and seeds its
/// errors.
///
/// A flag comes from the trusted grader (Verdict::hacked or Verdict::vacuous) or from a linear probe on hidden states,
/// and is turned round with probability 1 - accuracy, by Stream::kMonitor keyed by (seed, version, prompt, sample).
#pragma once

#include <cstdint>
#include <optional>

#include "plumbline/train/reward_transform.h"

namespace plumbline {

enum class MonitorFlag { kHacked, kVacuous, kProbe };
enum class MonitorAction { kPenalty, kScreening };

struct FlagMonitorOptions {
  MonitorAction action = MonitorAction::kPenalty;
  MonitorFlag flag = MonitorFlag::kHacked;
  double accuracy = 1;  ///< probability that a flag is right
  double penalty = 1;   ///< taken off a flagged completion's reward
  uint64_t seed = 0;    ///< run.seed
};

/// metrics: monitor/flagged (share of the completions with a verdict), monitor/wrong (share of those flags that were
/// turned round), monitor/reward (mean of what training uses; absent when everything was screened out).
class FlagMonitor final : public RewardTransform {
 public:
  /// `probe` is needed with MonitorFlag::kProbe, whose flag is score > probe.threshold, and only there.
  explicit FlagMonitor(FlagMonitorOptions options, std::optional<HiddenReading> probe = std::nullopt);
  const HiddenReading* reading() const override { return probe_ ? &*probe_ : nullptr; }
  TransformedRewards apply(const GradedStep& step) const override;

 private:
  const FlagMonitorOptions options_;
  const std::optional<HiddenReading> probe_;
};

}  // namespace plumbline
