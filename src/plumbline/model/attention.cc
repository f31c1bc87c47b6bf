#include "plumbline/model/attention.h"

#include "plumbline/base/check.h"
#include "plumbline/model/decode_attention.h"
#include "plumbline/model/rms_norm.h"
#include "plumbline/model/rope.h"

namespace plumbline {
namespace {

using torch::Tensor;

bool has_windows(const DecoderConfig& config) {
  for (const LayerKind& kind : config.layer_kinds) {
    if (kind.windowed) return true;
  }
  return false;
}

/// True where the token at `queries` may look at `keys` within the window, the token itself counted.
Tensor window_of(const Tensor& keys, const Tensor& queries, int64_t window_tokens) {
  return (keys <= queries) & (keys > queries - window_tokens);
}

/// Masks of a pass over the batch itself: causal, which needs none, and the window where rows are longer.
void plan_batch_masks(AttentionPlan& plan) {
  const int64_t num_tokens = plan.batch.ids_BT.size(1), window = plan.config.window_tokens;
  if (!has_windows(plan.config) || num_tokens <= window) return;
  const Tensor places = at::arange(num_tokens, plan.batch.ids_BT.options());
  plan.window_mask = window_of(places.view({1, 1, 1, num_tokens}), places.view({1, 1, num_tokens, 1}), window);
}

void plan_cache_masks(AttentionPlan& plan, const Tensor& positions_B1T1) {
  const int64_t span = plan.batch.cache_tokens, window = plan.config.window_tokens;
  const Tensor slots = at::arange(span, positions_B1T1.options()).view({1, 1, 1, span});
  plan.mask = slots <= positions_B1T1;
  if (!has_windows(plan.config)) return;
  plan.window_mask = span <= window ? *plan.mask : window_of(slots, positions_B1T1, window);
}

/// [B, T, H*K] -> [B, H, T, K], normed and clipped where the model does.
Tensor split_heads(const DecoderConfig& config, const Tensor& x_BTW, int64_t num_heads, const Tensor& norm) {
  Tensor x = x_BTW;
  if (norm.defined() && config.qk_norm == QkNorm::kWhole) x = rms_norm(x, norm, config.rms_norm_eps);
  if (config.clip_qkv > 0) x = x.clamp(-config.clip_qkv, config.clip_qkv);
  Tensor heads = x.view({x.size(0), x.size(1), num_heads, -1});
  if (norm.defined() && config.qk_norm == QkNorm::kHead) heads = rms_norm(heads, norm, config.rms_norm_eps);
  return heads.transpose(1, 2);
}

/// softmax(q k^T) v of what each token may see: its own batch, or the cache, which holds k and v already.
Tensor mix_values(const AttentionPlan& plan, int64_t index, const Tensor& q_BHTK, Tensor k_BHTK, Tensor v_BHTK) {
  const bool windowed = plan.config.kind(index).windowed;
  if (plan.batch.packed) {
    return plan.batch.packed->attend(q_BHTK, k_BHTK, v_BHTK, windowed ? plan.config.window_tokens : 0);
  }
  if (plan.reads_cache) {
    const LayerCache& cache = (*plan.batch.cache)[static_cast<size_t>(index)];
    if (plan.one_token_on_cpu) {
      return decode_attention_cpu(q_BHTK.select(2, 0), cache.k_BHTK, cache.v_BHTK, plan.positions_B,
                                  windowed ? plan.config.window_tokens : 0)
          .unsqueeze(2);
    }
    k_BHTK = cache.k_BHTK.narrow(2, 0, plan.batch.cache_tokens);
    v_BHTK = cache.v_BHTK.narrow(2, 0, plan.batch.cache_tokens);
  }
  const std::optional<Tensor>& mask = windowed ? plan.window_mask : plan.mask;
  return at::scaled_dot_product_attention(q_BHTK, k_BHTK, v_BHTK, mask, /*dropout_p=*/0.0, /*is_causal=*/!mask,
                                          /*scale=*/std::nullopt,
                                          /*enable_gqa=*/plan.config.num_heads != plan.config.num_kv_heads);
}

}  // namespace

AttentionPlan plan_attention(const DecoderConfig& config, const ForwardBatch& batch, const Tensor& inverse_frequencies,
                             torch::ScalarType dtype) {
  const int64_t num_rows = batch.ids_BT.size(0), num_tokens = batch.ids_BT.size(1);
  auto [cos, sin] = rope_tables(batch.positions_BT, inverse_frequencies, config.rope.attention_factor, dtype);
  AttentionPlan plan{config, batch, std::move(cos), std::move(sin), {}, {}, {}};
  PL_CHECK(!batch.packed || (!batch.cache && num_rows == 1), "packed sequences are one row, without a cache");
  if (batch.packed) return plan;
  plan.reads_cache = batch.cache && batch.cache_tokens != num_tokens;
  if (!plan.reads_cache) plan_batch_masks(plan);
  if (!batch.cache) return plan;
  PL_CHECK(static_cast<int64_t>(batch.cache->size()) == config.num_layers, "a cache holds one entry a layer");
  const Tensor positions = batch.positions_BT.view({num_rows, 1, num_tokens, 1});
  plan.write_positions = positions.expand({num_rows, config.num_kv_heads, num_tokens, config.head_size});
  plan.one_token_on_cpu = plan.reads_cache && num_tokens == 1 && positions.device().is_cpu();
  if (plan.one_token_on_cpu) plan.positions_B = batch.positions_BT.select(1, 0).contiguous();
  if (plan.reads_cache && !plan.one_token_on_cpu) plan_cache_masks(plan, positions);
  return plan;
}

Tensor attention(const DecoderLayer& layer, const AttentionPlan& plan, int64_t index, const Tensor& x_BTD) {
  const DecoderConfig& config = plan.config;
  const Tensor normed = rms_norm(x_BTD, layer.input_norm_D, config.rms_norm_eps);
  Tensor q_BHTK = split_heads(config, layer.q.forward(normed), config.num_heads, layer.q_norm);
  Tensor k_BHTK = split_heads(config, layer.k.forward(normed), config.num_kv_heads, layer.k_norm);
  const Tensor v_BHTK = split_heads(config, layer.v.forward(normed), config.num_kv_heads, {});
  if (config.kind(index).rotary) {
    q_BHTK = apply_rope(q_BHTK, plan.cos, plan.sin);
    k_BHTK = apply_rope(k_BHTK, plan.cos, plan.sin);
  }
  if (plan.batch.cache) {
    LayerCache& cache = (*plan.batch.cache)[static_cast<size_t>(index)];
    if (plan.one_token_on_cpu) {
      write_token_cpu(cache.k_BHTK, k_BHTK.select(2, 0), plan.positions_B);
      write_token_cpu(cache.v_BHTK, v_BHTK.select(2, 0), plan.positions_B);
    } else {
      cache.k_BHTK.scatter_(2, plan.write_positions, k_BHTK);
      cache.v_BHTK.scatter_(2, plan.write_positions, v_BHTK);
    }
  }
  return layer.o.forward(mix_values(plan, index, q_BHTK, k_BHTK, v_BHTK).transpose(1, 2).flatten(2));
}

}  // namespace plumbline
