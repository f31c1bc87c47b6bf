/// RLOO, REINFORCE++, the sequence-level ratio, k1 and k2 against a float64 oracle written from the papers
/// (tools/reference/policy_losses.py); the oracle's gradients are central differences in 50 digits.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/train/advantage.h"
#include "plumbline/train/loss_weight.h"
#include "plumbline/train/policy_loss.h"
#include "plumbline/train/token_advantage.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

constexpr double kTolerance = 1e-13;

const Json& golden() {
  static const std::string path = test::source_path("tests/golden/policy_loss/golden.json");
  static const Json stored = parse_json(read_file(path), path);
  return stored;
}

struct Rows {
  std::vector<RewardRow> rewards;
  std::vector<double> reward_B;
  std::vector<int64_t> lengths_B;
  std::vector<std::vector<double>> logp, old, reference, divergence;
};

Rows stored_rows() {
  Rows rows;
  for (const Json& row : golden()["rows"]) {
    rows.rewards.push_back({row["group"], row["reward"].get<double>()});
    rows.reward_B.push_back(row["reward"]);
    rows.logp.push_back(row["logp"]);
    rows.old.push_back(row["old"]);
    rows.reference.push_back(row["reference"]);
    rows.lengths_B.push_back(static_cast<int64_t>(rows.logp.back().size()));
    auto& divergence = rows.divergence.emplace_back();
    for (size_t t = 0; t < rows.old.back().size(); ++t) {
      divergence.push_back(rows.old.back()[t] - rows.reference.back()[t]);
    }
  }
  return rows;
}

torch::Tensor flat(const std::vector<std::vector<double>>& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return torch::tensor(values, torch::kFloat64);
}

std::vector<std::vector<double>> spread(const std::vector<double>& value_B, const Rows& rows) {
  std::vector<std::vector<double>> result;
  for (size_t i = 0; i < value_B.size(); ++i) result.emplace_back(rows.logp[i].size(), value_B[i]);
  return result;
}

/// As the trainer puts a step together, in float64.
PolicyLoss loss_of(const Rows& rows, const Json& options, const torch::Tensor& logprob_N) {
  const LossKind kind = loss_kind_of_name(options["loss"]);
  const double beta = options["beta"];
  const Advantages group = estimate_advantages(rows.rewards, advantage_kind_of(kind), false);
  const bool per_token = kind == LossKind::kReinforcePlus;
  const auto advantages = per_token
                              ? reinforce_plus_advantages(group.advantage_B, rows.divergence, rows.lengths_B, beta)
                              : spread(group.advantage_B, rows);
  const auto weights = loss_weights(
      kind, rows.lengths_B, {golden()["group_size"], golden()["prompts_per_step"], golden()["max_new_tokens"]}, {});
  return policy_loss({.logprob_N = logprob_N,
                      .old_logprob_N = flat(rows.old),
                      .reference_logprob_N = flat(rows.reference),
                      .advantage_N = flat(advantages),
                      .weight_N = flat(spread(weights, rows)),
                      .lengths = rows.lengths_B},
                     {.beta = per_token ? 0 : beta,
                      .clip_low = golden()["clip_low"],
                      .clip_high = golden()["clip_high"],
                      .ratio = ratio_level_of_name(options["ratio"]),
                      .kl = kl_estimator_of_name(options["kl"])});
}

class PolicyLossOracle : public testing::TestWithParam<const char*> {};

TEST_P(PolicyLossOracle, LossAndGradient) {
  const Rows rows = stored_rows();
  const Json& want = golden()["cases"][GetParam()];
  const torch::Tensor leaf_N = flat(rows.logp).requires_grad_(true);
  const PolicyLoss loss = loss_of(rows, want["options"], leaf_N);
  loss.loss.backward();
  EXPECT_NEAR(loss.sums.loss, want["loss"].get<double>(), kTolerance);
  const torch::Tensor gradient_N = flat(want["gradient"].get<std::vector<std::vector<double>>>());
  EXPECT_LT((leaf_N.grad() - gradient_N).abs().max().item<double>(), kTolerance);
  EXPECT_GT(gradient_N.abs().max().item<double>(), 1e-3) << "the case must have something to miss";
}

INSTANTIATE_TEST_SUITE_P(Cases, PolicyLossOracle,
                         testing::Values("rloo", "reinforce_plus", "reinforce_plus_penalty", "gspo", "k1", "k2"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace plumbline
