#include <gtest/gtest.h>

#include "plumbline/steer/state_erasure.h"
#include "plumbline/steer/weight_erasure.h"
#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

using torch::Tensor;

Tensor vector(std::initializer_list<float> values) {
  return torch::tensor(std::vector<float>(values));
}

/// By hand, v = (1, 0): delta = (-3, 4) has descended 3 toward the hack, which deployment takes back; (5, 7) lies on
/// the other side and stays.
TEST(WeightErasure, DeploymentLosesTheWholeDescentTowardTheHackAndTrainingNothing) {
  WeightErasure erasure({{"m", vector({1, 0})}}, {});
  erasure.begin_step(1);
  const Tensor gradient = vector({3, 4});
  EXPECT_TRUE(torch::equal(erasure.gradient("m", gradient), gradient));
  Tensor delta = erasure.update("m", vector({0, 0}), vector({-3, 4}));
  EXPECT_TRUE(torch::equal(delta, vector({-3, 4})));
  EXPECT_TRUE(torch::allclose(delta - erasure.quarantine().at("m"), vector({0, 4})));
  delta = erasure.update("m", delta, vector({5, 7}));
  EXPECT_TRUE(torch::equal(delta, vector({5, 7})));
  EXPECT_TRUE(torch::allclose(delta - erasure.quarantine().at("m"), vector({5, 7})));
}

TEST(WeightErasure, BothSidesGoWithATwoSidedGate) {
  ProjectionOptions options;
  options.gate = ProjectionGate::kTwoSided;
  WeightErasure erasure({{"m", vector({1, 0})}}, options);
  erasure.begin_step(1);
  const Tensor delta = erasure.update("m", vector({0, 0}), vector({5, 7}));
  EXPECT_TRUE(torch::allclose(delta - erasure.quarantine().at("m"), vector({0, 7})));
}

/// By hand, r = (0, 1), clean answers at 2: 5 comes back to 2, and 1 stays (one-sided) or comes up to 2 (two-sided).
TEST(StateErasure, BringsProjectionsBackToTheCleanAnswersMean) {
  const Tensor x_BTD = vector({9, 5, -9, 1}).view({1, 2, 2});
  const auto erased = [&](ProjectionGate gate, double overshoot) {
    ProjectionOptions options;
    options.gate = gate;
    options.overshoot = overshoot;
    return state_erasure(1, {0, 1}, 2, options).edit(x_BTD).flatten();
  };
  EXPECT_TRUE(torch::allclose(erased(ProjectionGate::kOneSided, 1), vector({9, 2, -9, 1})));
  EXPECT_TRUE(torch::allclose(erased(ProjectionGate::kTwoSided, 1), vector({9, 2, -9, 2})));
  EXPECT_TRUE(torch::allclose(erased(ProjectionGate::kReverse, 1), vector({9, -1, -9, 3})));
  EXPECT_TRUE(torch::allclose(erased(ProjectionGate::kOneSided, 2), vector({9, -1, -9, 1})));
}

/// An edit after layer 1 is seen by what comes after it and by nothing before; without it the model is what it was.
TEST(StateErasure, ActsAfterItsLayerAloneAndGoesAgain) {
  const auto decoder = test::tiny_decoder(torch::kFloat32);
  const Tensor ids_BT = test::tiny_ids(2, 7);
  const auto states = [&] {
    std::vector<Tensor> seen;
    ForwardBatch batch;
    batch.ids_BT = ids_BT;
    batch.positions_BT = torch::arange(ids_BT.size(1), torch::kInt64).expand_as(ids_BT);
    batch.observe = [&](int64_t, const Tensor& x) { seen.push_back(x.clone()); };
    const torch::NoGradGuard no_grad;
    decoder->hidden(batch);
    return seen;
  };
  const std::vector<Tensor> plain = states();
  std::vector<float> direction_D(static_cast<size_t>(plain[0].size(2)), 0);
  direction_D[3] = 1;
  const double floor = plain[1].select(2, 3).min().item<double>();
  decoder->set_residual_edit(state_erasure(1, direction_D, floor, {}));
  const std::vector<Tensor> edited = states();
  EXPECT_TRUE(torch::equal(edited[0], plain[0]));
  EXPECT_TRUE(torch::allclose(edited[1].select(2, 3), torch::full_like(edited[1].select(2, 3), floor)));
  EXPECT_TRUE(torch::equal(edited[1].select(2, 2), plain[1].select(2, 2)));
  EXPECT_FALSE(torch::allclose(edited[2], plain[2]));
  decoder->set_residual_edit(std::nullopt);
  EXPECT_TRUE(torch::equal(states()[2], plain[2]));
}

}  // namespace
}  // namespace plumbline
