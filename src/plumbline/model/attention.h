/// Grouped-query attention (arXiv 2305.13245) with rotary positions, over the batch itself or over a cache, with a
/// sliding window (Mistral, arXiv 2310.06825) where a layer has one.
#pragma once

#include <torch/types.h>

#include <optional>

#include "plumbline/model/decoder_config.h"
#include "plumbline/model/decoder_layer.h"
#include "plumbline/model/forward_batch.h"

namespace plumbline {

/// What every layer of one forward pass shares.
struct AttentionPlan {
  const DecoderConfig& config;
  const ForwardBatch& batch;
  torch::Tensor cos, sin;                    ///< [B, 1, T, K/2]
  torch::Tensor write_positions;             ///< [B, kv heads, T, K], where the cache is written
  std::optional<torch::Tensor> mask;         ///< [B, 1, T, span], true where a token may look; none = causal
  std::optional<torch::Tensor> window_mask;  ///< the same for windowed layers, [1, 1, T, T] without a cache
  bool reads_cache = false;                  ///< keys and values come from the cache, not from the batch
  bool one_token_on_cpu = false;             ///< cached decode, which has its own kernels there
  torch::Tensor positions_B;                 ///< with them: of each row's token
};

AttentionPlan plan_attention(const DecoderConfig& config, const ForwardBatch& batch,
                             const torch::Tensor& inverse_frequencies, torch::ScalarType dtype);

/// What layer `index` adds to the residual stream x_BTD: its norm, q, k and v, attention, output projection. Writes the
/// batch's cache when there is one. Differentiable without a cache.
torch::Tensor attention(const DecoderLayer& layer, const AttentionPlan& plan, int64_t index,
                        const torch::Tensor& x_BTD);

}  // namespace plumbline
