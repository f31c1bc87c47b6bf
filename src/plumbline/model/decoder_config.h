/// What a checkpoint's configuration says about a decoder, whatever file it came from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// Rotary position scaling. `kind`: "default", "linear", "llama3", "yarn", or "divisors" (GGUF stores llama3's outcome
/// so). rope.h computes it.
struct RopeConfig {
  std::string kind = "default";
  double theta = 10000;
  double factor = 1;                                 ///< linear, llama3, yarn
  double low_freq_factor = 1, high_freq_factor = 4;  ///< llama3
  int64_t original_context = 0;                      ///< llama3, yarn
  double beta_fast = 32, beta_slow = 1;              ///< yarn: rotations over original_context between which it blends
  bool truncate = true;                              ///< yarn: the ends of that range are whole dimensions
  double attention_factor = 1;                       ///< yarn: cosines and sines are multiplied by it
  std::vector<float> divisors;                       ///< divisors: K/2 numbers that the frequencies are divided by
};

/// RMSNorm on q and k: none, on each head (Qwen3), on the whole projection (OLMoE).
enum class QkNorm { kNone, kHead, kWhole };

/// How one layer departs from a plain one.
struct LayerKind {
  bool rotary = true;     ///< false: q and k are not rotated (SmolLM3)
  bool windowed = false;  ///< attention reaches `window_tokens` back, the token itself counted
  bool experts = false;   ///< a mixture of experts in place of the MLP
};

struct DecoderConfig {
  std::string family;  ///< "llama", "qwen3_moe", ...: model_type of config.json
  int64_t vocab_size = 0, width = 0, mlp_width = 0, num_layers = 0, num_heads = 0, num_kv_heads = 0, head_size = 0;
  int64_t context_tokens = 0;
  double rms_norm_eps = 1e-6;
  RopeConfig rope;
  bool qkv_bias = false, output_bias = false, mlp_bias = false;
  QkNorm qk_norm = QkNorm::kNone;
  double clip_qkv = 0;        ///< q (after its norm), k and v are clamped to [-clip_qkv, clip_qkv]; 0 = not
  int64_t window_tokens = 0;  ///< of the layers that are windowed
  int64_t num_experts = 0, experts_per_token = 0, expert_width = 0;
  bool renormalise_experts = false;  ///< the chosen experts' probabilities are divided by their sum
  bool tied_head = false;
  std::vector<LayerKind> layer_kinds;  ///< one a layer; empty: all plain

  LayerKind kind(int64_t layer) const {
    return layer_kinds.empty() ? LayerKind{} : layer_kinds[static_cast<size_t>(layer)];
  }
  bool has_experts() const {
    for (const LayerKind& layer : layer_kinds) {
      if (layer.experts) return true;
    }
    return false;
  }
};

}  // namespace plumbline
