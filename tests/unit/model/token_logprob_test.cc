#include "plumbline/model/token_logprob.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>

namespace plumbline {
namespace {

using torch::Tensor;

/// Counts bytes that the CPU allocator has handed out on this thread since the guard was made.
class MemoryMeter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t alloc_size, size_t, size_t, c10::Device) override {
    live_bytes_ += alloc_size;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t live_bytes_ = 0, peak_bytes_ = 0;
};

struct Inputs {
  Tensor hidden_ND, head_VD, ids_N, weight_N;
};

Inputs make_inputs(int64_t num_rows, int64_t width, int64_t vocab, torch::ScalarType dtype) {
  torch::manual_seed(3);
  const auto options = torch::TensorOptions().dtype(dtype);
  return {torch::randn({num_rows, width}, torch::kFloat64).to(dtype),
          torch::randn({vocab, width}, torch::kFloat64).to(dtype), torch::randint(0, vocab, {num_rows}, torch::kInt64),
          torch::randn({num_rows}, options)};
}

double weighted_sum(const Inputs& inputs, const Tensor& hidden_ND, double temperature) {
  return (token_logprobs(hidden_ND, inputs.head_VD, inputs.ids_N, temperature, 3) * inputs.weight_N)
      .sum()
      .item<double>();
}

TEST(TokenLogprob, GradientAgreesWithFiniteDifferences) {
  const Inputs inputs = make_inputs(7, 5, 11, torch::kFloat64);
  Tensor hidden_ND = inputs.hidden_ND.clone().requires_grad_(true);
  (token_logprobs(hidden_ND, inputs.head_VD, inputs.ids_N, 0.7, 3) * inputs.weight_N).sum().backward();
  const double step = 1e-6;
  for (int64_t row = 0; row < 7; ++row) {
    for (int64_t column = 0; column < 5; ++column) {
      Tensor up = inputs.hidden_ND.clone(), down = inputs.hidden_ND.clone();
      up[row][column] += step;
      down[row][column] -= step;
      const double slope = (weighted_sum(inputs, up, 0.7) - weighted_sum(inputs, down, 0.7)) / (2 * step);
      EXPECT_NEAR(hidden_ND.grad()[row][column].item<double>(), slope, 1e-8);
    }
  }
}

TEST(TokenLogprob, AgreesWithTheUnchunkedFormulaForwardAndBackward) {
  const Inputs inputs = make_inputs(13, 6, 17, torch::kFloat64);
  Tensor ours = inputs.hidden_ND.clone().requires_grad_(true), plain = inputs.hidden_ND.clone().requires_grad_(true);
  const Tensor logprobs = token_logprobs(ours, inputs.head_VD, inputs.ids_N, 1.3, 4);
  const Tensor wanted = torch::log_softmax(torch::matmul(plain, inputs.head_VD.t()) / 1.3, 1)
                            .gather(1, inputs.ids_N.unsqueeze(1))
                            .squeeze(1);
  (logprobs * inputs.weight_N).sum().backward();
  (wanted * inputs.weight_N).sum().backward();
  EXPECT_LT((logprobs - wanted).abs().max().item<double>(), 1e-12);
  EXPECT_LT((ours.grad() - plain.grad()).abs().max().item<double>(), 1e-12);
}

TEST(TokenLogprob, ResultIsWiderThanBfloat16AndTheGradientIsNot) {
  const Inputs inputs = make_inputs(4, 8, 9, torch::kBFloat16);
  Tensor hidden_ND = inputs.hidden_ND.clone().requires_grad_(true);
  const Tensor logprobs = token_logprobs(hidden_ND, inputs.head_VD, inputs.ids_N, 1.0);
  EXPECT_EQ(logprobs.scalar_type(), torch::kFloat32);
  logprobs.sum().backward();
  EXPECT_EQ(hidden_ND.grad().scalar_type(), torch::kBFloat16);
}

TEST(TokenLogprob, Bfloat16WeightsAreMultipliedInFloat32ForwardAndBackward) {
  const Inputs inputs = make_inputs(6, 8, 20000, torch::kBFloat16);  // more than two slices of the vocabulary
  Tensor narrow = inputs.hidden_ND.clone().requires_grad_(true);
  Tensor wide = inputs.hidden_ND.to(torch::kFloat64).requires_grad_(true);
  const Tensor logprobs = token_logprobs(narrow, inputs.head_VD, inputs.ids_N, 0.7, 4);
  const Tensor wanted = torch::log_softmax(torch::matmul(wide, inputs.head_VD.to(torch::kFloat64).t()) / 0.7, 1)
                            .gather(1, inputs.ids_N.unsqueeze(1))
                            .squeeze(1);
  EXPECT_LT((logprobs - wanted).abs().max().item<double>(), 1e-4);
  logprobs.sum().backward();
  wanted.sum().backward();
  const Tensor error = (narrow.grad().to(torch::kFloat64) - wide.grad()).abs();
  EXPECT_TRUE((error <= 0.004 * wide.grad().abs() + 1e-5).all().item<bool>());  // one rounding to bfloat16
}

TEST(TokenLogprob, NoRowsGiveAnEmptyResultAndAnEmptyGradient) {
  const Inputs inputs = make_inputs(0, 4, 6, torch::kFloat32);
  Tensor hidden_ND = inputs.hidden_ND.clone().requires_grad_(true);
  const Tensor logprobs = token_logprobs(hidden_ND, inputs.head_VD, inputs.ids_N, 1.0);
  EXPECT_EQ(logprobs.numel(), 0);
  logprobs.sum().backward();
  EXPECT_EQ(hidden_ND.grad().numel(), 0);
}

TEST(TokenLogprob, HeadCollectsNoGradient) {
  Inputs inputs = make_inputs(4, 4, 6, torch::kFloat32);
  inputs.head_VD.requires_grad_(true);
  Tensor hidden_ND = inputs.hidden_ND.clone().requires_grad_(true);
  token_logprobs(hidden_ND, inputs.head_VD, inputs.ids_N, 1.0).sum().backward();
  EXPECT_FALSE(inputs.head_VD.grad().defined());
}

/// Peak bytes of one forward and backward above what the inputs hold.
int64_t peak_bytes(int64_t num_rows, int64_t vocab, int64_t chunk_tokens) {
  const Inputs inputs = make_inputs(num_rows, 4, vocab, torch::kFloat32);
  Tensor hidden_ND = inputs.hidden_ND.clone().requires_grad_(true);
  const auto meter = std::make_shared<MemoryMeter>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
  token_logprobs(hidden_ND, inputs.head_VD, inputs.ids_N, 0.7, chunk_tokens).sum().backward();
  return meter->peak_bytes_;
}

TEST(TokenLogprob, PeakMemoryIsFlatInTheNumberOfTokens) {
  const int64_t vocab = 2048, chunk = 32;
  const int64_t chunk_bytes = chunk * vocab * int64_t{sizeof(float)};
  const int64_t small = peak_bytes(512, vocab, chunk), large = peak_bytes(2048, vocab, chunk);
  EXPECT_GE(small, chunk_bytes) << "the meter sees nothing";
  EXPECT_LE(small, 4 * chunk_bytes);
  EXPECT_LE(large - small, 2048 * 64) << "beyond vectors of one entry or one hidden state a token";
}

}  // namespace
}  // namespace plumbline
