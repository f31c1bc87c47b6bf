#include "plumbline/model/decode_attention.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

/// Row by row through plain products, in float64.
torch::Tensor reference(const torch::Tensor& q_BHK, const torch::Tensor& k_BHTK, const torch::Tensor& v_BHTK,
                        const std::vector<int64_t>& positions, int64_t window = 1000) {
  const int64_t group = q_BHK.size(1) / k_BHTK.size(1);
  std::vector<torch::Tensor> rows;
  for (int64_t row = 0; row < q_BHK.size(0); ++row) {
    for (int64_t head = 0; head < q_BHK.size(1); ++head) {
      const int64_t end = positions[static_cast<size_t>(row)] + 1, begin = std::max<int64_t>(0, end - window);
      const torch::Tensor k = k_BHTK[row][head / group].slice(0, begin, end).to(torch::kFloat64);
      const torch::Tensor v = v_BHTK[row][head / group].slice(0, begin, end).to(torch::kFloat64);
      const torch::Tensor q = q_BHK[row][head].to(torch::kFloat64) / std::sqrt(static_cast<double>(q_BHK.size(2)));
      rows.push_back(at::matmul(at::softmax(at::matmul(k, q), 0), v));
    }
  }
  return at::stack(rows).view(q_BHK.sizes());
}

TEST(DecodeAttention, EqualsPlainProductsInEveryTypeAndHeadSize) {
  torch::manual_seed(3);
  for (const auto& [type, tolerance] : std::vector<std::pair<torch::ScalarType, double>>{
           {torch::kFloat32, 2e-6}, {torch::kBFloat16, 2e-2}, {torch::kFloat64, 1e-14}}) {
    for (const int64_t head_size : {8, 16, 20, 24, 64}) {
      const std::vector<int64_t> positions = {0, 36, 5, 17};
      const torch::Tensor q = torch::randn({4, 6, head_size}).to(type),
                          k = torch::randn({4, 2, 37, head_size}).to(type),
                          v = torch::randn({4, 2, 37, head_size}).to(type);
      const torch::Tensor got = decode_attention_cpu(q, k, v, torch::tensor(positions));
      EXPECT_EQ(got.scalar_type(), type);
      EXPECT_LT((got.to(torch::kFloat64) - reference(q, k, v, positions)).abs().max().item<double>(), tolerance)
          << type << " " << head_size;
    }
  }
}

TEST(DecodeAttention, AWindowLeavesOutWhatLiesBeforeIt) {
  torch::manual_seed(5);
  const std::vector<int64_t> positions = {0, 36, 5, 17};
  const torch::Tensor q = torch::randn({4, 6, 16}), k = torch::randn({4, 2, 37, 16}), v = torch::randn({4, 2, 37, 16});
  for (const int64_t window : {1, 6, 7, 36, 37, 500}) {
    const torch::Tensor got = decode_attention_cpu(q, k, v, torch::tensor(positions), window);
    EXPECT_LT((got.to(torch::kFloat64) - reference(q, k, v, positions, window)).abs().max().item<double>(), 2e-6)
        << window;
  }
  k[1].narrow(1, 0, 30).fill_(std::nanf(""));  // before row 1's window of 7: 30 .. 36
  EXPECT_TRUE(decode_attention_cpu(q, k, v, torch::tensor(positions), 7)[1].isfinite().all().item<bool>());
}

TEST(DecodeAttention, NeverReadsBeyondARowsOwnPosition) {
  torch::manual_seed(4);
  const torch::Tensor q = torch::randn({3, 4, 16}), k = torch::randn({3, 2, 20, 16}), v = torch::randn({3, 2, 20, 16});
  const torch::Tensor positions = torch::tensor(std::vector<int64_t>{3, 19, 9});
  const torch::Tensor before = decode_attention_cpu(q, k, v, positions);
  for (const torch::Tensor& cache : {k, v}) {
    cache[0].narrow(1, 4, 16).fill_(std::nanf(""));
    cache[2].narrow(1, 10, 10).fill_(1e30);
  }
  EXPECT_TRUE(at::equal(before, decode_attention_cpu(q, k, v, positions)));
  EXPECT_TRUE(at::equal(before[1], decode_attention_cpu(q.narrow(0, 1, 1), k.narrow(0, 1, 1), v.narrow(0, 1, 1),
                                                        positions.narrow(0, 1, 1))[0]));
}

TEST(DecodeAttention, ScoresOfEveryDistanceBecomeTheirProbabilities) {
  // One key a token, value t: what comes out is softmax(scores), for scores from equal to e^-200 apart.
  for (const double step : {0.0, 1e-3, 0.7, 3.0, 25.0, 1000.0}) {
    const int64_t num_tokens = 9;
    const torch::Tensor scores = at::arange(num_tokens, torch::kFloat32) * -step;
    const torch::Tensor q = at::zeros({1, 1, 16}), k = at::zeros({1, 1, num_tokens, 16});
    q[0][0][0] = 4.0;  // over sqrt(16)
    k[0][0].select(1, 0).copy_(scores);
    const torch::Tensor v = at::constant_pad_nd(at::eye(num_tokens), {0, 16 - num_tokens}).view({1, 1, num_tokens, 16});
    const torch::Tensor got = decode_attention_cpu(q, k, v, torch::tensor(std::vector<int64_t>{num_tokens - 1}));
    const torch::Tensor expected = at::softmax(scores.to(torch::kFloat64), 0);
    const torch::Tensor difference = (got[0][0].narrow(0, 0, num_tokens).to(torch::kFloat64) - expected).abs();
    EXPECT_LT((difference / (expected + 1e-30)).masked_fill(expected < 1e-30, 0).max().item<double>(), 1e-6) << step;
    EXPECT_LT(difference.max().item<double>(), 1e-6) << step;
  }
}

TEST(DecodeAttention, ATokenIsWrittenWhereScatterWritesIt) {
  torch::manual_seed(6);
  for (const torch::ScalarType type : {torch::kFloat32, torch::kBFloat16, torch::kFloat64}) {
    const std::vector<int64_t> positions = {3, 0, 19};
    torch::Tensor cache = torch::randn({3, 2, 20, 24}).to(type);
    const torch::Tensor token = torch::randn({3, 1, 2, 24}).to(type).transpose(1, 2).select(2, 0);
    const torch::Tensor expected = cache.clone();
    for (int64_t row = 0; row < 3; ++row)
      expected[row].select(1, positions[static_cast<size_t>(row)]).copy_(token[row]);
    write_token_cpu(cache, token, torch::tensor(positions));
    EXPECT_TRUE(at::equal(cache, expected)) << type;
    EXPECT_THROW(write_token_cpu(cache, token, torch::tensor(std::vector<int64_t>{3, 20, 0})), InternalError);
  }
}

}  // namespace
}  // namespace plumbline
