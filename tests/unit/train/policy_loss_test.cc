#include "plumbline/train/policy_loss.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

torch::Tensor doubles(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64);
}

TEST(PolicyLoss, UnknownNamesAreRefused) {
  EXPECT_EQ(loss_kind_of_name("dr_grpo"), LossKind::kDrGrpo);
  EXPECT_THROW(loss_kind_of_name("ppo"), ConfigError);
  EXPECT_THROW(ratio_level_of_name("word"), ConfigError);
  EXPECT_THROW(kl_estimator_of_name("k4"), ConfigError);
}

/// The same weight for all tokens.
torch::Tensor weights(const torch::Tensor& like, double denominator) {
  return torch::full_like(like, 1 / denominator).detach();
}

TEST(PolicyLoss, GradientAgreesWithFiniteDifferences) {
  // Ratios on both sides of both clips, both signs of the advantage, none within h of a boundary.
  const torch::Tensor old = doubles({-1.0, -2.0, -0.5, -1.5, -1.0, -0.7});
  const torch::Tensor logprob = doubles({-0.6, -2.5, -0.55, -1.1, -1.4, -0.72});
  const torch::Tensor reference = doubles({-0.9, -2.2, -0.6, -1.4, -0.8, -0.7});
  const torch::Tensor advantage = doubles({1.0, -2.0, 0.5, -1.0, 1.5, -0.25});
  const std::vector<int64_t> lengths = {2, 4};
  for (const RatioLevel ratio : {RatioLevel::kToken, RatioLevel::kSequence}) {
    for (const KlEstimator kl : {KlEstimator::kK1, KlEstimator::kK2, KlEstimator::kK3}) {
      const LossOptions options{.beta = 0.3, .clip_low = 0.2, .clip_high = 0.28, .ratio = ratio, .kl = kl};
      const auto loss = [&](const torch::Tensor& at) {
        return policy_loss({at, old, reference, advantage, weights(at, 17), lengths}, options).loss;
      };
      const torch::Tensor leaf = logprob.clone().requires_grad_(true);
      loss(leaf).backward();
      const double h = 1e-6;
      for (int64_t i = 0; i < logprob.numel(); ++i) {
        torch::Tensor up = logprob.clone(), down = logprob.clone();
        up[i] += h;
        down[i] -= h;
        const double difference = loss(up).item<double>() - loss(down).item<double>();
        EXPECT_NEAR(leaf.grad()[i].item<double>(), difference / (2 * h), 1e-9) << i;
      }
    }
  }
}

TEST(PolicyLoss, EqualRewardsAndNoPenaltyGiveExactlyZeroGradient) {
  const torch::Tensor leaf = torch::tensor({-0.3f, -1.7f, -2.9f}).requires_grad_(true);
  const auto result = policy_loss({leaf, leaf.detach(), {}, torch::zeros({3}), weights(leaf, 3), {}}, {});
  result.loss.backward();
  EXPECT_EQ(leaf.grad().abs().max().item<float>(), 0.0f);
}

TEST(PolicyLoss, OnPolicyRatioIsExactlyOneAndTheGradientIsMinusTheAdvantage) {
  const torch::Tensor leaf = torch::tensor({-0.3f, -1.7f, -2.9f}).requires_grad_(true);
  const torch::Tensor advantage = torch::tensor({1.0f, -0.5f, 2.0f});
  const auto result = policy_loss({leaf, leaf.detach(), {}, advantage, weights(leaf, 4), {}}, {});
  result.loss.backward();
  EXPECT_EQ(result.sums.max_ratio_error, 0.0);
  EXPECT_TRUE(torch::equal(leaf.grad(), -advantage / 4));
}

TEST(PolicyLoss, EqualPolicyAndReferenceGiveExactlyZeroDivergence) {
  const torch::Tensor logprob = torch::tensor({-0.3f, -11.7f, -1e-7f});
  for (const KlEstimator kl : {KlEstimator::kK1, KlEstimator::kK2, KlEstimator::kK3}) {
    EXPECT_EQ(kl_divergence(logprob, logprob, kl).abs().max().item<float>(), 0.0f);
  }
}

TEST(PolicyLoss, NoTokensGiveZero) {
  const torch::Tensor none = torch::zeros({0}).requires_grad_(true);
  const auto result =
      policy_loss({none, none.detach(), none.detach(), none.detach(), none.detach(), {}}, {.beta = 0.1});
  EXPECT_EQ(result.loss.item<float>(), 0.0f);
  EXPECT_EQ(result.sums.mean_kl(), 0.0);
}

}  // namespace
}  // namespace plumbline
