#include "plumbline/model/decoder.h"

#include <algorithm>

#include "plumbline/base/check.h"
#include "plumbline/model/decode_attention.h"
#include "plumbline/model/rope.h"

namespace plumbline {
namespace {

/// What sums are kept in: float64 for float64, else float32.
torch::ScalarType wide_type(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
}

/// x / sqrt(mean x^2 + eps), rounded to the dtype of x, then scaled: the order in which transformers rounds.
torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight, double eps) {
  const torch::Tensor wide = x.to(wide_type(x.scalar_type()));
  const torch::Tensor normed = wide * at::rsqrt(wide.square().mean(-1, /*keepdim=*/true) + eps);
  return weight * normed.to(x.scalar_type());
}

/// What every layer of one forward pass shares.
struct AttentionPlan {
  const DecoderConfig& config;
  const ForwardBatch& batch;
  torch::Tensor cos, sin;             ///< [B, 1, T, K/2]
  torch::Tensor write_positions;      ///< [B, kv heads, T, K], where the cache is written
  std::optional<torch::Tensor> mask;  ///< [B, 1, T, span], true where a token may look; none = causal
  bool one_token_on_cpu = false;      ///< cached decode, which has its own kernel there
};

AttentionPlan plan_attention(const DecoderConfig& config, const ForwardBatch& batch,
                             const torch::Tensor& inverse_frequencies, torch::ScalarType dtype) {
  const int64_t num_rows = batch.ids_BT.size(0), num_tokens = batch.ids_BT.size(1);
  auto [cos, sin] = rope_tables(batch.positions_BT, inverse_frequencies, dtype);
  AttentionPlan plan{config, batch, std::move(cos), std::move(sin), {}, {}, false};
  if (!batch.cache) return plan;
  PL_CHECK(static_cast<int64_t>(batch.cache->size()) == config.num_layers, "a cache holds one entry a layer");
  const torch::Tensor positions = batch.positions_BT.view({num_rows, 1, num_tokens, 1});
  plan.write_positions = positions.expand({num_rows, config.num_kv_heads, num_tokens, config.head_size});
  if (batch.cache_tokens == num_tokens) return plan;
  plan.one_token_on_cpu = num_tokens == 1 && positions.device().is_cpu();
  if (plan.one_token_on_cpu) return plan;
  const torch::Tensor slots = at::arange(batch.cache_tokens, positions.options());
  plan.mask = slots.view({1, 1, 1, batch.cache_tokens}) <= positions;
  return plan;
}

/// [B, T, H*K] -> [B, H, T, K], with the norm of each head where the model has one.
torch::Tensor split_heads(const torch::Tensor& x_BTW, int64_t num_heads, const torch::Tensor& norm_K, double eps) {
  torch::Tensor heads = x_BTW.view({x_BTW.size(0), x_BTW.size(1), num_heads, -1});
  if (norm_K.defined()) heads = rms_norm(heads, norm_K, eps);
  return heads.transpose(1, 2);
}

/// softmax(q k^T) v of what each token may see: its own batch, or the cache, which holds k and v already.
torch::Tensor mix_values(const AttentionPlan& plan, int64_t index, const torch::Tensor& q_BHTK, torch::Tensor k_BHTK,
                         torch::Tensor v_BHTK) {
  if (plan.one_token_on_cpu) {
    const LayerCache& cache = (*plan.batch.cache)[static_cast<size_t>(index)];
    return decode_attention_cpu(q_BHTK.select(2, 0), cache.k_BHTK, cache.v_BHTK,
                                plan.batch.positions_BT.select(1, 0).contiguous())
        .unsqueeze(2);
  }
  if (plan.mask) {
    const LayerCache& cache = (*plan.batch.cache)[static_cast<size_t>(index)];
    k_BHTK = cache.k_BHTK.narrow(2, 0, plan.batch.cache_tokens);
    v_BHTK = cache.v_BHTK.narrow(2, 0, plan.batch.cache_tokens);
  }
  return at::scaled_dot_product_attention(
      q_BHTK, k_BHTK, v_BHTK, plan.mask, /*dropout_p=*/0.0, /*is_causal=*/!plan.mask,
      /*scale=*/std::nullopt, /*enable_gqa=*/plan.config.num_heads != plan.config.num_kv_heads);
}

torch::Tensor attention(const DecoderLayer& layer, const AttentionPlan& plan, int64_t index, const torch::Tensor& x) {
  const DecoderConfig& config = plan.config;
  const torch::Tensor normed = rms_norm(x, layer.input_norm_D, config.rms_norm_eps);
  torch::Tensor q_BHTK = split_heads(layer.q.forward(normed), config.num_heads, layer.q_norm_K, config.rms_norm_eps);
  torch::Tensor k_BHTK = split_heads(layer.k.forward(normed), config.num_kv_heads, layer.k_norm_K, config.rms_norm_eps);
  torch::Tensor v_BHTK = split_heads(layer.v.forward(normed), config.num_kv_heads, {}, config.rms_norm_eps);
  q_BHTK = apply_rope(q_BHTK, plan.cos, plan.sin);
  k_BHTK = apply_rope(k_BHTK, plan.cos, plan.sin);
  if (plan.batch.cache) {
    LayerCache& cache = (*plan.batch.cache)[static_cast<size_t>(index)];
    cache.k_BHTK.scatter_(2, plan.write_positions, k_BHTK);
    cache.v_BHTK.scatter_(2, plan.write_positions, v_BHTK);
  }
  return layer.o.forward(mix_values(plan, index, q_BHTK, k_BHTK, v_BHTK).transpose(1, 2).flatten(2));
}

torch::Tensor mlp(const DecoderLayer& layer, double eps, const torch::Tensor& x) {
  const torch::Tensor normed = rms_norm(x, layer.mlp_norm_D, eps);
  return layer.down.forward(at::silu(layer.gate.forward(normed)) * layer.up.forward(normed));
}

}  // namespace

