#include "plumbline/steer/control_direction.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using torch::Tensor;

HackDirection like_two_modules(int64_t rank, int64_t k = 1) {
  HackDirection direction;
  const Tensor strength_K = torch::ones({k}, torch::kFloat64);
  direction.modules["a"] = {torch::eye(rank).slice(0, 0, k), strength_K};
  direction.modules["b"] = {direction.modules["a"].axes_KR.clone(), strength_K};
  direction.modules["zero"] = {torch::zeros({k, rank}), strength_K};
  return direction;
}

TEST(HaarDirection, IsUnitWhereThereIsADirectionAndZeroElsewhere) {
  const HackDirection haar = haar_direction(like_two_modules(64), 0, 1);
  EXPECT_NEAR(haar.modules.at("a").axes_KR.norm().item<double>(), 1, 1e-6);
  EXPECT_EQ(haar.modules.at("zero").axes_KR.abs().max().item<double>(), 0);
  EXPECT_EQ(haar.metadata.method, "haar.1");
}

TEST(HaarDirection, DependsOnSeedDrawAndModuleAlone) {
  const HackDirection like = like_two_modules(64);
  const Tensor first = haar_direction(like, 0, 1).modules.at("a").axes_KR;
  EXPECT_TRUE(torch::equal(first, haar_direction(like, 0, 1).modules.at("a").axes_KR));
  EXPECT_FALSE(torch::equal(first, haar_direction(like, 0, 1).modules.at("b").axes_KR));
  EXPECT_FALSE(torch::equal(first, haar_direction(like, 0, 2).modules.at("a").axes_KR));
  EXPECT_FALSE(torch::equal(first, haar_direction(like, 1, 1).modules.at("a").axes_KR));
}

TEST(HaarDirection, IsUniformOnTheSphere) {
  const int64_t rank = 8, num_draws = 4000;
  const HackDirection like = like_two_modules(rank);
  Tensor mean = torch::zeros({rank}, torch::kFloat64), second = torch::zeros({rank, rank}, torch::kFloat64);
  for (int64_t draw = 0; draw < num_draws; ++draw) {
    const Tensor v =
        haar_direction(like, 3, static_cast<uint32_t>(draw)).modules.at("a").axes_KR[0].to(torch::kFloat64);
    mean += v / num_draws;
    second += torch::outer(v, v) / num_draws;
  }
  // E v = 0 and E v v^T = I / R; five standard deviations of the mean of entries of variance 1/8 and about 1/64.
  EXPECT_LT(mean.abs().max().item<double>(), 5 * std::sqrt(1.0 / rank / num_draws));
  EXPECT_LT((second - torch::eye(rank, torch::kFloat64) / rank).abs().max().item<double>(),
            5 * std::sqrt(2.0 / (rank * rank) / num_draws));
}

TEST(HaarDirection, HasTheRankOfTheDirectionItStandsBeside) {
  HackDirection like = like_two_modules(16, 4);
  like.modules["b"].axes_KR[2].zero_();
  const HackDirection haar = haar_direction(like, 5, 1);
  const Tensor a = haar.modules.at("a").axes_KR.to(torch::kFloat64), b = haar.modules.at("b").axes_KR;
  EXPECT_LT((a.mm(a.t()) - torch::eye(4, torch::kFloat64)).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(b[2].abs().max().item<double>(), 0);
  EXPECT_NEAR(b.norm().item<double>(), std::sqrt(3.0), 1e-6);
}

TEST(ShuffledLabels, FlipWholePairsTheSameInEveryModule) {
  PairDifferences differences;
  differences.flavors.resize(64, "A");
  differences.nll_hack.resize(64, 1), differences.nll_clean.resize(64, 2);
  for (const char* module : {"a", "b"}) differences.differences_PR[module] = torch::ones({64, 3});
  const PairDifferences shuffled = shuffle_labels(differences, 0, 1);
  const Tensor signs_P = shuffled.differences_PR.at("a").select(1, 0);
  EXPECT_TRUE(torch::equal(shuffled.differences_PR.at("b"), signs_P.unsqueeze(1).expand({64, 3})));
  EXPECT_TRUE(torch::equal(signs_P.abs(), torch::ones({64})));
  // 64 fair coins: fewer than 16 or more than 48 on one side has a chance below 1e-4; the seed is fixed.
  EXPECT_LT(std::abs(signs_P.sum().item<double>()), 32);
  for (int64_t pair = 0; pair < 64; ++pair) {
    EXPECT_EQ(shuffled.nll_hack[static_cast<size_t>(pair)], signs_P[pair].item<double>() > 0 ? 1 : 2);
  }
  EXPECT_FALSE(torch::equal(shuffle_labels(differences, 0, 2).differences_PR.at("a").select(1, 0), signs_P));
  EXPECT_FALSE(torch::equal(shuffle_labels(differences, 1, 1).differences_PR.at("a").select(1, 0), signs_P));
}

}  // namespace
}  // namespace plumbline
