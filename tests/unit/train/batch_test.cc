#include "plumbline/train/batch.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

struct Rows {
  std::vector<std::vector<int64_t>> prompts = {{1, 2}, {3}, {4, 5, 6, 7}};
  std::vector<std::vector<int64_t>> completions = {{10, 11}, {20, 21, 22}, {30}};
  std::vector<SequenceRow> sequences;
  Rows() {
    for (size_t i = 0; i < prompts.size(); ++i) sequences.push_back({prompts[i], completions[i]});
  }
};

std::vector<int64_t> values(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.flatten();
  std::vector<int64_t> result;
  for (int64_t i = 0; i < flat.numel(); ++i) result.push_back(flat[i].item<int64_t>());
  return result;
}

TEST(MicroBatches, LongestFirstPaddedOnTheRight) {
  const Rows rows;
  const auto batches = make_micro_batches(rows.sequences, 2, torch::kCPU);
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].rows, (std::vector<size_t>{2, 0}));  // 5 tokens, then the first of those with 4
  EXPECT_EQ(values(batches[0].forward.ids_BT), (std::vector<int64_t>{4, 5, 6, 7, 30, 1, 2, 10, 11, 0}));
  EXPECT_EQ(values(batches[0].forward.positions_BT), (std::vector<int64_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  EXPECT_EQ(batches[1].rows, (std::vector<size_t>{1}));
  EXPECT_EQ(values(batches[1].forward.ids_BT), (std::vector<int64_t>{3, 20, 21, 22}));
}

TEST(MicroBatches, EveryCompletionTokenIsPredictedByThePositionBeforeIt) {
  const Rows rows;
  for (const int64_t size : {1, 2, 3, 8}) {
    size_t num_tokens = 0;
    for (const MicroBatch& batch : make_micro_batches(rows.sequences, size, torch::kCPU)) {
      const auto ids = values(batch.forward.ids_BT), predictors = values(batch.predictors_N);
      const auto completion = values(batch.completion_N);
      ASSERT_EQ(predictors.size(), completion.size());
      for (size_t n = 0; n < predictors.size(); ++n) {
        EXPECT_EQ(ids[static_cast<size_t>(predictors[n]) + 1], completion[n]);
      }
      num_tokens += completion.size();
    }
    EXPECT_EQ(num_tokens, 6u);
  }
}

TEST(MicroBatches, ValuesOfRowsAreSpreadOverTheirTokens) {
  const Rows rows;
  const auto batches = make_micro_batches(rows.sequences, 3, torch::kCPU);
  const torch::Tensor spread_N = batches[0].spread(std::vector<double>{0.5, 0.25, -1});
  EXPECT_TRUE(torch::equal(spread_N, torch::tensor({-1., 0.5, 0.5, 0.25, 0.25, 0.25}, torch::kFloat64)));
}

TEST(MicroBatches, EmptyCompletionHasNoTokens) {
  const std::vector<int64_t> prompt = {1, 2}, completion;
  const std::vector<SequenceRow> rows = {{prompt, completion}};
  const auto batches = make_micro_batches(rows, 4, torch::kCPU);
  EXPECT_EQ(batches[0].predictors_N.numel(), 0);
}

}  // namespace
}  // namespace plumbline
