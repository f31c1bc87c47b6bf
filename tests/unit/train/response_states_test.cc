#include "plumbline/train/response_states.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/base/error.h"
#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// The mean by definition: one sequence at a time, unpacked, the state at each completion token.
Tensor mean_by_definition(const Decoder& decoder, std::vector<int64_t> prompt, const std::vector<int64_t>& completion,
                          int64_t layer) {
  const auto begin = static_cast<int64_t>(prompt.size());
  prompt.insert(prompt.end(), completion.begin(), completion.end());
  ForwardBatch batch;
  batch.ids_BT = torch::tensor(prompt, torch::kInt64).unsqueeze(0);
  batch.positions_BT = torch::arange(batch.ids_BT.size(1), torch::kInt64).unsqueeze(0);
  Tensor states;
  batch.observe = [&](int64_t index, const Tensor& x) {
    if (index == layer) states = x[0];
  };
  const torch::NoGradGuard no_grad;
  decoder.hidden(batch);
  return states.slice(0, begin).mean(0);
}

TEST(ResponseStates, MeansAreOverTheCompletionsOwnTokensWhateverTheSplit) {
  const auto decoder = test::tiny_decoder(torch::kFloat32);
  const std::vector<std::vector<int64_t>> prompts = {{1, 2, 3}, {1, 2, 3}, {9, 8}, {1, 2, 3}};
  const std::vector<std::vector<int64_t>> completions = {{4, 5, 6, 7}, {11}, {3, 3, 5}, {20, 21}};
  std::vector<SequenceRow> rows;
  for (size_t i = 0; i < prompts.size(); ++i) rows.push_back({prompts[i], completions[i]});
  for (const int64_t layer : {0, 1, 2}) {
    for (const int64_t micro_batch : {1, 3, 8}) {
      const Tensor means_BD = response_means(*decoder, rows, layer, micro_batch);
      for (size_t i = 0; i < rows.size(); ++i) {
        const Tensor want = mean_by_definition(*decoder, prompts[i], completions[i], layer);
        EXPECT_LT((means_BD[static_cast<int64_t>(i)] - want).abs().max().item<double>(), 1e-5) << layer << " " << i;
      }
    }
  }
}

TEST(ResponseStates, AReadingSeparatesWhatItWasMadeFrom) {
  const Tensor hacks = torch::tensor({{2.0f, 1.0f}, {4.0f, 1.0f}}),
               clean = torch::tensor({{0.0f, 1.0f}, {-2.0f, 1.0f}});
  const HiddenReading reading = contrast_reading(hacks, clean, 3);
  EXPECT_EQ(reading.layer, 3);
  EXPECT_EQ(reading.direction_D, (std::vector<float>{1, 0}));
  EXPECT_DOUBLE_EQ(reading.clean, -1);
  EXPECT_DOUBLE_EQ(reading.threshold, 1);  // half way between means 3 and -1
  EXPECT_THROW(contrast_reading(hacks, hacks, 3), NumericError);
  EXPECT_THROW(contrast_reading(hacks, torch::full({1, 2}, std::nanf("")), 3), NumericError);
}

}  // namespace
}  // namespace plumbline