torch::Tensor Linear::forward(const torch::Tensor& x) const {
  torch::Tensor y = at::linear(x, weight_OI, bias_O.defined() ? std::optional<torch::Tensor>(bias_O) : std::nullopt);
  if (!delta) return y;
  return y + delta->forward(x.reshape({-1, x.size(-1)})).view_as(y);
}

int64_t Linear::rank() const {
  return std::min(base_OI.size(0), base_OI.size(1));
}

Decoder::Decoder(DecoderConfig config, torch::Tensor embedding_VD, std::vector<DecoderLayer> layers,
                 torch::Tensor norm_D, torch::Tensor head_VD, std::string weight_hash)
    : config_(std::move(config)),
      embedding_VD_(std::move(embedding_VD)),
      layers_(std::move(layers)),
      norm_D_(std::move(norm_D)),
      head_VD_(std::move(head_VD)),
      weight_hash_(std::move(weight_hash)),
      inverse_frequencies_(
          rope_inverse_frequencies(config_.rope, config_.head_size, wide_type(embedding_VD_.scalar_type()))
              .to(embedding_VD_.device())) {
  PL_CHECK(static_cast<int64_t>(layers_.size()) == config_.num_layers, "number of layers");
  const auto fits = [&](const torch::Tensor& tensor) {
    return !tensor.defined() || (tensor.scalar_type() == dtype() && tensor.device() == device());
  };
  for (DecoderLayer& layer : layers_) {
    for (const torch::Tensor& norm : {layer.input_norm_D, layer.mlp_norm_D, layer.q_norm_K, layer.k_norm_K}) {
      PL_CHECK(fits(norm), "dtype and device of a norm");
    }
  }
  for (Linear* linear : linears()) {
    PL_CHECK(fits(linear->base_OI) && fits(linear->bias_O), "dtype and device of " + linear->name);
    if (!linear->weight_OI.defined()) linear->weight_OI = linear->base_OI;
  }
  PL_CHECK(fits(norm_D_) && fits(head_VD_), "dtype and device of the head");
}

torch::Tensor Decoder::hidden(const ForwardBatch& batch) const {
  const AttentionPlan plan = plan_attention(config_, batch, inverse_frequencies_, dtype());
  torch::Tensor x_BTD = at::embedding(embedding_VD_, batch.ids_BT);
  for (int64_t index = 0; index < config_.num_layers; ++index) {
    const DecoderLayer& layer = layers_[index];
    if (batch.observe) batch.observe(index, x_BTD);
    x_BTD = x_BTD + attention(layer, plan, index, x_BTD);
    x_BTD = x_BTD + mlp(layer, config_.rms_norm_eps, x_BTD);
  }
  if (batch.observe) batch.observe(config_.num_layers, x_BTD);
  return rms_norm(x_BTD, norm_D_, config_.rms_norm_eps);
}

torch::Tensor Decoder::logits(const torch::Tensor& hidden) const {
  const torch::ScalarType wide = wide_type(dtype());
  if (wide == dtype()) return at::linear(hidden, head_VD_);
  // Widened a slice of the vocabulary at a time: a float32 copy of the whole head would double its memory.
  constexpr int64_t kSliceTokens = 4096;
  const torch::Tensor wide_hidden = hidden.to(wide);
  std::vector<torch::Tensor> slices;
  for (int64_t begin = 0; begin < config_.vocab_size; begin += kSliceTokens) {
    const int64_t count = std::min(kSliceTokens, config_.vocab_size - begin);
    slices.push_back(at::linear(wide_hidden, head_VD_.narrow(0, begin, count).to(wide)));
  }
  return at::cat(slices, -1);
}

std::vector<Linear*> Decoder::linears() {
  std::vector<Linear*> all;
  for (DecoderLayer& layer : layers_) {
    for (Linear* linear : {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      all.push_back(linear);
    }
  }
  return all;
}

}  // namespace plumbline
