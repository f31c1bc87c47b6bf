#include "plumbline/steer/route.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using torch::Tensor;

Tensor vector(std::initializer_list<float> values) {
  return torch::tensor(std::vector<float>(values));
}

/// By hand, v = (1, 0): d = old - proposed, and what of it lies along +v is noted with the sign of the movement.
TEST(RouteTransform, NotesMovementTowardTheHackAndChangesNothing) {
  RouteTransform route({{"m", vector({1, 0})}}, {});
  route.begin_step(1);
  const Tensor gradient = vector({3, 4});
  EXPECT_TRUE(torch::equal(route.gradient("m", gradient), gradient));
  // Two steps toward the hack (d along +v is 2, then 1), one away from it (-5).
  Tensor delta = vector({0, 0});
  for (const Tensor& next : {vector({-2, 1}), vector({-3, 1}), vector({2, 7})}) {
    EXPECT_TRUE(torch::equal(route.update("m", delta, next), next));
    delta = next;
  }
  const Tensor quarantine = route.quarantine().at("m");
  EXPECT_TRUE(torch::allclose(quarantine, vector({-3, 0})));
  EXPECT_TRUE(torch::allclose(delta - quarantine, vector({5, 7})));  // deployed: only the movement away is left
  EXPECT_DOUBLE_EQ(route.metrics().at("quarantine_norm"), 3);
}

/// By hand with a = 3: d along +v is 2, so training moves 6 that way, all of it noted; what lies across v stays as it
/// is, and so does movement away.
TEST(RouteTransform, AbsorbingMovesFasterTowardTheHackAndQuarantinesAllOfIt) {
  RouteTransform absorb({{"m", vector({1, 0})}}, {}, 3);
  absorb.begin_step(1);
  Tensor delta = absorb.update("m", vector({0, 0}), vector({-2, 1}));
  EXPECT_TRUE(torch::allclose(delta, vector({-6, 1})));
  EXPECT_TRUE(torch::allclose(delta - absorb.quarantine().at("m"), vector({0, 1})));
  delta = absorb.update("m", delta, vector({-5, 1}));
  EXPECT_TRUE(torch::allclose(delta, vector({-5, 1})));
  EXPECT_TRUE(torch::allclose(absorb.quarantine().at("m"), vector({-6, 0})));
}

TEST(RouteTransform, ModulesWithoutADirectionHaveNoQuarantine) {
  RouteTransform route({{"m", vector({0, 0})}}, {});
  route.begin_step(1);
  route.update("m", vector({0, 0}), vector({1, 1}));
  route.update("n", vector({0, 0}), vector({1, 1}));
  EXPECT_TRUE(route.quarantine().empty());
}

TEST(RouteTransform, TheQuarantineComesBackFromACheckpoint) {
  RouteTransform route({{"m", vector({1, 0})}}, {}), resumed({{"m", vector({1, 0})}}, {});
  route.begin_step(1);
  route.update("m", vector({0, 0}), vector({-2, 0}));
  resumed.load_state(route.save_state());
  for (RouteTransform* each : {&route, &resumed}) each->update("m", vector({-2, 0}), vector({-2.5f, 0}));
  EXPECT_TRUE(torch::equal(route.quarantine().at("m"), resumed.quarantine().at("m")));
}

}  // namespace
}  // namespace plumbline
