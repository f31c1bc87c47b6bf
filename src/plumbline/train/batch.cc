#include "plumbline/train/batch.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

int64_t num_tokens(const SequenceRow& row) {
  return static_cast<int64_t>(row.prompt_ids.size() + row.completion_ids.size());
}

using Prompt = std::span<const int64_t>;

struct ComparePrompts {
  bool operator()(const Prompt& a, const Prompt& b) const { return std::ranges::lexicographical_compare(a, b); }
};

/// Rows of one prompt side by side; prompts by their longest row, and rows by length, the longest first.
std::vector<size_t> prompts_together(std::span<const SequenceRow> rows) {
  std::map<Prompt, std::pair<int64_t, size_t>, ComparePrompts> rank_of;  // tokens of its longest row, first row
  for (size_t i = 0; i < rows.size(); ++i) {
    auto& rank = rank_of.try_emplace(rows[i].prompt_ids, 0, i).first->second;
    rank.first = std::max(rank.first, num_tokens(rows[i]));
  }
  std::vector<std::pair<int64_t, size_t>> ranks;
  for (const SequenceRow& row : rows) ranks.push_back(rank_of.at(row.prompt_ids));
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    if (ranks[a].first != ranks[b].first) return ranks[a].first > ranks[b].first;
    if (ranks[a].second != ranks[b].second) return ranks[a].second < ranks[b].second;
    return num_tokens(rows[a]) > num_tokens(rows[b]);
  });
  return order;
}

MicroBatch make_one(std::span<const SequenceRow> rows, std::vector<size_t> members, torch::Device device) {
  MicroBatch batch;
  batch.rows = std::move(members);
  std::vector<Segment> segments;
  std::vector<int64_t> ids, predictors, completion;
  const auto append = [&](std::span<const int64_t> tokens, int64_t prefix) {
    segments.push_back({static_cast<int64_t>(tokens.size()), prefix});
    ids.insert(ids.end(), tokens.begin(), tokens.end());
  };
  int64_t prompt = -1, prompt_end = 0;
  for (size_t b = 0; b < batch.rows.size(); ++b) {
    const SequenceRow& row = rows[batch.rows[b]];
    PL_CHECK(!row.prompt_ids.empty(), "a prompt needs at least one token");
    if (b == 0 || !std::ranges::equal(row.prompt_ids, rows[batch.rows[b - 1]].prompt_ids)) {
      append(row.prompt_ids, -1);
      prompt = static_cast<int64_t>(segments.size()) - 1;
      prompt_end = static_cast<int64_t>(ids.size()) - 1;
    }
    const size_t length = row.completion_ids.size();
    batch.lengths.push_back(static_cast<int64_t>(length));
    completion.insert(completion.end(), row.completion_ids.begin(), row.completion_ids.end());
    if (length == 0) continue;
    predictors.push_back(prompt_end);  // the last prompt token predicts the first of the completion
    for (size_t t = 0; t + 1 < length; ++t) predictors.push_back(static_cast<int64_t>(ids.size() + t));
    append(row.completion_ids.first(length - 1), prompt);
  }
  batch.forward.packed = std::make_shared<const PackedSequences>(segments, device);
  batch.forward.ids_BT = torch::tensor(ids, torch::kInt64).unsqueeze(0).to(device);
  batch.forward.positions_BT = batch.forward.packed->positions_1N();
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
  const std::vector<size_t> order = prompts_together(rows);
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
  // Not index_select: a prompt's last state is read once a completion, and its gradient must be summed in a fixed
  // order.
  return decoder.hidden(batch.forward).squeeze(0).index({batch.predictors_N});
}

}  // namespace plumbline
