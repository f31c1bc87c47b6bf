#include "plumbline/model/packed_sequences.h"

#include <limits>
#include <numeric>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

using torch::Tensor;

Tensor on_device(const std::vector<int64_t>& values, torch::Device device, torch::ScalarType type = torch::kInt64) {
  return torch::tensor(values, torch::kInt64).to(device, type);
}

void append_range(std::vector<int64_t>& values, int64_t begin, int64_t count) {
  const size_t old = values.size();
  values.resize(old + static_cast<size_t>(count));
  std::iota(values.begin() + static_cast<std::ptrdiff_t>(old), values.end(), begin);
}

/// Rows [R * Q, H, K] of packed tokens as [R, H, Q, K]. Not index_select, whose backward is a small kernel a row on the
/// CPU and sums in no fixed order on the GPU.
Tensor rows_of(const Tensor& x_NHK, const Tensor& index_RQ) {
  return x_NHK.index({index_RQ}).transpose(1, 2);
}

}  // namespace

PackedSequences::PackedSequences(const std::vector<Segment>& segments, torch::Device device) {
  std::vector<int64_t> begins, positions;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    begins.push_back(static_cast<int64_t>(positions.size()));
    int64_t first = 0;
    if (segment.prefix >= 0) {
      PL_CHECK(segment.prefix < static_cast<int64_t>(i), "a prefix comes before what goes on from it");
      const Segment& prefix = segments[static_cast<size_t>(segment.prefix)];
      PL_CHECK(prefix.prefix < 0 && prefix.num_tokens > 0, "a prefix has tokens and no prefix");
      first = prefix.num_tokens;
    }
    append_range(positions, first, segment.num_tokens);
  }
  positions_1N_ = on_device(positions, device).unsqueeze(0);
  std::vector<int64_t> places(positions.size());
  int64_t block_begin = 0;
  for (const bool with_prefix : {false, true}) {
    Block block = make_block(segments, begins, with_prefix, device);
    const int64_t num_rows = block.queries_RQ.size(0), width = block.queries_RQ.size(1);
    if (num_rows == 0) continue;
    int64_t row = 0;
    for (size_t i = 0; i < segments.size(); ++i) {
      if (segments[i].num_tokens == 0 || (segments[i].prefix >= 0) != with_prefix) continue;
      for (int64_t t = 0; t < segments[i].num_tokens; ++t) {
        places[static_cast<size_t>(begins[i] + t)] = block_begin + row * width + t;
      }
      ++row;
    }
    block_begin += num_rows * width;
    blocks_.push_back(std::move(block));
  }
  places_N_ = on_device(places, device);
  if (device.is_cuda()) make_flash_plan(segments, begins, device);
}

PackedSequences::Block PackedSequences::make_block(const std::vector<Segment>& segments,
                                                   const std::vector<int64_t>& begins, bool with_prefix,
                                                   torch::Device device) const {
  std::vector<size_t> members;
  int64_t num_queries = 0, num_prefix = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].num_tokens == 0 || (segments[i].prefix >= 0) != with_prefix) continue;
    members.push_back(i);
    num_queries = std::max(num_queries, segments[i].num_tokens);
    if (with_prefix) num_prefix = std::max(num_prefix, segments[static_cast<size_t>(segments[i].prefix)].num_tokens);
  }
  constexpr int64_t kBeyondAll = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> queries, query_places, keys, key_places;
  const auto append = [](std::vector<int64_t>& index, std::vector<int64_t>& places, const Segment& segment,
                         int64_t begin, int64_t first_place, int64_t width, int64_t padding_place) {
    for (int64_t t = 0; t < width; ++t) {
      const bool is_token = t < segment.num_tokens;
      index.push_back(begin + (is_token ? t : 0));
      places.push_back(is_token ? first_place + t : padding_place);
    }
  };
  for (const size_t i : members) {
    int64_t first = 0;
    if (with_prefix) {
      const size_t prefix = static_cast<size_t>(segments[i].prefix);
      first = segments[prefix].num_tokens;
      append(keys, key_places, segments[prefix], begins[prefix], 0, num_prefix, kBeyondAll);
    }
    append(keys, key_places, segments[i], begins[i], first, num_queries, kBeyondAll);
    // A padding query sees the first key alone: its row of the softmax is finite, and nobody reads it.
    append(queries, query_places, segments[i], begins[i], first, num_queries, 0);
  }
  const int64_t num_rows = static_cast<int64_t>(members.size()), span = num_prefix + num_queries;
  Block block;
  block.queries_RQ = on_device(queries, device).view({num_rows, num_queries});
  block.keys_RS = on_device(keys, device).view({num_rows, span});
  block.query_places = on_device(query_places, device).view({num_rows, 1, num_queries, 1});
  block.key_places = on_device(key_places, device).view({num_rows, 1, 1, span});
  if (with_prefix && num_rows > 0) block.mask = block.key_places <= block.query_places;
  return block;
}

