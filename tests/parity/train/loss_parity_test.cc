/// golden/method 03 and 10: advantages, every loss with its divisor, its metrics and its gradient.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "plumbline/base/error.h"
#include "plumbline/train/advantage.h"
#include "plumbline/train/loss_weight.h"
#include "plumbline/train/policy_loss.h"
#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using test::GoldenCase;

std::vector<RewardRow> reward_rows(const GoldenCase& golden) {
  const torch::Tensor rewards_B = golden.tensor("in.rewards").to(torch::kFloat64);
  const torch::Tensor groups_B = golden.tensor("in.group_id");
  std::vector<RewardRow> rows;
  for (int64_t i = 0; i < rewards_B.numel(); ++i) {
    rows.push_back({.group_id = groups_B[i].item<int64_t>(), .reward = rewards_B[i].item<double>()});
    if (golden.has("in.valid") && golden.tensor("in.valid")[i].item<int64_t>() == 0) rows.back().reward.reset();
  }
  return rows;
}

torch::Tensor to_tensor(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64);
}
torch::Tensor to_tensor(const std::vector<bool>& values) {
  return to_tensor(std::vector<double>(values.begin(), values.end()));
}

/// The [B, T] inputs of a case and which of its tokens count.
struct Tokens {
  torch::Tensor logp_BT, old_BT, reference_BT, advantage_B, weight_B, counts_BT;
};

/// Loss and gradient over the counting tokens of rows [begin, end), as the trainer does it: flat, nothing else present.
PolicyLoss loss_of_rows(const Tokens& tokens, const torch::Tensor& leaf_BT, int64_t begin, int64_t end, bool on_policy,
                        const LossOptions& options) {
  const auto pick = [&](const torch::Tensor& values_BT) {
    return values_BT.slice(0, begin, end).masked_select(tokens.counts_BT.slice(0, begin, end));
  };
  const auto spread = [&](const torch::Tensor& values_B) { return pick(values_B.unsqueeze(1).expand_as(leaf_BT)); };
  const torch::Tensor logp_N = pick(leaf_BT);
  return policy_loss({.logprob_N = logp_N,
                      .old_logprob_N = on_policy ? logp_N.detach() : pick(tokens.old_BT),
                      .reference_logprob_N = pick(tokens.reference_BT),
                      .advantage_N = spread(tokens.advantage_B),
                      .weight_N = spread(tokens.weight_B),
                      .lengths = {}},
                     options);
}

/// Tokens that stay in token divisors: with a reward, and not of a masked truncated row. Skipped groups stay.
std::vector<int64_t> divisor_tokens(const GoldenCase& golden, const std::vector<RewardRow>& rows, bool mask_truncated) {
  const torch::Tensor counts_B = (golden.tensor("in.mask") != 0).sum(1);
  std::vector<int64_t> result;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const bool left = !rows[i].reward || (mask_truncated && golden.tensor("in.truncated")[row].item<int64_t>() != 0);
    result.push_back(left ? 0 : counts_B[row].item<int64_t>());
  }
  return result;
}

void expect_variant(GoldenCase& golden, const std::string& name, const Json& variant,
                    const std::vector<RewardRow>& rows) {
  const Json& params = golden.params();
  const bool scaled = variant.at("scale") == "group";
  const Advantages advantages = estimate_advantages(rows, scaled ? AdvantageKind::kGroupStd : AdvantageKind::kGroupMean,
                                                    variant.value("skip", true));
  Tokens tokens{
      golden.input("logp"), {}, golden.input("logp_ref"), to_tensor(advantages.advantage_B).to(golden.dtype()), {}, {}};
  const bool on_policy = variant.value("on_policy", true);
  if (!on_policy) tokens.old_BT = golden.input("logp_old");
  torch::Tensor in_loss_B = to_tensor(advantages.in_loss_B).to(torch::kBool);
  const bool mask_truncated = variant.value("mask_truncated", false);
  if (mask_truncated) in_loss_B = in_loss_B & (golden.tensor("in.truncated") == 0);
  tokens.counts_BT = (golden.tensor("in.mask") != 0) & in_loss_B.unsqueeze(1);
  const LossOptions options{.beta = variant.at("beta"),
                            .clip_low = variant.value("clip_low", 0.2),
                            .clip_high = variant.value("clip_high", 0.2)};
  const LossKind kind = loss_kind_of_name(variant.value("loss_type", "dr_grpo"));
  const LossShape shape{params.at("G"), params.at("prompts_per_step"), params.at("max_new")};
  const std::vector<int64_t> num_tokens = divisor_tokens(golden, rows, mask_truncated);
  Json splits = params.value("splits", Json::array());
  if (kind == LossKind::kBnpo) splits = Json::array({variant.at("splits")});  // it depends on the split by definition
  if (splits.empty()) splits.push_back(Json::array({tokens.logp_BT.size(0)}));
  for (const Json& split : splits) {
    const torch::Tensor leaf_BT = tokens.logp_BT.clone().requires_grad_(true);
    torch::Tensor per_token_BT = torch::zeros_like(tokens.logp_BT);
    tokens.weight_B =
        to_tensor(loss_weights(kind, num_tokens, shape, split.get<std::vector<int64_t>>())).to(golden.dtype());
    double loss = 0;
    int64_t begin = 0;
    for (const Json& count : split) {
      const int64_t end = begin + count.get<int64_t>();
      const PolicyLoss part = loss_of_rows(tokens, leaf_BT, begin, end, on_policy, options);
      part.loss.backward();
      loss += part.sums.loss;
      per_token_BT.slice(0, begin, end)
          .masked_scatter_(tokens.counts_BT.slice(0, begin, end), part.per_token_N.detach());
      begin = end;
    }
    golden.expect(name + ".loss", loss);
    golden.expect(name + ".grad", leaf_BT.grad());
    if (golden.has("out." + name + ".per_token")) golden.expect(name + ".per_token", per_token_BT);
  }
}

