/// One decoder for every family (registry.h): pre-norm RMSNorm, grouped-query attention with rotary positions, SwiGLU
/// or a mixture of experts, tied or untied head. Source: Llama (arXiv 2302.13971), RoPE (2104.09864), GQA (2305.13245),
/// Qwen3 (2505.09388), OLMoE (2409.02060); numerics follow transformers 5 (norms and rotary tables in float32, cast
/// back to the weights' dtype).
///
/// Shape suffixes: B batch, T time, D width, V vocabulary, H heads, K head size, E experts, O/I a linear's outputs and
/// inputs.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/files/model_path.h"
#include "plumbline/model/decoder_config.h"
#include "plumbline/model/decoder_layer.h"
#include "plumbline/model/forward_batch.h"

namespace plumbline {

/// A change of the residual stream between two layers.
struct ResidualEdit {
  int64_t layer = 0;                                        ///< after so many layers, 1 to the number of them
  std::function<torch::Tensor(const torch::Tensor&)> edit;  ///< [B, T, D] -> [B, T, D], each token on its own
};

/// Owns the weights. Not thread-safe while weights change; forward itself is re-entrant.
class Decoder {
 public:
  /// All weights share one dtype and device (PL_CHECK); `head_VD` is the embedding itself when tied.
  Decoder(DecoderConfig config, torch::Tensor embedding_VD, std::vector<DecoderLayer> layers, torch::Tensor norm_D,
          torch::Tensor head_VD, std::string weight_hash);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Final-normed hidden states_BTD, dtype of the weights.
  torch::Tensor hidden(const ForwardBatch& batch) const;
  /// [..., D] -> [..., V] in float32 (float64 for a float64 model), summed and left unrounded in that type whatever the
  /// weights' dtype: head_logits of token_logprob.h. For tests, inspection and the last position in decode; training
  /// uses token_logprobs, which never holds [B, T, V].
  torch::Tensor logits(const torch::Tensor& hidden) const;

  /// Puts an edit into every forward pass until it is set again; none takes it out.
  void set_residual_edit(std::optional<ResidualEdit> edit);

  const DecoderConfig& config() const { return config_; }
  const torch::Tensor& embedding_VD() const { return embedding_VD_; }
  const torch::Tensor& head_VD() const { return head_VD_; }  ///< the embedding itself when tied
  const torch::Tensor& norm_D() const { return norm_D_; }
  std::vector<DecoderLayer>& layers() { return layers_; }
  const std::vector<DecoderLayer>& layers() const { return layers_; }
  /// Every linear of every layer, in the order of DecoderLayer::linears().
  std::vector<Linear*> linears();
  torch::Device device() const { return embedding_VD_.device(); }
  torch::ScalarType dtype() const { return embedding_VD_.scalar_type(); }
  /// SHA-256 over the sorted (name, dtype, shape, bytes) of the weights as loaded, before casting.
  const std::string& weight_hash() const { return weight_hash_; }

 private:
  torch::Tensor feed_forward(int64_t index, const ForwardBatch& batch, const torch::Tensor& x_BTD) const;

  DecoderConfig config_;
  torch::Tensor embedding_VD_;
  std::vector<DecoderLayer> layers_;
  torch::Tensor norm_D_, head_VD_;
  std::string weight_hash_;
  torch::Tensor inverse_frequencies_;  ///< [K/2] float32
  std::optional<ResidualEdit> residual_edit_;
};

/// Loads an HF folder (config.json, model*.safetensors, sharded or not) or a GGUF file; casts to `dtype` on `device`.
/// `path` is resolved by files/model_path.h: it may be the name of a model in the cache folder. Weights are mapped, and
/// their pages dropped once read: the peak is the decoder and its largest tensor.
/// Throws what Checkpoint::open throws.
std::unique_ptr<Decoder> load_decoder(const std::string& path, torch::ScalarType dtype, torch::Device device);

}  // namespace plumbline
