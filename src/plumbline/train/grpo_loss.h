/// The clipped policy-gradient loss with a constant denominator, and its k3 penalty.
/// Source: Dr. GRPO (arXiv 2503.20783) for the denominator, GRPO (2402.03300) for clipping and k3:
///
///     rho = exp(logp - logp_old)      d = logp_ref - logp
///     l   = -min(rho A, clip(rho, 1 - clip_low, 1 + clip_high) A) + beta (e^d - d - 1)
///     L   = sum l / denominator       denominator = G * max_new * prompts_per_step, skipped groups included
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace plumbline {

/// The losses there are. Others of the family (grpo, dapo, bnpo) differ in their divisor and join here.
enum class LossKind { kDrGrpo };

/// Throws ConfigError(config.not_supported) for a name that is not built yet, saying which are.
LossKind loss_kind_of_name(const std::string& name);

struct LossOptions {
  double beta = 0;
  double clip_low = 0.2, clip_high = 0.2;
  double denominator = 1;  ///< constant for the whole run; never depends on what survives
};

/// Counting tokens of one micro-batch, in any shape as long as all agree. The caller leaves out what does not count:
/// prompts, padding, skipped groups, rows without a reward, masked truncated rows.
struct LossTokens {
  torch::Tensor logprob_N;            ///< policy; the gradient flows through this one only
  torch::Tensor old_logprob_N;        ///< the policy that sampled
  torch::Tensor reference_logprob_N;  ///< the zero adapter; may be undefined when beta is 0
  torch::Tensor advantage_N;
};

/// Sums over tokens, so that micro-batches add up.
struct LossSums {
  double loss = 0;  ///< already divided by the denominator
  double k3 = 0, ratio = 0;
  int64_t clipped_low = 0, clipped_high = 0, num_tokens = 0;
  double max_ratio_error = 0;  ///< largest |rho - 1|

  LossSums& operator+=(const LossSums& other);
  /// Means over counting tokens; 0 when there is none.
  double mean_k3() const;
  double mean_ratio() const;
  double clip_fraction() const;
};

struct GrpoLoss {
  torch::Tensor loss;         ///< scalar, differentiable
  torch::Tensor per_token_N;  ///< l, before the division
  LossSums sums;
};

/// Computes in the dtype of `logprob_N`. Zero tokens give a loss of 0.
GrpoLoss grpo_loss(const LossTokens& tokens, const LossOptions& options);

/// e^d - d - 1 with d = reference - policy: unbiased, never negative, exactly 0 for equal inputs.
/// Source: Schulman, "Approximating KL divergence" (2020), the estimator called k3.
torch::Tensor k3_divergence(const torch::Tensor& logprob, const torch::Tensor& reference_logprob);

}  // namespace plumbline
