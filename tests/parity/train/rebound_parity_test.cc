#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "plumbline/train/advantage.h"
#include "plumbline/train/rebound.h"
#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using torch::Tensor;

std::vector<double> numbers(const Tensor& tensor) {
  const Tensor wide = tensor.to(torch::kFloat64).contiguous();
  return {wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + wide.numel()};
}

/// golden/method/07_rebound: scores as the mean over response tokens, then everything that Rebound does.
TEST(ReboundParity, AgreesWithTheGoldenCase) {
  PL_NEED_SHARED("golden/method/07_rebound");
  for (const std::string kind : {"float32", "float64"}) {
    test::GoldenCase golden("07_rebound", kind);
    const Tensor hidden = golden.tensor("in.hidden").to(golden.dtype());
    const Tensor mask = golden.tensor("in.mask").to(golden.dtype());
    const Tensor direction = golden.tensor("in.direction").to(golden.dtype());
    const Tensor score = (hidden.matmul(direction) * mask).sum(1) / mask.sum(1);
    golden.expect("score", score);
    // The case mixes its groups; a step of the trainer has them one after the other.
    const std::vector<double> groups = numbers(golden.tensor("in.group_id"));
    std::vector<size_t> order(groups.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return groups[a] < groups[b]; });
    const auto gathered = [&](const std::vector<double>& values) {
      std::vector<double> result;
      for (const size_t i : order) result.push_back(values[i]);
      return result;
    };
    const auto in_place = [&](const std::vector<double>& values) {
      std::vector<double> result(values.size());
      for (size_t i = 0; i < order.size(); ++i) result[order[i]] = values[i];
      return torch::tensor(result, torch::kFloat64);
    };
    const std::vector<double> scores = gathered(numbers(score)),
                              rewards = gathered(numbers(golden.tensor("in.rewards")));
    const auto group_size = golden.params().at("G").get<int64_t>();
    const double alpha = golden.params().at("alpha");
    const std::vector<double> prompt =
        gathered(numbers(golden.tensor("in.prompt_hidden").to(golden.dtype()).matmul(direction)));

    std::vector<double> z, prompt_z;
    for (size_t begin = 0; begin < scores.size(); begin += static_cast<size_t>(group_size)) {
      for (const double value : rebound_z(std::span(scores).subspan(begin, static_cast<size_t>(group_size)))) {
        z.push_back(value);
      }
      for (const double value : rebound_z(std::span(prompt).subspan(begin, static_cast<size_t>(group_size)))) {
        prompt_z.push_back(value);
      }
    }
    golden.expect("z", in_place(z));
    for (const double value : prompt_z) EXPECT_EQ(value, 0.0);  // out.prompt_z, whose tolerance is 0

    const std::vector<std::optional<double>> given(rewards.begin(), rewards.end());
    const std::vector<Verdict> verdicts(rewards.size());
    for (const auto& [form, name] : {std::pair{ReboundForm::kAdditive, std::string("additive")},
                                     std::pair{ReboundForm::kMultiplicative, std::string("multiplicative")}}) {
      const Rebound rebound(form, alpha, {});
      const TransformedRewards changed = rebound.apply(
          {.version = 0, .group_size = group_size, .reward_B = given, .verdict_B = verdicts, .score_B = scores});
      std::vector<double> reward_B;
      std::vector<RewardRow> rows;
      for (size_t i = 0; i < changed.reward_B.size(); ++i) {
        reward_B.push_back(changed.reward_B[i].value());
        rows.push_back({static_cast<int64_t>(groups[order[i]]), changed.reward_B[i]});
      }
      golden.expect("reward_" + name, in_place(reward_B));
      golden.expect("adv_dr_" + name,
                    in_place(estimate_advantages(rows, AdvantageKind::kGroupMean, false).advantage_B));
      const Advantages standard = estimate_advantages(rows, AdvantageKind::kGroupStd, false);
      golden.expect("adv_std_" + name, in_place(standard.advantage_B));
      std::vector<double> has_spread;
      for (const RewardRow& row : rows) {
        has_spread.push_back(standard.groups.at(row.group_id).spread >= kMinGroupSpread ? 1 : 0);
      }
      golden.expect("has_spread_" + name, in_place(has_spread));
    }
  }
}

}  // namespace
}  // namespace plumbline
