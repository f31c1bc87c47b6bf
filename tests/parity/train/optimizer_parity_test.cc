/// golden/method 06 and 08: AdamW with the clip, and the schedule.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/train/adamw.h"
#include "plumbline/train/schedule.h"
#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using test::GoldenCase;

/// One-sided projection of a gradient, written from golden/method/README.md for this test alone.
torch::Tensor project(const torch::Tensor& vector_R, const torch::Tensor& directions_KR, bool rescale) {
  const torch::Tensor rest_R = vector_R - directions_KR.t().mv(directions_KR.mv(vector_R).clamp_min(0));
  const double before = vector_R.norm().item<double>(), after = rest_R.norm().item<double>();
  if (after <= 1e-6 * before) return torch::zeros_like(vector_R);
  return rescale ? rest_R * (before / after) : rest_R;
}

class OptimizerParity : public testing::TestWithParam<const char*> {};

TEST_P(OptimizerParity, TwelveStepsOfEveryArm) {
  PL_NEED_SHARED("golden/method/06_adam");
  GoldenCase golden("06_adam", GetParam());
  const Json& params = golden.params();
  for (const auto& [arm, setting] : params.at("arms").items()) {
    const bool in_gradient = setting.at("space") == "grad" && !setting.at("mode").is_null();
    const bool in_update = setting.at("space") == "update";
    AdamW optimizer({.beta1 = setting.at("betas")[0],
                     .beta2 = setting.at("betas")[1],
                     .eps = params.at("eps"),
                     .weight_decay = setting.at("wd")});
    TensorMap parameters, directions;
    std::map<std::string, std::vector<torch::Tensor>> path;
    for (const std::string& module : golden.modules()) {
      parameters[module] = golden.input("delta0." + module);
      directions[module] = golden.input(setting.at("directions").get<std::string>() + "." + module);
    }
    std::vector<double> norms, clips;
    for (int64_t step = 0; step < params.at("steps").get<int64_t>(); ++step) {
      TensorMap gradients;
      for (const std::string& module : golden.modules()) {
        const torch::Tensor raw_R = golden.input("grad." + module)[step];
        gradients[module] = in_gradient ? project(raw_R, directions[module], setting.at("rescale")) : raw_R;
      }
      norms.push_back(global_norm(gradients));
      clips.push_back(clip_coefficient(norms.back(),
                                       setting.at("max_norm").is_null() ? 0.0 : setting.at("max_norm").get<double>()));
      for (auto& [module, gradient_R] : gradients) gradient_R = gradient_R * clips.back();
      const TensorMap proposed = optimizer.propose(parameters, gradients, params.at("lr"));
      for (const std::string& module : golden.modules()) {
        const torch::Tensor old_R = parameters[module];
        parameters[module] =
            in_update ? old_R - project(old_R - proposed.at(module), directions[module], setting.at("rescale"))
                      : proposed.at(module);
        path[module].push_back(parameters[module]);
      }
    }
    for (const std::string& module : golden.modules())
      golden.expect(arm + ".delta." + module, torch::stack(path[module]));
    golden.expect(arm + ".grad_norm", torch::tensor(norms, torch::kFloat64));
    golden.expect(arm + ".clip", torch::tensor(clips, torch::kFloat64));
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, OptimizerParity, testing::Values("float32", "float64"),
                         [](const auto& dtype) { return std::string(dtype.param); });

TEST(ScheduleParity, EveryStepOfEverySchedule) {
  PL_NEED_SHARED("golden/method/08_schedule");
  GoldenCase golden("08_schedule", "float64");
  for (const auto& [name, setting] : golden.params().at("schedules").items()) {
    TrainOptions options;
    options.lr = setting.at("base");
    options.schedule = setting.at("kind");
    options.steps = setting.at("total");
    options.warmup_steps = setting.at("warmup");
    std::vector<double> factors, rates;
    for (int64_t update = 0; update <= options.steps; ++update) {
      factors.push_back(
          schedule_factor(schedule_kind_of_name(options.schedule), options.warmup_steps, options.steps, update));
      rates.push_back(learning_rate(options, update));
    }
    golden.expect(name + ".factor", torch::tensor(factors, torch::kFloat64));
    golden.expect(name + ".lr", torch::tensor(rates, torch::kFloat64));
  }
}

}  // namespace
}  // namespace plumbline
