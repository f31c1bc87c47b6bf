#include "plumbline/train/batch.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_decoder.h"

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

TEST(MicroBatches, PromptsOfTheLongestFirstEachOnceWithoutLastTokens) {
  Rows rows;
  const std::vector<int64_t> longer = {12, 13, 14}, same_prompt = {1, 2};  // other memory, the same prompt
  rows.sequences.push_back({same_prompt, longer});
  const auto batches = make_micro_batches(rows.sequences, 3, torch::kCPU);
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].rows, (std::vector<size_t>{3, 0, 2}));  // two prompts reach 5 tokens: the first of them
  EXPECT_EQ(values(batches[0].forward.ids_BT), (std::vector<int64_t>{1, 2, 12, 13, 10, 4, 5, 6, 7}));
  EXPECT_EQ(values(batches[0].forward.positions_BT), (std::vector<int64_t>{0, 1, 2, 3, 2, 0, 1, 2, 3}));
  EXPECT_EQ(values(batches[0].predictors_N), (std::vector<int64_t>{1, 2, 3, 1, 4, 8}));
  EXPECT_EQ(values(batches[0].completion_N), (std::vector<int64_t>{12, 13, 14, 10, 11, 30}));
  EXPECT_EQ(batches[0].lengths, (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(batches[1].rows, (std::vector<size_t>{1}));
  EXPECT_EQ(values(batches[1].forward.ids_BT), (std::vector<int64_t>{3, 20, 21}));
}

TEST(MicroBatches, LogProbabilitiesAreThoseOfRowsOfTheirOwn) {
  const auto decoder = test::tiny_decoder(torch::kFloat64);
  Rows rows;
  const std::vector<int64_t> longer = {12, 13, 14};
  rows.sequences.push_back({rows.prompts[0], longer});
  const torch::NoGradGuard no_grad;
  for (const int64_t size : {1, 2, 3, 8}) {
    size_t num_tokens = 0;
    for (const MicroBatch& batch : make_micro_batches(rows.sequences, size, torch::kCPU)) {
      const torch::Tensor logits_NV = decoder->logits(predictor_states(*decoder, batch));
      int64_t n = 0;
      for (const size_t row : batch.rows) {
        std::vector<int64_t> ids(rows.sequences[row].prompt_ids.begin(), rows.sequences[row].prompt_ids.end());
        for (const int64_t id : rows.sequences[row].completion_ids) {
          const torch::Tensor alone_V = test::tiny_logits(*decoder, torch::tensor(ids).unsqueeze(0))[0][-1];
          EXPECT_LT((alone_V - logits_NV[n]).abs().max().item<double>(), 1e-12) << "row " << row;
          EXPECT_EQ(batch.completion_N[n].item<int64_t>(), id);
          ids.push_back(id);
          ++n, ++num_tokens;
        }
      }
    }
    EXPECT_EQ(num_tokens, 9u);
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
