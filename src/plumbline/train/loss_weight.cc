#include "plumbline/train/loss_weight.h"

#include <algorithm>
#include <numeric>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

/// 1 / max(1, tokens): nothing to divide by is nothing to divide.
double per_token(int64_t num_tokens) {
  return 1.0 / static_cast<double>(std::max<int64_t>(1, num_tokens));
}

std::vector<double> micro_batch_weights(std::span<const int64_t> num_tokens_B, std::span<const int64_t> micro_batches) {
  std::vector<double> weights;
  for (const int64_t num_rows : micro_batches) {
    const auto rows = num_tokens_B.subspan(weights.size(), static_cast<size_t>(num_rows));
    const int64_t num_tokens = std::accumulate(rows.begin(), rows.end(), int64_t{0});
    weights.insert(weights.end(), rows.size(), per_token(num_tokens) / static_cast<double>(micro_batches.size()));
  }
  PL_CHECK(weights.size() == num_tokens_B.size(), "micro-batches cover every row");
  return weights;
}

}  // namespace

std::vector<double> loss_weights(LossKind kind, std::span<const int64_t> num_tokens_B, const LossShape& shape,
                                 std::span<const int64_t> micro_batches) {
  const double num_rows = static_cast<double>(shape.group_size) * static_cast<double>(shape.prompts_per_step);
  const auto same = [&](double weight) { return std::vector<double>(num_tokens_B.size(), weight); };
  switch (kind) {
    case LossKind::kDrGrpo:
      return same(1 / (num_rows * static_cast<double>(shape.max_new_tokens)));
    case LossKind::kRloo:
      return same(1 / num_rows);
    case LossKind::kDapo:
    case LossKind::kReinforcePlus:
      return same(per_token(std::accumulate(num_tokens_B.begin(), num_tokens_B.end(), int64_t{0})));
    case LossKind::kBnpo:
      return micro_batch_weights(num_tokens_B, micro_batches);
    case LossKind::kGrpo:
      break;
  }
  std::vector<double> weights;
  for (const int64_t num_tokens : num_tokens_B) weights.push_back(per_token(num_tokens) / num_rows);
  return weights;
}

std::vector<int64_t> consecutive_micro_batches(int64_t num_rows, int64_t size) {
  std::vector<int64_t> sizes;
  for (int64_t begin = 0; begin < num_rows; begin += size) sizes.push_back(std::min(size, num_rows - begin));
  return sizes;
}

}  // namespace plumbline
