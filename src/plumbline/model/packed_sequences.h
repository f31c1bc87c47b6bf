/// Sequences that share prompts, as one row without padding: each prompt once, then the completions that go on from it.
/// Linears and norms see N tokens in place of B T; attention alone knows where a sequence ends and what it goes on
/// from. Exact: a token sees what it would see in a row of its own, and gradients of a shared prompt are summed over
/// its completions by autograd. Source: prefix sharing as in Hydragen (arXiv 2402.05099), here for training; on a GPU
/// in half precision the kernel is FlashAttention-2 over variable lengths (arXiv 2307.08691).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// Tokens that stand together in the row. With `prefix` >= 0 they follow the tokens of that earlier segment, which has
/// none itself.
struct Segment {
  int64_t num_tokens = 0;
  int64_t prefix = -1;
};

/// Immutable; its tensors live on the device given. Shape suffixes: N packed tokens, R rows of a block, Q and S the
/// longest query and key span in it.
class PackedSequences {
 public:
  /// Segments in packed order; PL_CHECK on a prefix that does not come before, has a prefix, or is empty.
  PackedSequences(const std::vector<Segment>& segments, torch::Device device);

  /// [1, N] int64, each token's position in its own sequence.
  const torch::Tensor& positions_1N() const { return positions_1N_; }

  /// softmax(q k^T / sqrt(K)) v of what each token may see: its own sequence up to itself, or with `window_tokens` > 0
  /// the last that many of it. q_1HNK, k_1HNK and v_1HNK (H = kv heads) in one dtype; returns [1, H, N, K].
  /// Differentiable, and deterministic but for FlashAttention's own sums.
  torch::Tensor attend(const torch::Tensor& q_1HNK, const torch::Tensor& k_1HNK, const torch::Tensor& v_1HNK,
                       int64_t window_tokens) const;

 private:
  /// Segments attended in one call of dense attention: all without a prefix, or all with one, padded to the longest.
  struct Block {
    torch::Tensor queries_RQ, keys_RS;       ///< packed index; padding repeats a token of the row
    torch::Tensor query_places, key_places;  ///< positions [R, 1, Q, 1] and [R, 1, 1, S]; padding keys lie beyond all
    std::optional<torch::Tensor> mask;       ///< [R, 1, Q, S]; none = causal
  };
  Block make_block(const std::vector<Segment>& segments, const std::vector<int64_t>& begins, bool with_prefix,
                   torch::Device device) const;
  void make_flash_plan(const std::vector<Segment>& segments, const std::vector<int64_t>& begins, torch::Device device);
  torch::Tensor attend_dense(const torch::Tensor& q_NHK, const torch::Tensor& k_NHK, const torch::Tensor& v_NHK,
                             int64_t window_tokens) const;
  torch::Tensor attend_flash(const torch::Tensor& q_NHK, const torch::Tensor& k_NHK, const torch::Tensor& v_NHK,
                             int64_t window_tokens) const;

  torch::Tensor positions_1N_;
  std::vector<Block> blocks_;
  torch::Tensor places_N_;  ///< where the packed token lies in the blocks' flattened queries
  torch::Tensor flash_keys_, query_ends_, key_ends_;
  int64_t max_queries_ = 0, max_keys_ = 0;
};

}  // namespace plumbline
