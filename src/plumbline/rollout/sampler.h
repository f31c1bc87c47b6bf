/// Logits to tokens: temperature, top-k, top-p, greedy; float32 logits, sums of probabilities in float64.
#pragma once

#include <torch/types.h>

#include "plumbline/rollout/engine.h"

namespace plumbline {

/// Of temperatures but 0: the preset's kMinTemperature (run/workbench.cc holds the two equal).
inline constexpr double kMinSamplingTemperature = 0.01;

/// One token a row. All on the logits' device.
struct SampledTokens {
  torch::Tensor ids_B;               ///< int64
  torch::Tensor logprobs_B;          ///< float32, under softmax(logits / temperature), untruncated; T = 1 if greedy
  torch::Tensor sampled_logprobs_B;  ///< float32, under the distribution drawn from
  torch::Tensor finite_B;            ///< bool, false where a logit is NaN or +inf; the row's other values mean nothing
};

/// Draws by inverting the cumulative distribution at `uniforms_B` (float64, in (0, 1); unused and may be undefined when
/// greedy). A token of probability zero, a logit of -inf among them, is never drawn, and rows do not influence each
/// other. Top-k first, then top-p among what is left, as transformers does: top-k keeps ties of the k-th logit, top-p
/// the smallest set of likeliest tokens that reaches it. Does not touch any RNG.
SampledTokens sample_tokens(const torch::Tensor& logits_BV, const torch::Tensor& uniforms_B,
                            const SamplingOptions& sampling);

/// ConfigError(config.out_of_range) naming the option.
void check_sampling(const SamplingOptions& sampling);

}  // namespace plumbline