class LossParity : public testing::TestWithParam<const char*> {};

TEST_P(LossParity, EveryVariantInEverySplit) {
  PL_NEED_SHARED("golden/method/03_loss");
  GoldenCase golden("03_loss", GetParam());
  int num_variants = 0;
  for (const auto& [name, variant] : golden.params().at("variants").items()) {
    ++num_variants;
    expect_variant(golden, name, variant, reward_rows(golden));
  }
  EXPECT_EQ(num_variants, 19);
}

TEST_P(LossParity, AdvantagesAndMetrics) {
  PL_NEED_SHARED("golden/method/03_loss");
  GoldenCase golden("03_loss", GetParam());
  const auto rows = reward_rows(golden);
  const Advantages plain = estimate_advantages(rows, AdvantageKind::kGroupMean, true);
  golden.expect("adv_none", to_tensor(plain.advantage_B));
  golden.expect("adv_group", to_tensor(estimate_advantages(rows, AdvantageKind::kGroupStd, true).advantage_B));
  golden.expect("has_spread", to_tensor(plain.in_loss_B));
  const torch::Tensor mask_BT = golden.tensor("in.mask") != 0;
  const Advantages kept = estimate_advantages(rows, AdvantageKind::kGroupMean, false);
  const Tokens tokens{golden.input("logp"),
                      golden.input("logp_old"),
                      golden.input("logp_ref"),
                      to_tensor(kept.advantage_B).to(golden.dtype()),
                      torch::zeros_like(mask_BT.select(1, 0), golden.dtype()),
                      mask_BT};
  const LossSums sums = loss_of_rows(tokens, tokens.logp_BT, 0, mask_BT.size(0), false, {.beta = 0.04}).sums;
  const double count = static_cast<double>(sums.num_tokens);
  golden.expect("metrics",
                to_tensor(std::vector<double>{
                    sums.mean_kl(), static_cast<double>(sums.clipped_low) / count,
                    static_cast<double>(sums.clipped_high) / count, sums.clip_fraction(),
                    static_cast<double>(kept.num_zero_spread_groups()) / static_cast<double>(kept.groups.size())}));
  golden.expect("k3", kl_divergence(tokens.logp_BT, tokens.reference_BT, KlEstimator::kK3) * mask_BT);
}

TEST_P(LossParity, StepWithMissingAndFlatRewards) {
  PL_NEED_SHARED("golden/method/10_reward_edges");
  GoldenCase golden("10_reward_edges", GetParam());
  const auto rows = reward_rows(golden);
  const Advantages plain = estimate_advantages(rows, AdvantageKind::kGroupMean, true);
  golden.expect("adv_none", to_tensor(plain.advantage_B));
  golden.expect("adv_group", to_tensor(estimate_advantages(rows, AdvantageKind::kGroupStd, true).advantage_B));
  golden.expect("kept", to_tensor(plain.in_loss_B));
  golden.expect("sprd", plain.has_spread ? 1.0 : 0.0);
  std::vector<double> means, present;
  for (const auto& [id, group] : plain.groups) {
    means.push_back(group.mean);
    present.push_back(static_cast<double>(group.num_present));
  }
  golden.expect("group_mean", to_tensor(means));
  golden.expect("group_present", to_tensor(present));
  expect_variant(golden, "dr_grpo", golden.params().at("variants").at("dr_grpo"), rows);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, LossParity, testing::Values("float32", "float64"),
                         [](const auto& dtype) { return std::string(dtype.param); });

/// The rows of case 10 that are JSON: what happens to one group.
std::vector<RewardRow> group_of(const Json& rewards) {
  std::vector<RewardRow> rows;
  for (const Json& reward : rewards) {
    RewardRow& row = rows.emplace_back();
    if (reward.is_string()) row.reward = std::stod(reward.get<std::string>());
    if (reward.is_number()) row.reward = reward.get<double>();
  }
  return rows;
}

TEST(RewardEdges, EveryGroupEndsAsItShould) {
  PL_NEED_SHARED("golden/method/10_reward_edges");
  const GoldenCase golden("10_reward_edges", "float64");
  for (const Json& row : golden.params().at("rows")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const auto rows = group_of(row.at("rewards"));
    const std::string expect = row.at("expect");
    if (expect == "error") {
      EXPECT_THROW(estimate_advantages(rows, AdvantageKind::kGroupMean, true), NumericError);
    } else if (expect == "refuse") {
      EXPECT_THROW(estimate_advantages(rows, AdvantageKind::kGroupMean, true), ConfigError);
    } else {
      const Advantages plain = estimate_advantages(rows, AdvantageKind::kGroupMean, true);
      const Advantages scaled = estimate_advantages(rows, AdvantageKind::kGroupStd, true);
      EXPECT_EQ(plain.groups.at(0).kept, expect == "keep");
      if (expect != "keep") continue;
      for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(plain.advantage_B[i], row.at("advantages")[i].get<double>(), 1e-9);
        EXPECT_NEAR(scaled.advantage_B[i], row.at("advantages_std")[i].get<double>(), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace plumbline
