/// Rebound (Wu and Tang, arXiv 2604.01476): rewards are lowered where a completion's hidden states lean toward hacking
/// more than its group's.
///
///     z = (s - mean s) / max(std s, 0.1)      within the group, std with n - 1
///     r' = r - alpha max(z, 0)                additive
///     r' = r (1 - alpha sigmoid(z)) where z > 0, else r      multiplicative
///
/// Ours: s is the mean over the response's tokens. As published it is read at the prompt's last token, which is the
/// same in the whole group, so that z = 0 and nothing happens. Scores within 1e-6 of each other count as flat (z = 0),
/// and z > 0 means z > 1e-6: else rounding would turn the multiplicative form round. What becomes of r' (mean, standard
/// deviation, the rule for groups without spread) is the loss's own.
#pragma once

#include "plumbline/train/reward_transform.h"

namespace plumbline {

enum class ReboundForm { kAdditive, kMultiplicative };

/// z of one group's scores, [G].
std::vector<double> rebound_z(std::span<const double> score_G);

double rebound_reward(double reward, double z, double alpha, ReboundForm form);

/// metrics: monitor/flagged (share of the completions with a verdict that have z > 0), monitor/reward.
class Rebound final : public RewardTransform {
 public:
  Rebound(ReboundForm form, double alpha, HiddenReading reading)
      : form_(form), alpha_(alpha), reading_(std::move(reading)) {}
  const HiddenReading* reading() const override { return &reading_; }
  /// Completions without a verdict have no part in their group's mean and deviation.
  TransformedRewards apply(const GradedStep& step) const override;

 private:
  const ReboundForm form_;
  const double alpha_;
  const HiddenReading reading_;
};

}  // namespace plumbline
