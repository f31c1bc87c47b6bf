#include "plumbline/train/policy_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"

namespace plumbline {
namespace {

/// The value that `name` stands for in `table`, whose key in a preset is `key`.
template <typename Kind, size_t kSize>
Kind kind_of_name(const std::array<std::pair<const char*, Kind>, kSize>& table, const std::string& name,
                  const std::string& key) {
  std::string known;
  for (const auto& [word, kind] : table) {
    if (name == word) return kind;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw ConfigError("config.not_allowed", fmt::format("there is no \"{}\"", name), key, "choose one of: " + known);
}

/// log rho a token: its own, or the mean over its completion.
torch::Tensor log_ratios(const LossTokens& tokens, RatioLevel level) {
  const torch::Tensor log_ratio_N = tokens.logprob_N - tokens.old_logprob_N;
  if (level == RatioLevel::kToken || log_ratio_N.numel() == 0) return log_ratio_N;
  std::vector<torch::Tensor> spread;
  int64_t begin = 0;
  for (const int64_t length : tokens.lengths) {
    if (length > 0) spread.push_back(log_ratio_N.slice(0, begin, begin + length).mean().expand(length));
    begin += length;
  }
  PL_CHECK(begin == log_ratio_N.numel(), "the lengths of the completions sum to the number of tokens");
  return torch::cat(spread);
}

}  // namespace

LossKind loss_kind_of_name(const std::string& name) {
  static constexpr std::array<std::pair<const char*, LossKind>, 6> kNames{{{"dr_grpo", LossKind::kDrGrpo},
                                                                           {"grpo", LossKind::kGrpo},
                                                                           {"dapo", LossKind::kDapo},
                                                                           {"bnpo", LossKind::kBnpo},
                                                                           {"rloo", LossKind::kRloo},
                                                                           {"reinforce++", LossKind::kReinforcePlus}}};
  return kind_of_name(kNames, name, "train.loss");
}

RatioLevel ratio_level_of_name(const std::string& name) {
  static constexpr std::array<std::pair<const char*, RatioLevel>, 2> kNames{
      {{"token", RatioLevel::kToken}, {"sequence", RatioLevel::kSequence}}};
  return kind_of_name(kNames, name, "train.ratio");
}

KlEstimator kl_estimator_of_name(const std::string& name) {
  static constexpr std::array<std::pair<const char*, KlEstimator>, 3> kNames{
      {{"k1", KlEstimator::kK1}, {"k2", KlEstimator::kK2}, {"k3", KlEstimator::kK3}}};
  return kind_of_name(kNames, name, "train.kl");
}

LossSums& LossSums::operator+=(const LossSums& other) {
  loss += other.loss;
  kl += other.kl;
  ratio += other.ratio;
  clipped_low += other.clipped_low;
  clipped_high += other.clipped_high;
  num_tokens += other.num_tokens;
  max_ratio_error = std::max(max_ratio_error, other.max_ratio_error);
  return *this;
}

double LossSums::mean_kl() const {
  return num_tokens ? kl / static_cast<double>(num_tokens) : 0;
}
double LossSums::mean_ratio() const {
  return num_tokens ? ratio / static_cast<double>(num_tokens) : 0;
}
double LossSums::clip_fraction() const {
  return num_tokens ? static_cast<double>(clipped_low + clipped_high) / static_cast<double>(num_tokens) : 0;
}

torch::Tensor kl_divergence(const torch::Tensor& logprob, const torch::Tensor& reference_logprob,
                            KlEstimator estimator) {
  const torch::Tensor difference = reference_logprob - logprob;
  if (estimator == KlEstimator::kK1) return -difference;
  if (estimator == KlEstimator::kK2) return 0.5 * difference * difference;
  return torch::exp(difference) - difference - 1;
}

PolicyLoss policy_loss(const LossTokens& tokens, const LossOptions& options) {
  const bool has_reference = tokens.reference_logprob_N.defined();
  PL_CHECK(options.beta == 0 || has_reference, "a KL penalty needs reference log-probabilities");
  const torch::Tensor& advantage = tokens.advantage_N;
  const torch::Tensor ratio = torch::exp(log_ratios(tokens, options.ratio));
  const torch::Tensor clipped = torch::clamp(ratio, 1 - options.clip_low, 1 + options.clip_high);

  PolicyLoss result;
  result.per_token_N = -torch::minimum(ratio * advantage, clipped * advantage);
  torch::Tensor kl;
  if (has_reference) kl = kl_divergence(tokens.logprob_N, tokens.reference_logprob_N, options.kl);
  if (options.beta != 0) result.per_token_N = result.per_token_N + options.beta * kl;
  result.loss = (tokens.weight_N * result.per_token_N).sum();

  result.sums.num_tokens = tokens.logprob_N.numel();
  if (result.sums.num_tokens == 0) return result;
  const torch::NoGradGuard no_grad;
  result.sums.loss = result.loss.item<double>();
  result.sums.ratio = ratio.sum(torch::kFloat64).item<double>();
  result.sums.max_ratio_error = (ratio - 1).abs().max().item<double>();
  if (has_reference) result.sums.kl = kl.sum(torch::kFloat64).item<double>();
  result.sums.clipped_low = ((ratio < 1 - options.clip_low) & (advantage < 0)).sum().item<int64_t>();
  result.sums.clipped_high = ((ratio > 1 + options.clip_high) & (advantage > 0)).sum().item<int64_t>();
  return result;
}

}  // namespace plumbline
