#include "plumbline/train/batch.h"

#include <algorithm>
#include <numeric>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

int64_t num_tokens(const SequenceRow& row) {
  return static_cast<int64_t>(row.prompt_ids.size() + row.completion_ids.size());
}

std::vector<size_t> longest_first(std::span<const SequenceRow> rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return num_tokens(rows[a]) > num_tokens(rows[b]); });
  return order;
}

MicroBatch make_one(std::span<const SequenceRow> rows, std::vector<size_t> members, torch::Device device) {
  MicroBatch batch;
  batch.rows = std::move(members);
  const int64_t num_rows = static_cast<int64_t>(batch.rows.size());
  int64_t width = 0;
  for (const size_t row : batch.rows) width = std::max(width, num_tokens(rows[row]));
  std::vector<int64_t> ids(static_cast<size_t>(num_rows * width), 0), predictors, completion;
  for (int64_t b = 0; b < num_rows; ++b) {
    const SequenceRow& row = rows[batch.rows[static_cast<size_t>(b)]];
    PL_CHECK(!row.prompt_ids.empty(), "a prompt needs at least one token");
    const auto begin = ids.begin() + b * width;
    std::copy(row.completion_ids.begin(), row.completion_ids.end(),
              std::copy(row.prompt_ids.begin(), row.prompt_ids.end(), begin));
    const int64_t length = static_cast<int64_t>(row.completion_ids.size());
    // The state at position t predicts token t + 1, so the last prompt token predicts the first of the completion.
    const int64_t first = b * width + static_cast<int64_t>(row.prompt_ids.size()) - 1;
    for (int64_t t = 0; t < length; ++t) predictors.push_back(first + t);
    completion.insert(completion.end(), row.completion_ids.begin(), row.completion_ids.end());
    batch.lengths.push_back(length);
  }
  batch.forward.ids_BT = torch::tensor(ids, torch::kInt64).view({num_rows, width}).to(device);
  batch.forward.positions_BT =
      torch::arange(width, torch::kInt64).unsqueeze(0).expand({num_rows, width}).contiguous().to(device);
  batch.predictors_N = torch::tensor(predictors, torch::kInt64).to(device);
  batch.completion_N = torch::tensor(completion, torch::kInt64).to(device);
  return batch;
}

}  // namespace

torch::Tensor MicroBatch::spread(std::span<const double> value_of_row) const {
  std::vector<double> values;
  for (size_t b = 0; b < rows.size(); ++b) {
    values.insert(values.end(), static_cast<size_t>(lengths[b]), value_of_row[rows[b]]);
  }
  return torch::tensor(values, torch::kFloat64).to(completion_N.device());
}

std::vector<MicroBatch> make_micro_batches(std::span<const SequenceRow> rows, int64_t micro_batch,
                                           torch::Device device) {
  PL_CHECK(micro_batch > 0, "a micro-batch needs a row");
  const std::vector<size_t> order = longest_first(rows);
  std::vector<MicroBatch> batches;
  for (size_t begin = 0; begin < order.size(); begin += static_cast<size_t>(micro_batch)) {
    const size_t end = std::min(order.size(), begin + static_cast<size_t>(micro_batch));
    batches.push_back(make_one(
        rows, {order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end)},
        device));
  }
  return batches;
}

torch::Tensor predictor_states(const Decoder& decoder, const MicroBatch& batch) {
  const torch::Tensor hidden_BTD = decoder.hidden(batch.forward);
  return hidden_BTD.flatten(0, 1).index_select(0, batch.predictors_N);
}

}  // namespace plumbline