void PackedSequences::make_flash_plan(const std::vector<Segment>& segments, const std::vector<int64_t>& begins,
                                      torch::Device device) {
  std::vector<int64_t> keys, query_ends = {0}, key_ends = {0};
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (segment.num_tokens == 0) continue;
    if (segment.prefix >= 0) {
      const size_t prefix = static_cast<size_t>(segment.prefix);
      append_range(keys, begins[prefix], segments[prefix].num_tokens);
    }
    append_range(keys, begins[i], segment.num_tokens);
    query_ends.push_back(query_ends.back() + segment.num_tokens);
    key_ends.push_back(static_cast<int64_t>(keys.size()));
    max_queries_ = std::max(max_queries_, segment.num_tokens);
    max_keys_ = std::max(max_keys_, key_ends.back() - key_ends[key_ends.size() - 2]);
  }
  flash_keys_ = on_device(keys, device);
  query_ends_ = on_device(query_ends, device, torch::kInt32);
  key_ends_ = on_device(key_ends, device, torch::kInt32);
}

Tensor PackedSequences::attend(const Tensor& q_1HNK, const Tensor& k_1HNK, const Tensor& v_1HNK,
                               int64_t window_tokens) const {
  const auto by_token = [](const Tensor& x_1HNK) { return x_1HNK.squeeze(0).transpose(0, 1); };
  const Tensor q_NHK = by_token(q_1HNK), k_NHK = by_token(k_1HNK), v_NHK = by_token(v_1HNK);
  const bool has_flash =
      q_NHK.is_cuda() && (q_NHK.scalar_type() == torch::kBFloat16 || q_NHK.scalar_type() == torch::kHalf);
  const Tensor mixed_NHK =
      has_flash ? attend_flash(q_NHK, k_NHK, v_NHK, window_tokens) : attend_dense(q_NHK, k_NHK, v_NHK, window_tokens);
  return mixed_NHK.transpose(0, 1).unsqueeze(0);
}

Tensor PackedSequences::attend_dense(const Tensor& q_NHK, const Tensor& k_NHK, const Tensor& v_NHK,
                                     int64_t window_tokens) const {
  const bool is_grouped = q_NHK.size(1) != k_NHK.size(1);
  std::vector<Tensor> mixed;
  for (const Block& block : blocks_) {
    std::optional<Tensor> mask = block.mask;
    if (window_tokens > 0) {
      mask = (block.key_places <= block.query_places) & (block.key_places > block.query_places - window_tokens);
    }
    const Tensor mixed_RHQK = at::scaled_dot_product_attention(
        rows_of(q_NHK, block.queries_RQ), rows_of(k_NHK, block.keys_RS), rows_of(v_NHK, block.keys_RS), mask,
        /*dropout_p=*/0.0, /*is_causal=*/!mask, /*scale=*/std::nullopt, /*enable_gqa=*/is_grouped);
    mixed.push_back(mixed_RHQK.transpose(1, 2).flatten(0, 1));
  }
  return at::cat(mixed).index({places_N_});
}

Tensor PackedSequences::attend_flash(const Tensor& q_NHK, const Tensor& k_NHK, const Tensor& v_NHK,
                                     int64_t window_tokens) const {
  // With fewer queries than keys its causal mask is aligned at the end: just what goes on from a prefix needs. -1 is no
  // window.
  const int64_t window_left = window_tokens > 0 ? window_tokens - 1 : -1;
  const int64_t window_right = window_tokens > 0 ? 0 : -1;
  return std::get<0>(at::_flash_attention_forward(
      q_NHK.contiguous(), k_NHK.index({flash_keys_}), v_NHK.index({flash_keys_}), query_ends_, key_ends_, max_queries_,
      max_keys_, /*dropout_p=*/0.0, /*is_causal=*/true, /*return_debug_mask=*/false, /*scale=*/std::nullopt,
      window_left, window_right));
}

}  // namespace plumbline
