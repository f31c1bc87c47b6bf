#include "plumbline/train/grpo_loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"

namespace plumbline {

LossKind loss_kind_of_name(const std::string& name) {
  if (name == "dr_grpo") return LossKind::kDrGrpo;
  throw ConfigError("config.not_supported", fmt::format("the loss \"{}\" is not there yet; there is: dr_grpo", name),
                    "train.loss", "set train.loss to \"dr_grpo\"");
}

LossSums& LossSums::operator+=(const LossSums& other) {
  loss += other.loss;
  k3 += other.k3;
  ratio += other.ratio;
  clipped_low += other.clipped_low;
  clipped_high += other.clipped_high;
  num_tokens += other.num_tokens;
  max_ratio_error = std::max(max_ratio_error, other.max_ratio_error);
  return *this;
}

double LossSums::mean_k3() const {
  return num_tokens ? k3 / static_cast<double>(num_tokens) : 0;
}
double LossSums::mean_ratio() const {
  return num_tokens ? ratio / static_cast<double>(num_tokens) : 0;
}
double LossSums::clip_fraction() const {
  return num_tokens ? static_cast<double>(clipped_low + clipped_high) / static_cast<double>(num_tokens) : 0;
}

torch::Tensor k3_divergence(const torch::Tensor& logprob, const torch::Tensor& reference_logprob) {
  const torch::Tensor difference = reference_logprob - logprob;
  return torch::exp(difference) - difference - 1;
}

GrpoLoss grpo_loss(const LossTokens& tokens, const LossOptions& options) {
  const bool has_reference = tokens.reference_logprob_N.defined();
  PL_CHECK(options.beta == 0 || has_reference, "a KL penalty needs reference log-probabilities");
  const torch::Tensor& advantage = tokens.advantage_N;
  const torch::Tensor ratio = torch::exp(tokens.logprob_N - tokens.old_logprob_N);
  const torch::Tensor clipped = torch::clamp(ratio, 1 - options.clip_low, 1 + options.clip_high);

  GrpoLoss result;
  result.per_token_N = -torch::minimum(ratio * advantage, clipped * advantage);
  torch::Tensor k3;
  if (has_reference) k3 = k3_divergence(tokens.logprob_N, tokens.reference_logprob_N);
  if (options.beta != 0) result.per_token_N = result.per_token_N + options.beta * k3;
  result.loss = result.per_token_N.sum() / options.denominator;

  result.sums.num_tokens = tokens.logprob_N.numel();
  if (result.sums.num_tokens == 0) return result;
  const torch::NoGradGuard no_grad;
  result.sums.loss = result.loss.item<double>();
  result.sums.ratio = ratio.sum(torch::kFloat64).item<double>();
  result.sums.max_ratio_error = (ratio - 1).abs().max().item<double>();
  if (has_reference) result.sums.k3 = k3.sum(torch::kFloat64).item<double>();
  result.sums.clipped_low = ((ratio < 1 - options.clip_low) & (advantage < 0)).sum().item<int64_t>();
  result.sums.clipped_high = ((ratio > 1 + options.clip_high) & (advantage > 0)).sum().item<int64_t>();
  return result;
}

}  // namespace plumbline
