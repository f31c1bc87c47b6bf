#include "plumbline/tensor/dequantize.h"

#include <gtest/gtest.h>

#include <cstring>

#include "plumbline/tensor/raw_tensor.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

/// Bytes of a block that have no structure; the reference numbers below were made from the same ones.
std::string noise(int count, int seed) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>((i * 37 + seed * 101 + i * i * 7) & 0xFF);
  return bytes;
}

std::string half(uint16_t bits) {
  return {static_cast<char>(bits & 0xFF), static_cast<char>(bits >> 8)};
}

struct Case {
  std::string dtype, block;
  int64_t num_elements;
  std::vector<std::pair<int64_t, float>> values;  ///< index, value
  double sum;                                     ///< of all elements in float64
};

/// Values that gguf-py 0.19.0 gives (gguf.quants.dequantize).
std::vector<Case> cases() {
  return {{"Q4_0",
           half(0x246e) + noise(16, 1),
           32,
           {{0, -0x1.a94p-5f},
            {1, -0x1.f02p-4f},
            {15, -0x1.1b8p-6f},
            {16, -0x1.1b8p-5f},
            {17, 0x1.1b8p-6f},
            {31, 0x1.a94p-5f}},
           0.017303466796875},
          {"Q4_1",
           half(0x27f6) + half(0xb2a0) + noise(16, 2),
           32,
           {{0, 0x1.a9cp-4f},
            {1, -0x1.4fp-6f},
            {15, 0x1.544p-3f},
            {16, 0x1.544p-3f},
            {17, 0x1.09a8p-2f},
            {31, -0x1.685p-3f}},
           0.558502197265625},
          {"Q8_0",
           half(0x9c4d) + noise(32, 3),
           32,
           {{0, -0x1.9446p-3f},
            {1, -0x1.875fp-2f},
            {15, 0x1.11198p-1f},
            {16, -0x1.11198p-1f},
            {17, 0x1.f731p-2f},
            {31, 0x1.020cp-4f}},
           1.7471923828125},
          {"Q6_K",
           noise(208, 4) + half(0x1374),
           256,
           {{0, -0x1.11e7p+1f},
            {15, 0x1.d58cp-2f},
            {32, 0x1.874ap-1f},
            {63, 0x1.25778p+0f},
            {64, -0x1.1ef2p-1f},
            {100, -0x1.36b3cp+0f},
            {127, 0x1.97208p-1f},
            {128, -0x1.874ap+0f},
            {160, 0x1.6029p+0f},
            {255, 0x1.09848p-1f}},
           -29.57958984375}};
}

TEST(Dequantize, EqualsGgufPyBitForBit) {
  for (const Case& c : cases()) {
    // Two equal blocks a row, three rows: block and row addressing is seen too.
    std::string bytes;
    for (int i = 0; i < 6; ++i) bytes += c.block;
    const torch::Tensor got = dequantize({"t", c.dtype, {3, 2 * c.num_elements}, bytes});
    ASSERT_EQ(got.sizes(), (std::vector<int64_t>{3, 2 * c.num_elements}));
    for (int64_t block = 0; block < 6; ++block) {
      const float* values = got.const_data_ptr<float>() + block * c.num_elements;
      for (const auto& [index, value] : c.values) EXPECT_EQ(values[index], value) << c.dtype << " " << index;
      double sum = 0;
      for (int64_t i = 0; i < c.num_elements; ++i) sum += values[i];
      EXPECT_DOUBLE_EQ(sum, c.sum) << c.dtype;
    }
  }
}

/// Random blocks of every type, extreme scales among them (tests/golden/gguf/README.md).
TEST(Dequantize, EveryTypeEqualsGgufPyBitForBit) {
  const TensorMap golden = read_tensors(test::source_path("tests/golden/gguf/blocks.safetensors"));
  int num_types = 0;
  for (const auto& [name, blocks] : golden) {
    if (!name.ends_with(".bytes")) continue;
    ++num_types;
    const std::string dtype = name.substr(0, name.size() - 6);
    const torch::Tensor& expected = golden.at(dtype + ".values");
    const std::string_view bytes(static_cast<const char*>(blocks.const_data_ptr()), blocks.nbytes());
    const torch::Tensor got = dequantize({"t", dtype, expected.sizes().vec(), bytes});
    // As integers: -0 and 0 differ, and a NaN equals itself.
    EXPECT_TRUE(at::equal(got.view(torch::kInt32), expected.view(torch::kInt32))) << dtype;
    EXPECT_TRUE(at::equal(dequantize({"t", dtype, expected.sizes().vec(), bytes}, torch::kBFloat16),
                          expected.to(torch::kBFloat16)))
        << dtype;
  }
  EXPECT_EQ(num_types, 11);
}

/// Types other than float32 are written in pieces of 2^22 elements.
TEST(Dequantize, PiecesMeetWithoutASeam) {
  const TensorMap golden = read_tensors(test::source_path("tests/golden/gguf/blocks.safetensors"));
  const torch::Tensor blocks = golden.at("Q8_0.bytes").repeat({10000, 1});
  const torch::Tensor expected = golden.at("Q8_0.values").repeat({10000, 1}).to(torch::kBFloat16);
  ASSERT_GT(expected.numel(), int64_t{1} << 22);
  const std::string_view bytes(static_cast<const char*>(blocks.const_data_ptr()), blocks.nbytes());
  EXPECT_TRUE(at::equal(dequantize({"t", "Q8_0", expected.sizes().vec(), bytes}, torch::kBFloat16), expected));
}

TEST(Dequantize, KnowsWhatIsQuantised) {
  EXPECT_TRUE(is_quantised("Q4_1"));
  EXPECT_FALSE(is_quantised("F16"));
  EXPECT_FALSE(is_quantised("Q8_K"));
}

}  // namespace
}  // namespace plumbline
