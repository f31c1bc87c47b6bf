#include "plumbline/steer/projector.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

using torch::Tensor;

Tensor vector(std::vector<float> values) {
  return torch::tensor(values);
}

ProjectionTransform one_module(ProjectionOptions options, Tensor direction = vector({1, 0})) {
  ProjectionTransform transform({{"m", direction}}, options);
  transform.begin_step(0);
  return transform;
}

TEST(Projector, OneSidedRemovesOnlyPositiveComponents) {
  auto transform = one_module({ProjectionWhere::kGradient, ProjectionGate::kOneSided, false, 1});
  EXPECT_TRUE(torch::equal(transform.gradient("m", vector({3, 4})), vector({0, 4})));
  EXPECT_TRUE(torch::equal(transform.gradient("m", vector({-3, 4})), vector({-3, 4})));
}

TEST(Projector, TwoSidedAndReverseTakeBothSigns) {
  auto two_sided = one_module({ProjectionWhere::kGradient, ProjectionGate::kTwoSided, false, 1});
  EXPECT_TRUE(torch::equal(two_sided.gradient("m", vector({-3, 4})), vector({0, 4})));
  auto reverse = one_module({ProjectionWhere::kGradient, ProjectionGate::kReverse, false, 1});
  EXPECT_TRUE(torch::equal(reverse.gradient("m", vector({3, 4})), vector({-3, 4})));
}

TEST(Projector, MagnitudeIsRestoredAfterTheRemoval) {
  auto transform = one_module({ProjectionWhere::kGradient, ProjectionGate::kOneSided, true, 1});
  EXPECT_TRUE(torch::allclose(transform.gradient("m", vector({3, 4})), vector({0, 5})));
}

TEST(Projector, ParallelGradientBecomesExactlyZeroAndIsNeverRescaled) {
  const Tensor direction = vector({0.6f, 0.8f});
  auto transform = one_module({ProjectionWhere::kGradient, ProjectionGate::kOneSided, true, 1}, direction);
  for (const double length : {1e-20, 1e-12, 1.0, 1e12}) {
    EXPECT_TRUE(torch::equal(transform.gradient("m", length * direction), torch::zeros({2}))) << length;
  }
}

TEST(Projector, ZeroGradientStaysZeroCountsAsZeroAndHasNotFired) {
  auto transform = one_module({});
  transform.gradient("m", vector({1, 0}));
  EXPECT_TRUE(torch::equal(transform.gradient("m", vector({0, 0})), vector({0, 0})));
  EXPECT_DOUBLE_EQ(transform.metrics().at("cin"), 0.5);
  EXPECT_DOUBLE_EQ(transform.metrics().at("fired"), 0.5);
}

TEST(Projector, ModuleWithoutADirectionIsUntouchedAndLeavesTheMeans) {
  ProjectionTransform transform({{"with", vector({1, 0})}, {"zero", vector({0, 0})}}, {});
  transform.begin_step(0);
  const Tensor gradient = vector({3, 4});
  EXPECT_TRUE(torch::equal(transform.gradient("zero", gradient), gradient));
  EXPECT_TRUE(torch::equal(transform.gradient("unknown", gradient), gradient));
  EXPECT_TRUE(transform.metrics().empty());
  transform.gradient("with", gradient);
  EXPECT_NEAR(transform.metrics().at("cin"), 0.6, 1e-12);
}

TEST(Projector, UpdateModeStoresAStepWithoutHarmfulMovement) {
  auto transform = one_module({ProjectionWhere::kUpdate, ProjectionGate::kOneSided, true, 1});
  const Tensor gradient = vector({3, 4});
  EXPECT_TRUE(torch::equal(transform.gradient("m", gradient), gradient));
  const Tensor stored = transform.update("m", vector({1, 1}), vector({0.5f, 0.75f}));
  EXPECT_TRUE(torch::equal(stored, vector({1, 0.75f})));
  EXPECT_DOUBLE_EQ(transform.metrics().at("leak"), 0);
}

TEST(Projector, GradientModeMeasuresTheLeakOfTheStepWithTheDescentSign) {
  auto transform = one_module({});
  const Tensor toward_hack = vector({0.7f, 1}), away = vector({1.3f, 1});
  EXPECT_TRUE(torch::equal(transform.update("m", vector({1, 1}), toward_hack), toward_hack));
  EXPECT_NEAR(transform.metrics().at("leak"), 1, 1e-6);
  transform.begin_step(1);
  transform.update("m", vector({1, 1}), away);
  EXPECT_DOUBLE_EQ(transform.metrics().at("leak"), 0);
}

TEST(Projector, NowhereMeasuresAndChangesNothing) {
  auto transform = one_module({ProjectionWhere::kNowhere, ProjectionGate::kOneSided, true, 1});
  const Tensor gradient = vector({3, 4});
  EXPECT_TRUE(torch::equal(transform.gradient("m", gradient), gradient));
  EXPECT_TRUE(torch::equal(transform.update("m", gradient, vector({1, 1})), vector({1, 1})));
  EXPECT_NEAR(transform.metrics().at("cin"), 0.6, 1e-12);
  EXPECT_DOUBLE_EQ(transform.metrics().at("cin"), transform.metrics().at("cout"));
}

TEST(Projector, StepsDoNotShareMetrics) {
  auto transform = one_module({});
  transform.gradient("m", vector({1, 0}));
  transform.begin_step(1);
  EXPECT_TRUE(transform.metrics().empty());
}

TEST(Projector, OptionsAreReadAndUnknownOnesRefusedByKey) {
  SteerOptions options;
  options.where = "both", options.gate = "two_sided", options.preserve_magnitude = false, options.overshoot = 1.25;
  const ProjectionOptions read = projection_options(options);
  EXPECT_EQ(read.where, ProjectionWhere::kBoth);
  EXPECT_EQ(read.gate, ProjectionGate::kTwoSided);
  EXPECT_FALSE(read.preserve_magnitude);
  EXPECT_EQ(read.overshoot, 1.25);
  options.gate = "sideways";
  try {
    projection_options(options);
    FAIL() << "an unknown gate was accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.not_allowed");
    EXPECT_EQ(error.where(), "steer.gate");
  }
}

}  // namespace
}  // namespace plumbline
