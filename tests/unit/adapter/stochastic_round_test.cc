#include "plumbline/adapter/stochastic_round.h"

#include <gtest/gtest.h>

#include "plumbline/adapter/stochastic_round_bits.h"

namespace plumbline {
namespace {

using torch::Tensor;

Tensor bits_of(const Tensor& bfloat16) {
  return bfloat16.view(torch::kInt16);
}

TEST(StochasticRound, EveryResultIsOneOfTheTwoNeighbours) {
  torch::manual_seed(1);
  const Tensor base = torch::randn({1000}).to(torch::kBFloat16), change = 1e-2 * torch::randn({1000});
  const Tensor exact = base.to(torch::kFloat32) + change;
  const Tensor rounded = add_and_round_stochastically(base, change, 7).to(torch::kFloat32);
  const Tensor spacing = torch::pow(2.0, torch::floor(torch::log2(exact.abs())) - 7);
  EXPECT_TRUE(((rounded - exact).abs() < spacing).all().item<bool>());
}

TEST(StochasticRound, IsUnbiasedWhereNearestIsADeadZone) {
  const int64_t count = 1 << 20;
  for (const double value : {1.0, -1.0, 0.37109375}) {
    const Tensor base = torch::full({count}, value, torch::kBFloat16);
    const Tensor change = torch::full({count}, 3e-4f);
    const double mean =
        (add_and_round_stochastically(base, change, 5).to(torch::kFloat64) - value).mean().item<double>();
    // Spacing 2^-8 or 2^-7 and probability p: the sd of the mean is below 2^-7 sqrt(p) / 1024 = 2e-6.
    EXPECT_NEAR(mean, 3e-4, 1e-5);
    EXPECT_TRUE(torch::equal((base.to(torch::kFloat32) + change).to(torch::kBFloat16), base));
  }
}

TEST(StochasticRound, ZeroChangeKeepsEveryBit) {
  torch::manual_seed(2);
  Tensor base = torch::randn({4096}).to(torch::kBFloat16);
  base[0] = -0.0;
  base[1] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(torch::equal(bits_of(add_and_round_stochastically(base, torch::zeros({4096}), 3)), bits_of(base)));
}

TEST(StochasticRound, DependsOnKeyAndElementAlone) {
  torch::manual_seed(3);
  const int64_t count = (1 << 20) + 3;  // enough for several threads, and not a multiple of anything
  const Tensor base = torch::randn({count}).to(torch::kBFloat16), change = 1e-3 * torch::randn({count});
  const Tensor whole = add_and_round_stochastically(base, change, 9);
  for (const int64_t i : {int64_t{0}, int64_t{5}, count / 2, count - 1}) {
    const uint16_t one = round_stochastically(static_cast<uint16_t>(bits_of(base)[i].item<int16_t>()),
                                              change[i].item<float>(), 9, static_cast<uint64_t>(i));
    EXPECT_EQ(one, static_cast<uint16_t>(bits_of(whole)[i].item<int16_t>()));
  }
  EXPECT_TRUE(torch::equal(whole, add_and_round_stochastically(base, change, 9)));
  EXPECT_FALSE(torch::equal(whole, add_and_round_stochastically(base, change, 10)));
}

TEST(StochasticRound, BitsOfAWordAreBalancedAndKeysDiffer) {
  int64_t ones[64] = {};
  const int64_t num_words = 1 << 14;
  for (int64_t i = 0; i < num_words; ++i) {
    const uint64_t word = rounding_word(42, static_cast<uint64_t>(i));
    for (int bit = 0; bit < 64; ++bit) ones[bit] += (word >> bit) & 1;
  }
  for (const int64_t count : ones) EXPECT_NEAR(static_cast<double>(count) / num_words, 0.5, 0.02);  // 5 sd
  EXPECT_NE(rounding_key(0, 1, "a"), rounding_key(0, 2, "a"));
  EXPECT_NE(rounding_key(0, 1, "a"), rounding_key(0, 1, "b"));
  EXPECT_NE(rounding_key(0, 1, "a"), rounding_key(1, 1, "a"));
}

#ifdef PLUMBLINE_WITH_CUDA
TEST(StochasticRound, CudaGivesTheSameBitsAsTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "needs a GPU";
  torch::manual_seed(4);
  const int64_t count = (1 << 20) + 3;
  const Tensor base = torch::randn({count}).to(torch::kBFloat16);
  const Tensor change = torch::where(torch::rand({count}) < 0.1, torch::zeros({count}), 1e-3 * torch::randn({count}));
  const Tensor on_gpu = add_and_round_stochastically(base.to(torch::kCUDA), change.to(torch::kCUDA), 9);
  EXPECT_TRUE(torch::equal(bits_of(on_gpu.to(torch::kCPU)), bits_of(add_and_round_stochastically(base, change, 9))));
}
#endif

}  // namespace
}  // namespace plumbline
