/// A random two-layer Qwen3-like decoder of a few thousand weights, for tests that need a model and no file.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/model/decoder.h"

namespace plumbline::test {

/// The same `seed` gives the same weights, rounded to `dtype`.
inline std::unique_ptr<Decoder> tiny_decoder(torch::ScalarType dtype, uint64_t seed = 1) {
  torch::manual_seed(seed);
  DecoderConfig config;
  config.family = "qwen3";
  config.vocab_size = 29, config.width = 16, config.mlp_width = 24, config.num_layers = 2;
  config.num_heads = 4, config.num_kv_heads = 2, config.head_size = 8, config.context_tokens = 64;
  config.qk_norm = QkNorm::kHead, config.tied_head = true;
  const auto weight = [&](std::vector<int64_t> shape, double scale) {
    return (scale * torch::randn(shape, torch::kFloat64)).to(dtype);
  };
  const auto norm = [&](int64_t size) { return (1 + 0.1 * torch::randn({size}, torch::kFloat64)).to(dtype); };
  std::vector<DecoderLayer> layers;
  for (int64_t index = 0; index < config.num_layers; ++index) {
    const std::string prefix = "model.layers." + std::to_string(index) + ".";
    const auto linear = [&](const std::string& name, int64_t outputs, int64_t inputs) {
      Linear made;
      made.name = prefix + name;
      made.base_OI = made.weight_OI = weight({outputs, inputs}, 0.3);
      return made;
    };
    DecoderLayer layer;
    layer.input_norm_D = norm(config.width), layer.mlp_norm_D = norm(config.width);
    layer.q_norm = norm(config.head_size), layer.k_norm = norm(config.head_size);
    layer.q = linear("self_attn.q_proj", 32, 16);
    layer.k = linear("self_attn.k_proj", 16, 16);
    layer.v = linear("self_attn.v_proj", 16, 16);
    layer.o = linear("self_attn.o_proj", 16, 32);
    layer.mlp().gate = linear("mlp.gate_proj", 24, 16);
    layer.mlp().up = linear("mlp.up_proj", 24, 16);
    layer.mlp().down = linear("mlp.down_proj", 16, 24);
    layers.push_back(std::move(layer));
  }
  const torch::Tensor embedding_VD = weight({config.vocab_size, config.width}, 1.0);
  return std::make_unique<Decoder>(config, embedding_VD, std::move(layers), norm(config.width), embedding_VD,
                                   "tiny-" + std::to_string(seed));
}

/// Fixed token ids [B, T] for it.
inline torch::Tensor tiny_ids(int64_t num_rows, int64_t num_tokens) {
  return (torch::arange(num_rows * num_tokens, torch::kInt64) * 7 % 29).view({num_rows, num_tokens});
}

inline torch::Tensor tiny_hidden(const Decoder& decoder, const torch::Tensor& ids_BT) {
  ForwardBatch batch;
  batch.ids_BT = ids_BT;
  batch.positions_BT = torch::arange(ids_BT.size(1), torch::kInt64).expand_as(ids_BT);
  return decoder.hidden(batch);
}

inline torch::Tensor tiny_logits(const Decoder& decoder, const torch::Tensor& ids_BT) {
  return decoder.logits(tiny_hidden(decoder, ids_BT));
}

}  // namespace plumbline::test
