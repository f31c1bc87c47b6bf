#include "plumbline/model/packed_sequences.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// Two prompts of 3 and 1 tokens; three completions of the first, one of them empty; one of the second, after a
/// sequence of its own.
const std::vector<Segment> kSegments = {{3, -1}, {2, 0}, {0, 0}, {4, 0}, {1, -1}, {5, -1}, {2, 4}};

/// The packed indices of each segment's whole sequence, its prefix first.
std::vector<std::vector<int64_t>> whole_sequences(const std::vector<Segment>& segments) {
  std::vector<int64_t> begins;
  int64_t begin = 0;
  for (const Segment& segment : segments) {
    begins.push_back(begin);
    begin += segment.num_tokens;
  }
  std::vector<std::vector<int64_t>> result;
  for (size_t i = 0; i < segments.size(); ++i) {
    std::vector<int64_t> tokens;
    if (segments[i].prefix >= 0) {
      const size_t prefix = static_cast<size_t>(segments[i].prefix);
      for (int64_t t = 0; t < segments[prefix].num_tokens; ++t) tokens.push_back(begins[prefix] + t);
    }
    for (int64_t t = 0; t < segments[i].num_tokens; ++t) tokens.push_back(begins[i] + t);
    result.push_back(tokens);
  }
  return result;
}

/// Attention token by token, by its definition.
Tensor by_definition(const Tensor& q_HNK, const Tensor& k_HNK, const Tensor& v_HNK, int64_t window_tokens) {
  Tensor mixed_HNK = torch::zeros_like(q_HNK);
  const int64_t heads_a_key = q_HNK.size(0) / k_HNK.size(0);
  const double scale = 1 / std::sqrt(static_cast<double>(q_HNK.size(2)));
  for (const auto& sequence : whole_sequences(kSegments)) {
    for (size_t at = 0; at < sequence.size(); ++at) {
      size_t first = 0;
      if (window_tokens > 0 && at + 1 > static_cast<size_t>(window_tokens))
        first = at + 1 - static_cast<size_t>(window_tokens);
      const Tensor seen = torch::tensor(std::vector<int64_t>(sequence.begin() + static_cast<std::ptrdiff_t>(first),
                                                             sequence.begin() + static_cast<std::ptrdiff_t>(at) + 1));
      for (int64_t h = 0; h < q_HNK.size(0); ++h) {
        const Tensor keys_SK = k_HNK[h / heads_a_key].index({seen}), values_SK = v_HNK[h / heads_a_key].index({seen});
        const Tensor weights_S = torch::softmax(torch::mv(keys_SK, q_HNK[h][sequence[at]]) * scale, 0);
        mixed_HNK[h][sequence[at]].copy_(torch::mv(values_SK.t(), weights_S));
      }
    }
  }
  return mixed_HNK;
}

class PackedAttention : public testing::TestWithParam<int64_t> {};

