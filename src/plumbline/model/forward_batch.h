/// What one forward pass sees.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plumbline/model/packed_sequences.h"

namespace plumbline {

/// Keys and values of one layer, allocated for the longest sequence. Written in place by decode; never under autograd.
struct LayerCache {
  torch::Tensor k_BHTK, v_BHTK;  ///< H = kv heads
};

/// Rows are right-padded; padding never influences a real position.
struct ForwardBatch {
  torch::Tensor ids_BT;        ///< int64
  torch::Tensor positions_BT;  ///< int64, the position of each token in its own row
  /// Set: ids_BT is one row of N packed tokens, positions_BT is its positions_1N, and there is no cache (training).
  std::shared_ptr<const PackedSequences> packed;
  /// Null: causal self-attention over the batch itself (training, prefill without a cache).
  /// Else: keys and values are written at `positions_BT`, and each token attends to cache positions <= its own.
  std::vector<LayerCache>* cache = nullptr;
  /// Attention span of the cache to look at (>= every position + 1); ignored without a cache. A span equal to T says
  /// that the positions are 0 .. T-1, a prefill, and is computed exactly as without a cache.
  int64_t cache_tokens = 0;
  /// Called with the residual stream entering layer l (l = 0 .. L-1) and, with l = L, after the last layer, before the
  /// final norm. Optional.
  std::function<void(int64_t, const torch::Tensor&)> observe;
  /// Called with the router's logits [B*T, E] of every layer that has experts. Optional.
  std::function<void(int64_t, const torch::Tensor&)> observe_router;
};

}  // namespace plumbline
