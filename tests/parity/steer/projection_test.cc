/// golden/method/05_projection (both ranks) and 06_adam (what the optimizer lets back in).
#include "plumbline/steer/projector.h"
#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using torch::Tensor;

ProjectionGate gate_of(const std::string& mode) {
  if (mode == "one_sided") return ProjectionGate::kOneSided;
  return mode == "no_gate" ? ProjectionGate::kTwoSided : ProjectionGate::kReverse;
}

std::map<std::string, Tensor> directions_of(const test::GoldenCase& golden, const std::string& kind) {
  std::map<std::string, Tensor> directions;
  for (const std::string& module : golden.modules()) directions[module] = golden.input(kind + "." + module);
  return directions;
}

class ProjectionGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    PL_NEED_SHARED("golden/method/05_projection");
    PL_NEED_SHARED("golden/method/06_adam");
  }
};

TEST_P(ProjectionGolden, EveryVariantModuleAndMetric) {
  test::GoldenCase golden("05_projection", GetParam());
  for (const auto& [name, variant] : golden.params().at("variants").items()) {
    const ProjectionGate gate = gate_of(variant.at("mode").get<std::string>());
    const bool rescale = variant.at("rescale").get<bool>();
    const double overshoot = variant.at("overshoot").get<double>();
    const auto directions = directions_of(golden, variant.at("directions").get<std::string>());
    ProjectionTransform transform(directions, {ProjectionWhere::kGradient, gate, rescale, overshoot});
    transform.begin_step(0);
    for (const std::string& module : golden.modules()) {
      const Tensor gradient_R = golden.input("g." + module);
      golden.expect(name + ".g." + module, transform.gradient(module, gradient_R));
      golden.expect(name + ".removed." + module,
                    project(gradient_R, directions.at(module), gate, overshoot, rescale).removed_R);
    }
    const auto metrics = transform.metrics();
    for (const char* metric : {"cin_norm", "cout_norm", "cin_relu", "cout_relu", "fired_relu"}) {
      golden.expect(name + "." + metric, metrics.at(metric));
    }
    if (variant.at("directions") != "v") continue;
    for (const char* metric : {"cin", "cout", "fired"}) {
      golden.expect(name + "." + metric + "_signed", metrics.at(metric));
    }
  }
}

/// AdamW as the golden README states it; the optimizer itself is train/'s and is tested there.
struct ReferenceAdamW {
  double beta1, beta2, eps, weight_decay, lr;
  int64_t num_steps = 0;
  std::map<std::string, Tensor> first = {}, second = {};

  Tensor propose(const std::string& module, const Tensor& value, const Tensor& gradient) {
    Tensor& m = first.try_emplace(module, torch::zeros_like(value)).first->second;
    Tensor& v = second.try_emplace(module, torch::zeros_like(value)).first->second;
    m = beta1 * m + (1 - beta1) * gradient;
    v = beta2 * v + (1 - beta2) * gradient * gradient;
    const double correction1 = 1 - std::pow(beta1, num_steps), correction2 = 1 - std::pow(beta2, num_steps);
    return value * (1 - lr * weight_decay) - lr * (m / correction1) / ((v / correction2).sqrt() + eps);
  }
};

TEST_P(ProjectionGolden, LeakThroughAdamWInEveryArm) {
  test::GoldenCase golden("06_adam", GetParam());
  const Json& params = golden.params();
  const std::vector<std::string> modules = golden.modules();
  for (const auto& [name, arm] : params.at("arms").items()) {
    const bool projects = !arm.at("mode").is_null(), on_update = arm.at("space") == "update";
    const ProjectionOptions options{!projects   ? ProjectionWhere::kNowhere
                                    : on_update ? ProjectionWhere::kUpdate
                                                : ProjectionWhere::kGradient,
                                    ProjectionGate::kOneSided, arm.at("rescale").get<bool>(), 1.0};
    const auto directions = directions_of(golden, arm.at("directions").get<std::string>());
    ProjectionTransform transform(directions, options);
    ReferenceAdamW adam{arm.at("betas")[0].get<double>(), arm.at("betas")[1].get<double>(),
                        params.at("eps").get<double>(), arm.at("wd").get<double>(), params.at("lr").get<double>()};
    std::map<std::string, Tensor> delta;
    std::map<std::string, std::vector<Tensor>> trajectory;
    for (const std::string& module : modules) delta[module] = golden.input("delta0." + module);
    std::vector<Tensor> leaks, norms;
    for (int64_t step = 0; step < params.at("steps").get<int64_t>(); ++step) {
      transform.begin_step(step);
      std::map<std::string, Tensor> gradients;
      double squares = 0;
      for (const std::string& module : modules) {
        gradients[module] = transform.gradient(module, golden.input("grad." + module)[step]);
        squares += gradients[module].to(torch::kFloat64).square().sum().item<double>();
      }
      norms.push_back(torch::tensor(std::sqrt(squares), torch::kFloat64));
      const double clip = arm.at("max_norm").is_null()
                              ? 1
                              : std::min(1.0, arm.at("max_norm").get<double>() / (std::sqrt(squares) + 1e-6));
      ++adam.num_steps;
      std::vector<Tensor> leak_M;
      double leak_sum = 0;
      for (const std::string& module : modules) {
        const Tensor proposed = adam.propose(module, delta[module], clip * gradients[module]);
        const Tensor stored = transform.update(module, delta[module], proposed);
        leak_sum += share_along(delta[module] - stored, directions.at(module), true);
        leak_M.push_back(
            torch::tensor(share_along(delta[module] - stored, directions.at(module), true), torch::kFloat64));
        delta[module] = stored;
        trajectory[module].push_back(stored);
      }
      EXPECT_NEAR(transform.metrics().at("leak"), leak_sum / static_cast<double>(modules.size()), 1e-6);
      leaks.push_back(torch::stack(leak_M));
    }
    golden.expect(name + ".leak", torch::stack(leaks));
    golden.expect(name + ".grad_norm", torch::stack(norms));
    for (const std::string& module : modules)
      golden.expect(name + ".delta." + module, torch::stack(trajectory[module]));
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, ProjectionGolden, testing::Values("float32", "float64"),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace plumbline
