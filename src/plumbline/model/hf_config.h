/// Fields of an HF config.json, in the spelling of transformers 5 (rope_parameters, dtype) and the one of most
/// published checkpoints (rope_theta, rope_scaling, torch_dtype).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/model/decoder_config.h"
#include "plumbline/model/registry.h"

namespace plumbline {

/// Immutable. Every look-up throws DataError(data.model_config) naming the field when it is missing, of another type or
/// without a meaning; null counts as absent but for window_or.
class HfConfig {
 public:
  explicit HfConfig(const std::string& path);

  /// A positive integer.
  int64_t count(const std::string& field) const;
  int64_t count_or(const std::string& field, int64_t fallback) const;
  /// A finite number.
  double real(const std::string& field) const;
  double real_or(const std::string& field, double fallback) const;
  bool flag_or(const std::string& field, bool fallback) const;
  std::string text_or(const std::string& field, const std::string& fallback) const;
  std::vector<int64_t> integers_or(const std::string& field, const std::vector<int64_t>& fallback) const;
  bool has(const std::string& field) const;

  /// The whole configuration: the fields that every family has, then what `family` makes of its own. A field that would
  /// change the result and that neither reads is refused by name.
  DecoderConfig decoder_config(const ModelFamily& family) const;

  /// For families. sliding_window: a count; 0, off, when it is null; `fallback` when the file has no such field.
  int64_t window_or(int64_t fallback) const;
  /// layer_types as "has a window", one a layer; nothing when the field is absent. Refuses any other kind of layer.
  std::optional<std::vector<bool>> windowed_layers(int64_t num_layers) const;
  /// Gives the layers that `wanted` names a window of that many tokens; none when it is 0.
  void use_window(DecoderConfig& config, int64_t window_tokens, const std::function<bool(int64_t)>& wanted) const;
  /// use_sliding_window, layer_types, max_window_layers, as Qwen2 and Qwen3 spell them.
  void use_qwen_windows(DecoderConfig& config) const;
  /// num_experts or num_local_experts, num_experts_per_tok, norm_topk_prob, in the layers that `wanted` names.
  void use_experts(DecoderConfig& config, int64_t expert_width, const std::function<bool(int64_t)>& wanted) const;

  /// Throws DataError(data.model_config) about `field`.
  [[noreturn]] void refuse(const std::string& field, const std::string& why) const;

 private:
  const Json* find(const std::string& field) const;
  void refuse_unread_fields(const ModelFamily& family) const;
  void check_token_ids(int64_t vocab_size) const;
  RopeConfig rope(double default_theta, int64_t context_tokens) const;

  std::string path_;
  std::shared_ptr<const Json> json_;
};

/// Checks that the numbers of a configuration can belong to a decoder; DataError(data.model_config) naming the field.
void check_decoder_config(const DecoderConfig& config, const std::string& path);

}  // namespace plumbline
