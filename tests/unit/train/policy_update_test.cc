#include "plumbline/train/policy_update.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"
#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

/// Rows of different lengths over the tiny decoder's 29 tokens, with advantages.
struct Rows {
  std::vector<std::vector<int64_t>> prompts, completions;
  std::vector<double> advantages;
  explicit Rows(size_t count) {
    CounterRng rng({.seed = 5, .stream = Stream::kTest});
    const auto draw = [&](uint64_t length) {
      std::vector<int64_t> ids(length);
      for (int64_t& id : ids) id = static_cast<int64_t>(rng.next_below(29));
      return ids;
    };
    for (size_t i = 0; i < count; ++i) {
      prompts.push_back(draw(1 + rng.next_below(6)));
      completions.push_back(draw(1 + rng.next_below(9)));
      advantages.push_back(rng.next_normal());
    }
  }
  std::vector<LearningRow> learning() const {
    std::vector<LearningRow> rows;
    const double weight = 1.0 / (4 * 9 * 2);
    for (size_t i = 0; i < prompts.size(); ++i) rows.push_back({prompts[i], completions[i], {}, advantages[i], weight});
    return rows;
  }
};

TrainOptions train_options() {
  TrainOptions train;
  train.lr = 0.05;
  train.warmup_steps = 0;
  train.beta = 0.1;
  return train;
}

RolloutOptions rollout_options() {
  RolloutOptions rollout;
  rollout.group_size = 4;
  rollout.prompts_per_step = 2;
  rollout.max_new_tokens = 9;
  rollout.temperature = 0.7;
  return rollout;
}

/// A decoder with a non-zero adapter, so that the reference differs from the policy.
struct Learner {
  explicit Learner(torch::ScalarType dtype, int64_t micro_batch)
      : decoder(test::tiny_decoder(dtype)), adapter(*decoder, {"attn-mlp"}, MergeRounding::kNearest, false) {
    at::set_num_threads(1);
    RunOptions run;
    run.micro_batch = micro_batch;
    update.emplace(*decoder, adapter, transform, train_options(), rollout_options(), run);
    for (const auto& module : adapter.modules()) {
      adapter.set_delta(module.linear->name, 0.1 * torch::cos(torch::arange(module.delta_R.numel(), torch::kFloat64)));
    }
    update->put_weights(0);
  }
  std::vector<torch::Tensor> deltas() const {
    std::vector<torch::Tensor> copies;
    for (const auto& module : adapter.modules()) copies.push_back(module.delta_R.clone());
    return copies;
  }
  std::unique_ptr<Decoder> decoder;
  SvdAdapter adapter;
  IdentityTransform transform;
  std::optional<PolicyUpdate> update;
};

TEST(PolicyUpdate, MicroBatchSplitDoesNotChangeTheGradient) {
  const Rows rows(8);
  for (const auto& [dtype, tolerance] : {std::pair{torch::kFloat64, 1e-9}, std::pair{torch::kFloat32, 1e-5}}) {
    Learner whole(dtype, 8);
    whole.update->accumulate_gradients(rows.learning());
    const TensorMap want = whole.update->gradients();
    const double norm = global_norm(want);
    ASSERT_GT(norm, 1e-3);
    for (const int64_t micro_batch : {1, 2, 3, 4}) {
      Learner split(dtype, micro_batch);
      split.update->accumulate_gradients(rows.learning());
      TensorMap difference;
      for (const auto& [name, gradient_R] : split.update->gradients()) difference[name] = gradient_R - want.at(name);
      EXPECT_LE(global_norm(difference), tolerance * norm) << "rows in a micro-batch: " << micro_batch;
      EXPECT_NEAR(split.update->metrics().loss.loss, whole.update->metrics().loss.loss, tolerance);
    }
  }
}

