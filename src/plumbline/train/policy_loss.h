/// The clipped policy-gradient losses of the GRPO family, with a penalty towards the reference.
///
///     rho = exp(logp - logp_old)                    token level, or sequence level (GSPO, arXiv 2507.18071):
///                                                   the exponential of the mean over the completion's tokens
///     l   = -min(rho A, clip(rho, 1 - clip_low, 1 + clip_high) A) + beta kl
///     L   = sum_tokens weight l                     the weight is 1 / divisor: loss_weight.h has every loss's own
///
/// Sources: GRPO (2402.03300) for clipping and k3; DAPO (2503.14476) for clip_high > clip_low. Ours: what differs
/// between the losses is the advantage (advantage.h) and the weight alone, so that all of them share this one formula.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>

namespace plumbline {

/// train.loss.
enum class LossKind {
  kDrGrpo,         ///< arXiv 2503.20783
  kGrpo,           ///< 2402.03300
  kDapo,           ///< 2503.14476
  kBnpo,           ///< TRL's name for: divided by the tokens of a micro-batch
  kRloo,           ///< 2402.14740
  kReinforcePlus,  ///< REINFORCE++, 2501.03262: the penalty is in the reward, never in l
};
/// train.ratio.
enum class RatioLevel { kToken, kSequence };
/// train.kl. With d = logp_ref - logp, after Schulman, "Approximating KL divergence" (2020).
enum class KlEstimator {
  kK1,  ///< -d: unbiased, either sign. As a loss its gradient has expectation 0: it measures, and does not pull
  kK2,  ///< d^2 / 2: biased, its gradient is that of the reverse KL on-policy
  kK3,  ///< e^d - d - 1: unbiased and never negative
};

/// Each throws ConfigError(config.not_allowed) for a name that it does not know.
LossKind loss_kind_of_name(const std::string& name);
RatioLevel ratio_level_of_name(const std::string& name);
KlEstimator kl_estimator_of_name(const std::string& name);

struct LossOptions {
  double beta = 0;
  double clip_low = 0.2, clip_high = 0.2;
  RatioLevel ratio = RatioLevel::kToken;
  KlEstimator kl = KlEstimator::kK3;
};

/// Counting tokens of one micro-batch, flat, completion after completion. The caller leaves out what does not count:
/// prompts, padding, skipped groups, rows without a reward, masked truncated rows.
struct LossTokens {
  torch::Tensor logprob_N;            ///< policy; the gradient flows through this one only
  torch::Tensor old_logprob_N;        ///< the policy that sampled
  torch::Tensor reference_logprob_N;  ///< the zero adapter; may be undefined when beta is 0
  torch::Tensor advantage_N;
  torch::Tensor weight_N;            ///< 1 / divisor
  std::span<const int64_t> lengths;  ///< tokens a completion, summing to N; the sequence level needs them
};

/// Sums over tokens, so that micro-batches add up.
struct LossSums {
  double loss = 0;  ///< already weighted
  double kl = 0, ratio = 0;
  int64_t clipped_low = 0, clipped_high = 0, num_tokens = 0;
  double max_ratio_error = 0;  ///< largest |rho - 1|

  LossSums& operator+=(const LossSums& other);
  /// Means over counting tokens; 0 when there is none.
  double mean_kl() const;
  double mean_ratio() const;
  double clip_fraction() const;
};

struct PolicyLoss {
  torch::Tensor loss;         ///< scalar, differentiable
  torch::Tensor per_token_N;  ///< l, before the weight
  LossSums sums;
};

/// Computes in the dtype of `logprob_N`. Zero tokens give a loss of 0.
PolicyLoss policy_loss(const LossTokens& tokens, const LossOptions& options);

/// A token's estimate of KL(policy, reference); exactly 0 for equal inputs.
torch::Tensor kl_divergence(const torch::Tensor& logprob, const torch::Tensor& reference_logprob,
                            KlEstimator estimator);

}  // namespace plumbline
