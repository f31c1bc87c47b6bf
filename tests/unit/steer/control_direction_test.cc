#include "plumbline/steer/control_direction.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using torch::Tensor;

HackDirection like_two_modules(int64_t rank) {
  HackDirection direction;
  direction.modules["a"] = {torch::ones({rank}) / std::sqrt(static_cast<double>(rank)), 1};
  direction.modules["b"] = direction.modules["a"];
  direction.modules["zero"] = {torch::zeros({rank}), 0};
  return direction;
}

TEST(HaarDirection, IsUnitWhereThereIsADirectionAndZeroElsewhere) {
  const HackDirection haar = haar_direction(like_two_modules(64), 0, 1);
  EXPECT_NEAR(haar.modules.at("a").v_R.norm().item<double>(), 1, 1e-6);
  EXPECT_EQ(haar.modules.at("zero").v_R.abs().max().item<double>(), 0);
  EXPECT_EQ(haar.metadata.method, "haar.1");
}

TEST(HaarDirection, DependsOnSeedDrawAndModuleAlone) {
  const HackDirection like = like_two_modules(64);
  const Tensor first = haar_direction(like, 0, 1).modules.at("a").v_R;
  EXPECT_TRUE(torch::equal(first, haar_direction(like, 0, 1).modules.at("a").v_R));
  EXPECT_FALSE(torch::equal(first, haar_direction(like, 0, 1).modules.at("b").v_R));
  EXPECT_FALSE(torch::equal(first, haar_direction(like, 0, 2).modules.at("a").v_R));
  EXPECT_FALSE(torch::equal(first, haar_direction(like, 1, 1).modules.at("a").v_R));
}

TEST(HaarDirection, IsUniformOnTheSphere) {
  const int64_t rank = 8, num_draws = 4000;
  const HackDirection like = like_two_modules(rank);
  Tensor mean = torch::zeros({rank}, torch::kFloat64), second = torch::zeros({rank, rank}, torch::kFloat64);
  for (int64_t draw = 0; draw < num_draws; ++draw) {
    const Tensor v = haar_direction(like, 3, static_cast<uint32_t>(draw)).modules.at("a").v_R.to(torch::kFloat64);
    mean += v / num_draws;
    second += torch::outer(v, v) / num_draws;
  }
  // E v = 0 and E v v^T = I / R; five standard deviations of the mean of entries of variance 1/8 and about 1/64.
  EXPECT_LT(mean.abs().max().item<double>(), 5 * std::sqrt(1.0 / rank / num_draws));
  EXPECT_LT((second - torch::eye(rank, torch::kFloat64) / rank).abs().max().item<double>(),
            5 * std::sqrt(2.0 / (rank * rank) / num_draws));
}

}  // namespace
}  // namespace plumbline