/// d/ddelta of the objective whose gradient the on-policy loss has, sum(-A logp + beta k3) weight.
TEST(PolicyUpdate, GradientAgreesWithFiniteDifferences) {
  const Rows rows(3);
  Learner learner(torch::kFloat64, 2);
  learner.update->accumulate_gradients(rows.learning());
  const TensorMap gradients = learner.update->gradients();
  const auto logprob_sums = [&](const torch::Tensor& reference) {
    std::vector<torch::Tensor> all;
    double objective = 0;
    for (size_t i = 0; i < rows.prompts.size(); ++i) {
      std::vector<int64_t> ids = rows.prompts[i];
      ids.insert(ids.end(), rows.completions[i].begin(), rows.completions[i].end());
      const int64_t length = static_cast<int64_t>(ids.size());
      const torch::Tensor ids_BT = torch::tensor(ids, torch::kInt64).view({1, length});
      const torch::Tensor logp_TV = torch::log_softmax(
          torch::matmul(test::tiny_hidden(*learner.decoder, ids_BT)[0], learner.decoder->head_VD().t()) / 0.7, -1);
      for (int64_t t = static_cast<int64_t>(rows.prompts[i].size()); t < length; ++t) {
        all.push_back(logp_TV[t - 1][ids[static_cast<size_t>(t)]].detach());
        if (!reference.defined()) continue;
        const double d = reference[static_cast<int64_t>(all.size()) - 1].item<double>() - all.back().item<double>();
        objective += -rows.advantages[i] * all.back().item<double>() + 0.1 * (std::exp(d) - d - 1);
      }
    }
    return std::pair{torch::stack(all), objective / (4 * 9 * 2)};
  };
  learner.adapter.disable();
  const torch::Tensor reference = logprob_sums({}).first;
  learner.update->put_weights(0);
  const double h = 1e-5;
  for (const auto& module : learner.adapter.modules()) {
    const std::string& name = module.linear->name;
    const torch::Tensor at = module.delta_R.clone();
    const int64_t coordinate = at.numel() / 2;
    double sides[2];
    for (const int side : {0, 1}) {
      torch::Tensor moved = at.clone();
      moved[coordinate] += side ? h : -h;
      learner.adapter.set_delta(name, moved);
      learner.update->put_weights(0);
      sides[side] = logprob_sums(reference).second;
    }
    learner.adapter.set_delta(name, at);
    EXPECT_NEAR(gradients.at(name)[coordinate].item<double>(), (sides[1] - sides[0]) / (2 * h), 1e-8) << name;
  }
}

TEST(PolicyUpdate, NonFiniteGradientChangesNothingAndFiveInARowEndTheRun) {
  Rows rows(4);
  Learner learner(torch::kFloat32, 4);
  learner.update->accumulate_gradients(rows.learning());
  learner.update->transform_gradients(0);
  learner.update->step_optimizer(0);
  rows.advantages[2] = std::nan("");
  const auto before = learner.deltas();
  const TensorMap state = learner.update->optimizer().save_state();
  for (int64_t version = 1; version <= 4; ++version) {
    learner.update->accumulate_gradients(rows.learning());
    learner.update->transform_gradients(version);
    learner.update->step_optimizer(version);
    EXPECT_FALSE(learner.update->metrics().applied);
  }
  const auto after = learner.deltas();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(torch::equal(before[i], after[i]));
  for (const auto& [name, tensor] : learner.update->optimizer().save_state()) {
    EXPECT_TRUE(torch::equal(tensor, state.at(name))) << name;
  }
  EXPECT_EQ(learner.update->guard().num_skipped(), 4);
  learner.update->accumulate_gradients(rows.learning());
  EXPECT_THROW(learner.update->transform_gradients(5), NumericError);
}

TEST(PolicyUpdate, StepWithoutRowsKeepsItsMomentum) {
  const Rows rows(4);
  Learner learner(torch::kFloat32, 4);
  learner.update->accumulate_gradients(rows.learning());
  learner.update->transform_gradients(0);
  learner.update->step_optimizer(0);
  const auto before = learner.deltas();
  learner.update->accumulate_gradients({});
  learner.update->transform_gradients(1);
  learner.update->step_optimizer(1);
  EXPECT_EQ(learner.update->metrics().grad_norm, 0.0);
  EXPECT_EQ(learner.update->optimizer().num_updates(), 2);
  EXPECT_FALSE(torch::equal(learner.deltas()[0], before[0]));
}

TEST(PolicyUpdate, GivenUpBetweenMicroBatchesLeavesAWholeState) {
  const Rows rows(6);
  Learner plain(torch::kFloat32, 2), interrupted(torch::kFloat32, 2);
  int units = 0;
  RunOptions run;
  run.micro_batch = 2;
  PolicyUpdate update(*interrupted.decoder, interrupted.adapter, interrupted.transform, train_options(),
                      rollout_options(), run, [&] {
                        if (++units == 5) throw Interrupted("now");  // in the second of three backward passes
                      });
  EXPECT_THROW(update.accumulate_gradients(rows.learning()), Interrupted);
  update.put_weights(0);
  update.accumulate_gradients(rows.learning());
  plain.update->accumulate_gradients(rows.learning());
  for (const auto& [name, gradient_R] : update.gradients()) {
    EXPECT_TRUE(torch::equal(gradient_R, plain.update->gradients().at(name))) << name;
  }
}

}  // namespace
}  // namespace plumbline
