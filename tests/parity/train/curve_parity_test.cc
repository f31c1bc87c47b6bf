/// golden/method 09: ten whole training steps on a tiny model with given completions and rewards, every arm, through
/// the trainer's own accumulate, transform and step.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/model/decoder.h"
#include "plumbline/steer/projector.h"
#include "plumbline/train/advantage.h"
#include "plumbline/train/policy_update.h"
#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using test::GoldenCase;

std::vector<int64_t> ids_of(const torch::Tensor& ids_T, int64_t length) {
  std::vector<int64_t> ids;
  for (int64_t t = 0; t < length; ++t) ids.push_back(ids_T[t].item<int64_t>());
  return ids;
}

/// The stored prompts, completions and rewards of one step, as the trainer would hand them over.
struct StoredStep {
  std::vector<std::vector<int64_t>> prompts, completions;
  std::vector<RewardRow> rewards;

  StoredStep(const GoldenCase& golden, int64_t step, bool dead) {
    const int64_t group_size = golden.params().at("G");
    const torch::Tensor rewards_B = golden.tensor(dead ? "in.rewards_dead" : "in.rewards")[step];
    for (int64_t i = 0; i < rewards_B.numel(); ++i) {
      const int64_t p = i / group_size;
      prompts.push_back(
          ids_of(golden.tensor("in.prompt_ids")[step][p], golden.tensor("in.prompt_len")[step][p].item<int64_t>()));
      completions.push_back(ids_of(golden.tensor("in.completion_ids")[step][i],
                                   golden.tensor("in.completion_len")[step][i].item<int64_t>()));
      rewards.push_back({.group_id = p, .reward = rewards_B[i].item<double>()});
    }
  }
};

ProjectionOptions projection_of(const Json& arm) {
  ProjectionOptions options;
  options.where = arm.at("mode").is_null()      ? ProjectionWhere::kNowhere
                  : arm.at("space") == "update" ? ProjectionWhere::kUpdate
                                                : ProjectionWhere::kGradient;
  options.preserve_magnitude = arm.at("rescale");
  return options;
}

TrainOptions train_options(const Json& params, const Json& arm) {
  TrainOptions train;
  train.steps = params.at("steps");
  train.lr = params.at("lr");
  train.warmup_steps = params.at("warmup");
  train.schedule = params.at("kind");
  train.beta = params.at("beta");
  train.grad_clip = params.at("max_norm");
  train.weight_decay = params.at("wd");
  train.betas = arm.at("betas").get<std::vector<double>>();
  train.eps = params.at("eps");
  return train;
}

RolloutOptions rollout_options(const Json& params, const Json& arm) {
  RolloutOptions rollout;
  rollout.group_size = params.at("G");
  rollout.prompts_per_step = params.at("prompts_per_step");
  rollout.max_new_tokens = params.at("max_new");
  rollout.temperature = arm.at("temperature");
  return rollout;
}

class CurveParity : public testing::TestWithParam<const char*> {};

TEST_P(CurveParity, TenSteps) {
  PL_NEED_SHARED("golden/method/09_curve");
  at::set_num_threads(1);  // matrices of 20 columns
  const std::string name = GetParam();
  GoldenCase golden("09_curve", "float32");
  const Json& params = golden.params();
  const Json& arm = params.at("arms").at(name);
  const auto decoder = load_decoder(golden.folder() + "/model", torch::kFloat32, torch::kCPU);
  std::map<std::string, SvdBasis> bases;
  std::map<std::string, torch::Tensor> directions;
  for (const std::string& module : golden.modules()) {
    bases[module] = {golden.input("U." + module), golden.input("S." + module), golden.input("Vh." + module)};
    directions[module] = golden.input(arm.at("directions").get<std::string>() + "." + module);
  }
  SvdAdapter adapter(*decoder, bases, MergeRounding::kNearest);
  ProjectionTransform transform(directions, projection_of(arm));
  RunOptions run;
  run.micro_batch = 3;  // uneven on purpose
  PolicyUpdate update(*decoder, adapter, transform, train_options(params, arm), rollout_options(params, arm), run);
  update.put_weights(0);

  const double weight = 1 / (params.at("G").get<double>() * params.at("max_new").get<double>() *
                             params.at("prompts_per_step").get<double>());
  std::map<std::string, std::vector<double>> curve;
  for (int64_t step = 0; step < params.at("steps").get<int64_t>(); ++step) {
    const StoredStep stored(golden, step, arm.at("dead"));
    const Advantages advantages = estimate_advantages(stored.rewards, AdvantageKind::kGroupMean, true);
    std::vector<LearningRow> rows;
    double reward_sum = 0;
    for (size_t i = 0; i < stored.rewards.size(); ++i) {
      reward_sum += *stored.rewards[i].reward;
      if (!advantages.in_loss_B[i]) continue;
      rows.push_back({stored.prompts[i], stored.completions[i], {}, advantages.advantage_B[i], weight});
    }
    update.accumulate_gradients(rows);
    if (step == 0) {
      for (const auto& [module, gradient_R] : update.gradients())
        golden.expect(name + ".first_grad." + module, gradient_R);
    }
    update.transform_gradients(step);
    update.step_optimizer(step);
    const UpdateMetrics& metrics = update.metrics();
    EXPECT_EQ(metrics.loss.max_ratio_error, 0.0) << "exactly on-policy";
    if (step == 0) {
      EXPECT_EQ(metrics.loss.kl, 0.0) << "a zero adapter is the base model";
    }
    curve["loss"].push_back(metrics.loss.loss);
    curve["kl"].push_back(metrics.loss.mean_kl());
    curve["reward"].push_back(reward_sum / static_cast<double>(stored.rewards.size()));
    curve["lr"].push_back(metrics.lr);
    curve["grad_norm"].push_back(metrics.grad_norm);
    curve["grad_norm_projected"].push_back(metrics.grad_norm_after);
    curve["clip"].push_back(metrics.clip);
    curve["kept_rows"].push_back(static_cast<double>(rows.size()));
    curve["leak"].push_back(metrics.transform.at("leak"));
    const bool rank1 = arm.at("directions") == "v";
    for (const char* metric : {"cin", "cout", "fired"}) {
      curve[std::string(metric) + (rank1 ? "_signed" : "_relu")].push_back(metrics.transform.at(metric));
    }
    TensorMap deltas;
    for (const auto& module : adapter.modules()) deltas.emplace(module.linear->name, module.delta_R);
    curve["delta_norm"].push_back(global_norm(deltas));
  }
  for (const auto& [metric, values] : curve) golden.expect(name + "." + metric, torch::tensor(values, torch::kFloat64));
  for (const auto& module : adapter.modules()) golden.expect(name + ".delta." + module.linear->name, module.delta_R);
}

INSTANTIATE_TEST_SUITE_P(Arms, CurveParity, testing::Values("vanilla", "rank1", "rankk", "update", "dead", "cold"),
                         [](const auto& arm) { return std::string(arm.param); });

}  // namespace
}  // namespace plumbline
