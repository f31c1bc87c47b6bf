/// One decoder for the Llama, Qwen2 and Qwen3 families: pre-norm RMSNorm, grouped-query attention with rotary
/// positions, SwiGLU, optional attention bias, optional q/k head norms, tied or untied head. Source: Llama (arXiv
/// 2302.13971), RoPE (2104.09864), GQA (2305.13245), Qwen3 (2505.09388); numerics follow transformers 5 (norms and
/// rotary tables in float32, cast back to the weights' dtype).
///
/// Shape suffixes: B batch, T time, D width, V vocabulary, H heads, K head size, O/I a linear's outputs and inputs.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/files/model_path.h"

namespace plumbline {

/// Rotary position scaling. `kind`: "default", "linear", "llama3", or "divisors" (GGUF stores llama3's outcome so).
struct RopeConfig {
  std::string kind = "default";
  double theta = 10000;
  double factor = 1;                                 ///< linear, llama3
  double low_freq_factor = 1, high_freq_factor = 4;  ///< llama3
  int64_t original_context = 0;                      ///< llama3
  std::vector<float> divisors;                       ///< divisors: K/2 numbers that the frequencies are divided by
};

struct DecoderConfig {
  std::string family;  ///< "llama", "qwen2", "qwen3"
  int64_t vocab_size = 0, width = 0, mlp_width = 0, num_layers = 0, num_heads = 0, num_kv_heads = 0, head_size = 0;
  int64_t context_tokens = 0;
  double rms_norm_eps = 1e-6;
  RopeConfig rope;
  bool qkv_bias = false, output_bias = false, mlp_bias = false;
  bool head_norms = false;  ///< RMSNorm on each head of q and k (Qwen3)
  bool tied_head = false;
};

/// What an unmerged adapter adds to a linear's output. Implementations are owned by the adapter.
class LinearDelta {
 public:
  virtual ~LinearDelta() = default;
  /// x_NI -> [N, O] to be added; same dtype as x.
  virtual torch::Tensor forward(const torch::Tensor& x_NI) const = 0;
};

/// One linear of the decoder. `base_OI` is what was loaded and is never written. `weight_OI` is what forward multiplies
/// by: the same tensor as base_OI until an adapter puts merged weights there. `delta` (borrowed, may be null) serves
/// the unmerged path. A zero adapter leaves weight_OI bit-equal to base_OI.
struct Linear {
  std::string name;  ///< "model.layers.0.self_attn.q_proj"
  torch::Tensor base_OI, bias_O, weight_OI;
  const LinearDelta* delta = nullptr;

  torch::Tensor forward(const torch::Tensor& x) const;
  /// min(O, I): the length of an SVD adapter's vector.
  int64_t rank() const;
};

struct DecoderLayer {
  torch::Tensor input_norm_D, mlp_norm_D, q_norm_K, k_norm_K;  ///< the last two undefined without head norms
  Linear q, k, v, o, gate, up, down;
};

/// Keys and values of one layer, allocated for the longest sequence. Written in place by decode; never under autograd.
struct LayerCache {
  torch::Tensor k_BHTK, v_BHTK;  ///< H = kv heads
};

/// The batch a forward pass sees. Rows are right-padded; padding never influences a real position.
struct ForwardBatch {
  torch::Tensor ids_BT;        ///< int64
  torch::Tensor positions_BT;  ///< int64, the position of each token in its own row
  /// Null: causal self-attention over the batch itself (training, prefill without a cache).
  /// Else: keys and values are written at `positions_BT`, and each token attends to cache positions <= its own.
  std::vector<LayerCache>* cache = nullptr;
  /// Attention span of the cache to look at (>= every position + 1); ignored without a cache. A span equal to T says
  /// that the positions are 0 .. T-1, a prefill, and is computed exactly as without a cache.
  int64_t cache_tokens = 0;
  /// Called with the residual stream entering layer l (l = 0 .. L-1) and, with l = L, after the last layer, before the
  /// final norm. Optional.
  std::function<void(int64_t, const torch::Tensor&)> observe;
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
  /// weights' dtype. For tests, inspection and the last position in decode; training uses token_logprobs, which never
  /// holds [B, T, V].
  torch::Tensor logits(const torch::Tensor& hidden) const;

  const DecoderConfig& config() const { return config_; }
  const torch::Tensor& embedding_VD() const { return embedding_VD_; }
  const torch::Tensor& head_VD() const { return head_VD_; }  ///< the embedding itself when tied
  const torch::Tensor& norm_D() const { return norm_D_; }
  std::vector<DecoderLayer>& layers() { return layers_; }
  const std::vector<DecoderLayer>& layers() const { return layers_; }
  /// Every linear of every layer in the order q, k, v, o, gate, up, down.
  std::vector<Linear*> linears();
  torch::Device device() const { return embedding_VD_.device(); }
  torch::ScalarType dtype() const { return embedding_VD_.scalar_type(); }
  /// SHA-256 over the sorted (name, dtype, shape, bytes) of the weights as loaded, before casting.
  const std::string& weight_hash() const { return weight_hash_; }

 private:
  DecoderConfig config_;
  torch::Tensor embedding_VD_;
  std::vector<DecoderLayer> layers_;
  torch::Tensor norm_D_, head_VD_;
  std::string weight_hash_;
  torch::Tensor inverse_frequencies_;  ///< [K/2] float32
};

/// Loads an HF folder (config.json, model*.safetensors, sharded or not) or a GGUF file; casts to `dtype` on `device`.
/// `path` is resolved by files/model_path.h: it may be the name of a model in the cache folder.
/// Throws DataError: data.missing_file, data.model_config (an unsupported field, by name), data.model_weights (missing,
/// unexpected or misshaped tensor, by name), and what the containers throw.
std::unique_ptr<Decoder> load_decoder(const std::string& path, torch::ScalarType dtype, torch::Device device);

}  // namespace plumbline
