#include "plumbline/run/refreshed_direction.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

HackDirection direction_along(std::vector<float> axis) {
  HackDirection direction;
  direction.modules["m"] = {torch::tensor(axis).unsqueeze(0), torch::ones({1}, torch::kFloat64)};
  return direction;
}

TEST(RefreshedDirection, IsReplacedAfterEveryNStepsAndSaysHowFarItTurned) {
  int num_extracted = 0;
  const auto extract = [&] {
    EXPECT_TRUE(torch::GradMode::is_enabled());
    ++num_extracted;
    return num_extracted == 1 ? direction_along({0.6f, 0.8f}) : direction_along({0, 1});
  };
  ProjectionOptions options;
  options.preserve_magnitude = false;
  RefreshedDirection refreshed(direction_along({1, 0}), options, 2, extract);
  const torch::Tensor gradient = torch::tensor({1.0f, 1.0f});
  const std::vector<std::vector<float>> kept = {{0, 1}, {0, 1}, {0.16f, -0.12f}, {0.16f, -0.12f}, {1, 0}};
  for (int64_t step = 1; step <= 5; ++step) {
    const torch::NoGradGuard as_in_the_trainer;
    refreshed.begin_step(step);
    EXPECT_TRUE(torch::allclose(refreshed.gradient("m", gradient), torch::tensor(kept[static_cast<size_t>(step) - 1]),
                                1e-5, 1e-6))
        << step;
    const auto metrics = refreshed.metrics();
    EXPECT_EQ(metrics.contains("overlap"), step == 3 || step == 5) << step;
    if (step == 3) EXPECT_NEAR(metrics.at("overlap"), 0.6, 1e-6);
    if (step == 5) EXPECT_NEAR(metrics.at("overlap"), 0.8, 1e-6);
  }
  EXPECT_EQ(num_extracted, 2);
}

TEST(RefreshedDirection, AResumedRunHasTheAxesThatWereInUse) {
  const auto never = []() -> HackDirection { throw std::logic_error("not in this test"); };
  RefreshedDirection first(direction_along({0, 1}), {}, 10, never), second(direction_along({1, 0}), {}, 10, never);
  second.load_state(first.save_state());
  EXPECT_TRUE(torch::equal(second.save_state().at("m"), first.save_state().at("m")));
  EXPECT_THROW(second.load_state({}), DataError);
}

}  // namespace
}  // namespace plumbline
