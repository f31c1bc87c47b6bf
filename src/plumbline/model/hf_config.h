/// Fields of an HF config.json, in the spelling of transformers 5 (rope_parameters, dtype) and the one of most
/// published checkpoints (rope_theta, rope_scaling, torch_dtype).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "plumbline/base/json.h"
#include "plumbline/model/decoder.h"

namespace plumbline {

/// Immutable. Every look-up throws DataError(data.model_config) naming the field when it is missing or of another type;
/// null counts as absent.
class HfConfig {
 public:
  explicit HfConfig(const std::string& path);

  /// A positive integer.
  int64_t count(const std::string& field) const;
  int64_t count_or(const std::string& field, int64_t fallback) const;
  double real_or(const std::string& field, double fallback) const;
  bool flag_or(const std::string& field, bool fallback) const;
  std::string text_or(const std::string& field, const std::string& fallback) const;
  bool has(const std::string& field) const;

  /// The fields that every family has, rotary scaling included; unsupported ones are refused.
  DecoderConfig decoder_config() const;
  /// Refuses a sliding window that some layer would use (Qwen2 and Qwen3 spell it alike).
  void refuse_sliding_window(int64_t num_layers) const;
  /// Throws DataError(data.model_config) about `field`.
  [[noreturn]] void refuse(const std::string& field, const std::string& why) const;

 private:
  const Json* find(const std::string& field) const;
  RopeConfig rope() const;

  std::string path_;
  std::shared_ptr<const Json> json_;
};

/// Checks that the numbers of a configuration can belong to a decoder; DataError(data.model_config) naming the field.
void check_decoder_config(const DecoderConfig& config, const std::string& path);

}  // namespace plumbline
