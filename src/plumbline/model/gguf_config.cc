#include "plumbline/model/gguf_config.h"

#include <cstring>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

[[noreturn]] void refuse(const GgufFile& file, const std::string& key, const std::string& why) {
  throw DataError("data.model_config", key + ": " + why, file.path(), "use a checkpoint that plumbline supports");
}

int64_t count(const GgufFile& file, const std::string& key) {
  const int64_t value = file.integer(key);
  if (value < 1 || value > (int64_t{1} << 31)) refuse(file, key, "must be a positive integer");
  return value;
}

RopeConfig read_rope(const GgufFile& file, const std::string& prefix, int64_t head_size) {
  RopeConfig rope;
  if (file.has(prefix + "rope.freq_base")) rope.theta = file.real(prefix + "rope.freq_base");
  const std::string kind =
      file.has(prefix + "rope.scaling.type") ? file.text(prefix + "rope.scaling.type") : std::string("none");
  if (kind == "linear") {
    rope.kind = kind;
    rope.factor = file.real(prefix + "rope.scaling.factor");
  } else if (kind != "none") {
    refuse(file, prefix + "rope.scaling.type", "'" + kind + "' is not supported (none and linear are)");
  }
  const RawTensor* divisors = file.find("rope_freqs.weight");
  if (!divisors) return rope;
  if (divisors->dtype != "F32" || divisors->shape != std::vector<int64_t>{head_size / 2} || rope.kind != "default") {
    refuse(file, "rope_freqs.weight", "must be one F32 number for each rotary pair, without other scaling");
  }
  rope.kind = "divisors";
  rope.divisors.resize(static_cast<size_t>(head_size / 2));
  std::memcpy(rope.divisors.data(), divisors->bytes.data(), divisors->bytes.size());
  return rope;
}

}  // namespace

DecoderConfig gguf_decoder_config(const GgufFile& file) {
  const std::string prefix = file.text("general.architecture") + ".";
  for (const char* key : {"expert_count", "attention.sliding_window", "logit_scale", "attention.scale"}) {
    if (file.has(prefix + key)) refuse(file, prefix + key, "is not supported");
  }
  const RawTensor* embedding = file.find("token_embd.weight");
  if (!embedding || embedding->shape.size() != 2) {
    throw DataError("data.model_weights", "token_embd.weight is missing", file.path(), "use a complete GGUF file");
  }
  DecoderConfig config;
  config.vocab_size = embedding->shape[0];
  config.width = count(file, prefix + "embedding_length");
  config.mlp_width = count(file, prefix + "feed_forward_length");
  config.num_layers = count(file, prefix + "block_count");
  config.num_heads = count(file, prefix + "attention.head_count");
  config.num_kv_heads =
      file.has(prefix + "attention.head_count_kv") ? count(file, prefix + "attention.head_count_kv") : config.num_heads;
  const std::string head_key = prefix + "attention.key_length";
  if (!file.has(head_key) && config.width % config.num_heads != 0) refuse(file, head_key, "is missing");
  config.head_size = file.has(head_key) ? count(file, head_key) : config.width / config.num_heads;
  for (const char* key : {"attention.value_length", "rope.dimension_count"}) {
    if (file.has(prefix + key) && count(file, prefix + key) != config.head_size) {
      refuse(file, prefix + key, "must be the head size");
    }
  }
  config.context_tokens = count(file, prefix + "context_length");
  config.rms_norm_eps = file.real(prefix + "attention.layer_norm_rms_epsilon");
  config.rope = read_rope(file, prefix, config.head_size);
  config.qkv_bias = file.find("blk.0.attn_q.bias") != nullptr;
  config.output_bias = file.find("blk.0.attn_output.bias") != nullptr;
  config.mlp_bias = file.find("blk.0.ffn_up.bias") != nullptr;
  config.tied_head = file.find("output.weight") == nullptr;
  return config;
}

}  // namespace plumbline
