#include "plumbline/rollout/sampler.h"

#include <cmath>
#include <limits>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

torch::Tensor pick(const torch::Tensor& values_BV, const torch::Tensor& index_B) {
  return values_BV.gather(-1, index_B.unsqueeze(-1)).squeeze(-1);
}

/// Index of the first token whose cumulative probability exceeds the uniform number's share of the total.
torch::Tensor invert_cdf(const torch::Tensor& probs_BV, const torch::Tensor& uniforms_B) {
  const torch::Tensor cdf_BV = at::cumsum(probs_BV, -1, torch::kFloat64);
  const torch::Tensor possible_BV = probs_BV > 0;
  // A parallel scan need not be monotone in the last bits, so impossible tokens are excluded by name, and the target
  // stays below what some possible token reaches.
  const torch::Tensor total_B1 = cdf_BV.masked_fill(possible_BV.logical_not(), 0).amax(-1, /*keepdim=*/true);
  const torch::Tensor below_total_B1 = at::nextafter(total_B1, at::zeros_like(total_B1));
  const torch::Tensor target_B1 = at::minimum(uniforms_B.unsqueeze(-1) * total_B1, below_total_B1);
  const torch::Tensor reached_BV = (cdf_BV > target_B1).logical_and_(possible_BV);
  return reached_BV.to(torch::kUInt8).argmax(-1);  // the first of equals
}

/// Logits, sorted downwards, with everything outside top-k and top-p at -inf.
torch::Tensor truncate_sorted(torch::Tensor sorted_BV, const SamplingOptions& sampling) {
  const double never = -std::numeric_limits<double>::infinity();
  if (sampling.top_k > 0 && sampling.top_k < sorted_BV.size(-1)) {
    const torch::Tensor kth_B1 = sorted_BV.narrow(-1, sampling.top_k - 1, 1);
    sorted_BV = sorted_BV.masked_fill(sorted_BV < kth_B1, never);
  }
  if (sampling.top_p < 1.0) {
    const torch::Tensor probs_BV = at::softmax(sorted_BV, -1, torch::kFloat64);
    const torch::Tensor before_BV = at::cumsum(probs_BV, -1) - probs_BV;
    sorted_BV = sorted_BV.masked_fill(before_BV >= sampling.top_p, never);
  }
  return sorted_BV;
}

}  // namespace

SampledTokens sample_tokens(const torch::Tensor& logits_BV, const torch::Tensor& uniforms_B,
                            const SamplingOptions& sampling) {
  SampledTokens tokens;
  const bool greedy = sampling.temperature == 0;
  const torch::Tensor scaled_BV = greedy ? logits_BV : logits_BV / sampling.temperature;
  const torch::Tensor logprobs_BV = at::log_softmax(scaled_BV, -1);
  // A NaN or a +inf anywhere makes the sum that log_softmax subtracts, hence every entry of the row, NaN.
  tokens.finite_B = at::isnan(logprobs_BV.amax(-1)).logical_not_();
  if (greedy) {
    tokens.ids_B = logits_BV.argmax(-1);
    tokens.logprobs_B = tokens.sampled_logprobs_B = pick(logprobs_BV, tokens.ids_B);
    return tokens;
  }
  const bool truncated = sampling.top_p < 1.0 || (sampling.top_k > 0 && sampling.top_k < logits_BV.size(-1));
  if (!truncated) {
    tokens.ids_B = invert_cdf(logprobs_BV.exp(), uniforms_B);
    tokens.logprobs_B = tokens.sampled_logprobs_B = pick(logprobs_BV, tokens.ids_B);
    return tokens;
  }
  const auto [sorted_BV, order_BV] = at::sort(scaled_BV, /*stable=*/true, /*dim=*/-1, /*descending=*/true);
  const torch::Tensor kept_logprobs_BV = at::log_softmax(truncate_sorted(sorted_BV, sampling), -1);
  const torch::Tensor rank_B = invert_cdf(kept_logprobs_BV.exp(), uniforms_B);
  tokens.ids_B = pick(order_BV, rank_B);
  tokens.logprobs_B = pick(logprobs_BV, tokens.ids_B);
  tokens.sampled_logprobs_B = pick(kept_logprobs_BV, rank_B);
  return tokens;
}

void check_sampling(const SamplingOptions& sampling) {
  const auto require = [](bool holds, const char* option, const char* range) {
    if (!holds) throw ConfigError("config.out_of_range", std::string(option) + " must be " + range, option);
  };
  const double temperature = sampling.temperature;
  require(std::isfinite(temperature) && (temperature == 0 || temperature >= kMinSamplingTemperature), "temperature",
          "0 (greedy), or 0.01 or more: logits divided by less leave float32");
  require(sampling.top_p > 0 && sampling.top_p <= 1, "rollout.top_p", "above 0 and at most 1");
  require(sampling.top_k >= 0, "rollout.top_k", "0 (off) or more");
  require(sampling.max_new_tokens >= 1, "rollout.max_new_tokens", "1 or more");
}

}  // namespace plumbline