TEST_P(PackedAttention, IsAttentionByItsDefinition) {
  torch::manual_seed(3);
  const PackedSequences packed(kSegments, torch::kCPU);
  const int64_t num_tokens = packed.positions_1N().numel();
  const Tensor q = torch::randn({4, num_tokens, 8}, torch::kFloat64),
               k = torch::randn({2, num_tokens, 8}, torch::kFloat64),
               v = torch::randn({2, num_tokens, 8}, torch::kFloat64);
  const Tensor mixed = packed.attend(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), GetParam()).squeeze(0);
  EXPECT_LT((mixed - by_definition(q, k, v, GetParam())).abs().max().item<double>(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Windows, PackedAttention, testing::Values(0, 1, 2, 4));

/// The same numbers through FlashAttention over variable lengths, gradients of shared keys included.
TEST_P(PackedAttention, OnAGpuInHalfPrecisionToo) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no GPU here";
  torch::manual_seed(3);
  const PackedSequences on_cpu(kSegments, torch::kCPU), on_gpu(kSegments, torch::kCUDA);
  const int64_t num_tokens = on_cpu.positions_1N().numel();
  const auto made = [&](int64_t num_heads) {
    return torch::randn({1, num_heads, num_tokens, 32}).to(torch::kBFloat16).to(torch::kFloat64);
  };
  const std::vector<Tensor> values = {made(4), made(2), made(2)};
  const Tensor weight = made(4);
  const auto mixed_and_gradients = [&](const PackedSequences& packed, torch::Device device, torch::ScalarType type) {
    std::vector<Tensor> leaves;
    for (const Tensor& value : values) leaves.push_back(value.to(device, type).clone().requires_grad_(true));
    const Tensor mixed = packed.attend(leaves[0], leaves[1], leaves[2], GetParam());
    (mixed * weight.to(device, type)).sum().backward();
    std::vector<Tensor> result = {mixed.detach()};
    for (const Tensor& leaf : leaves) result.push_back(leaf.grad());
    for (Tensor& tensor : result) tensor = tensor.to(torch::kCPU, torch::kFloat64);
    return result;
  };
  const auto expected = mixed_and_gradients(on_cpu, torch::kCPU, torch::kFloat64);
  const auto seen = mixed_and_gradients(on_gpu, torch::kCUDA, torch::kBFloat16);
  for (size_t i = 0; i < expected.size(); ++i) {
    const double scale = expected[i].abs().max().item<double>();
    EXPECT_LT((expected[i] - seen[i]).abs().max().item<double>(), 0.02 * scale + 1e-5) << i;
  }
}

TEST(PackedSequences, PositionsGoOnFromThePrefix) {
  const PackedSequences packed(kSegments, torch::kCPU);
  const Tensor expected = torch::tensor(std::vector<int64_t>{0, 1, 2, 3, 4, 3, 4, 5, 6, 0, 0, 1, 2, 3, 4, 1, 2});
  EXPECT_TRUE(torch::equal(packed.positions_1N().squeeze(0), expected));
}

/// A loss over every token of every whole sequence, each sequence in a row of its own, against the packed row where a
/// shared token counts once a sequence.
TEST(PackedSequences, HiddenStatesAndGradientsAreThoseOfRowsOfTheirOwn) {
  const auto decoder = test::tiny_decoder(torch::kFloat64);
  for (Linear* linear : decoder->linears()) linear->weight_OI.requires_grad_(true);
  ForwardBatch batch;
  batch.packed = std::make_shared<const PackedSequences>(kSegments, torch::kCPU);
  batch.positions_BT = batch.packed->positions_1N();
  batch.ids_BT = test::tiny_ids(1, batch.positions_BT.numel());
  const Tensor hidden_ND = decoder->hidden(batch).squeeze(0);
  const Tensor direction_D = torch::arange(16, torch::kFloat64) - 7;
  Tensor packed_loss = torch::zeros({}, torch::kFloat64), loss = torch::zeros({}, torch::kFloat64);
  for (const auto& sequence : whole_sequences(kSegments)) {
    if (sequence.empty()) continue;
    const Tensor index = torch::tensor(sequence);
    const Tensor alone_TD =
        test::tiny_hidden(*decoder, batch.ids_BT.index({torch::indexing::Slice(), index})).squeeze(0);
    EXPECT_LT((alone_TD - hidden_ND.index({index})).abs().max().item<double>(), 1e-12);
    loss = loss + torch::mv(alone_TD, direction_D).sin().sum();
    packed_loss = packed_loss + torch::mv(hidden_ND.index({index}), direction_D).sin().sum();
  }
  const auto gradients = [&](const Tensor& of) {
    of.backward();
    std::vector<Tensor> result;
    for (Linear* linear : decoder->linears()) {
      result.push_back(linear->weight_OI.grad());
      linear->weight_OI.mutable_grad().reset();
    }
    return result;
  };
  const std::vector<Tensor> expected = gradients(loss), seen = gradients(packed_loss);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_GT(expected[i].abs().max().item<double>(), 1e-6);
    EXPECT_LT((expected[i] - seen[i]).abs().max().item<double>(), 1e-10) << decoder->linears()[i]->name;
  }
}

}  // namespace
}  // namespace plumbline
