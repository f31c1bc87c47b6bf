#include "plumbline/train/adamw.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/base/error.h"
#include "tests/support/test_device.h"

namespace plumbline {
namespace {

TensorMap one(const torch::Tensor& tensor) {
  return {{"m", tensor}};
}

TEST(AdamW, FirstStepIsTheSignOfTheGradient) {
  AdamW optimizer({.eps = 0, .weight_decay = 0});
  const auto moved = optimizer.propose(one(torch::zeros({3}, torch::kFloat64)),
                                       one(torch::tensor({2.0, -0.001, 5e-9}, torch::kFloat64)), 0.25);
  const auto want = torch::tensor({-0.25, 0.25, -0.25}, torch::kFloat64);
  EXPECT_TRUE(torch::allclose(moved.at("m"), want, 0, 1e-12)) << moved.at("m");
}

TEST(AdamW, DecayPullsTowardZeroWithoutAGradient) {
  AdamW optimizer({.weight_decay = 0.1});
  const auto moved =
      optimizer.propose(one(torch::full({2}, 3.0, torch::kFloat64)), one(torch::zeros({2}, torch::kFloat64)), 0.5);
  EXPECT_NEAR(moved.at("m")[0].item<double>(), 3.0 * (1 - 0.5 * 0.1), 1e-15);
}

TEST(AdamW, TinyLearningRateMovesEveryParameterEveryStep) {
  AdamW optimizer({});
  TensorMap parameters = one(torch::zeros({4}));
  for (int step = 0; step < 5; ++step) {
    const auto next = optimizer.propose(parameters, one(torch::tensor({1.f, -1.f, 1e-4f, -1e-6f})), 1e-6);
    EXPECT_TRUE((next.at("m") != parameters.at("m")).all().item<bool>()) << "step " << step;
    parameters = next;
  }
}

TEST(AdamW, SavedStateContinuesBitForBit) {
  const auto gradient = [](int step) { return one(torch::tensor({0.3f + step, -0.7f * step, 0.01f})); };
  AdamW whole({.weight_decay = 0.1}), first({.weight_decay = 0.1}), second({.weight_decay = 0.1});
  TensorMap a = one(torch::zeros({3})), b = one(torch::zeros({3}));
  for (int step = 0; step < 6; ++step) a = whole.propose(a, gradient(step), 0.01);
  for (int step = 0; step < 3; ++step) b = first.propose(b, gradient(step), 0.01);
  second.load_state(first.save_state());
  for (int step = 3; step < 6; ++step) b = second.propose(b, gradient(step), 0.01);
  EXPECT_TRUE(torch::equal(a.at("m"), b.at("m")));
  EXPECT_EQ(second.num_updates(), 6);
}

TEST(AdamW, IncompleteStateIsRefused) {
  AdamW optimizer({});
  optimizer.propose(one(torch::zeros({3})), one(torch::ones({3})), 0.01);
  const TensorMap whole = optimizer.save_state();
  for (const auto& [name, tensor] : whole) {
    TensorMap cut = whole;
    cut.erase(name);
    EXPECT_THROW(AdamW({}).load_state(cut), DataError) << name;
  }
}

TEST(GlobalNorm, IsOverAllTensorsAndShowsNaN) {
  EXPECT_DOUBLE_EQ(global_norm({{"a", torch::tensor({3.f})}, {"b", torch::tensor({0.f, 4.f})}}), 5.0);
  EXPECT_TRUE(std::isnan(global_norm({{"a", torch::tensor({NAN})}, {"b", torch::tensor({1.f})}})));
  EXPECT_EQ(global_norm({}), 0.0);
}

TEST(ClipCoefficient, LeavesSmallGradientsAloneAndZeroMeansOff) {
  EXPECT_EQ(clip_coefficient(0.5, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(clip_coefficient(4.0, 1.0), 1.0 / (4.0 + 1e-6));
  EXPECT_EQ(clip_coefficient(400.0, 0.0), 1.0);
  EXPECT_EQ(clip_coefficient(0.0, 1.0), 1.0);
}

// A checkpoint is read on the CPU; on a GPU (PLUMBLINE_TEST_DEVICE=cuda) this once failed at the first step after
// --resume.
TEST(AdamW, StateFromAFileFollowsTheParametersToTheirDevice) {
  const auto parameters = one(torch::zeros({3}).to(test::test_device()));
  const auto gradient = one(torch::tensor({1.f, -2.f, 3.f}).to(test::test_device()));
  AdamW saved({}), resumed({});
  const TensorMap once = saved.propose(parameters, gradient, 0.1);
  TensorMap on_cpu;
  for (const auto& [name, tensor] : saved.save_state()) on_cpu.emplace(name, tensor.cpu());
  resumed.load_state(on_cpu);
  EXPECT_TRUE(torch::equal(resumed.propose(once, gradient, 0.1).at("m"), saved.propose(once, gradient, 0.1).at("m")));
}

TEST(NonFiniteGuard, SkipsCountsAndGivesUpAfterFiveInARow) {
  NonFiniteGuard guard;
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(guard.admit(NAN, i));
  EXPECT_TRUE(guard.admit(1.0, 4));
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(guard.admit(INFINITY, 5 + i));
  EXPECT_THROW(guard.admit(NAN, 9), NumericError);
  EXPECT_EQ(guard.num_skipped(), 9);
}

}  // namespace
}  // namespace plumbline
