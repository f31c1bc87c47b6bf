#include "plumbline/model/gguf_config.h"

#include <fmt/format.h>

#include <cstring>

#include "plumbline/base/error.h"
#include "plumbline/model/hf_config.h"

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

std::string prefix_of(const GgufFile& file) {
  return file.text("general.architecture") + ".";
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
  for (const float divisor : rope.divisors) {
    if (!(divisor > 0)) refuse(file, "rope_freqs.weight", "holds something that is not positive");
  }
  return rope;
}

void check_token_ids(const GgufFile& file, int64_t vocab_size) {
  for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id"}) {
    if (!file.has(key)) continue;
    const int64_t id = file.integer(key);
    if (id < 0 || id >= vocab_size) refuse(file, key, fmt::format("{} is not of the vocabulary", id));
  }
}

}  // namespace

DecoderConfig gguf_decoder_config(const GgufFile& file, const ModelFamily& family) {
  const std::string prefix = prefix_of(file);
  for (const char* key : {"attention.sliding_window", "logit_scale", "attention.scale", "attn_logit_softcapping",
                          "final_logit_softcapping", "embedding_scale", "residual_scale", "expert_shared_count",
                          "expert_weights_scale"}) {
    if (file.has(prefix + key)) refuse(file, prefix + key, "is not supported");
  }
  const RawTensor* embedding = file.find("token_embd.weight");
  if (!embedding || embedding->shape.size() != 2) {
    throw DataError("data.model_weights", "token_embd.weight is missing", file.path(), "use a complete GGUF file");
  }
  DecoderConfig config;
  config.family = family.name;
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
  check_token_ids(file, config.vocab_size);
  check_decoder_config(config, file.path());
  family.adapt_gguf(file, config);
  if (config.num_experts == 0 && file.has(prefix + "expert_count") && file.integer(prefix + "expert_count") != 0) {
    refuse(file, prefix + "expert_count", "is not supported for " + config.family);
  }
  check_decoder_config(config, file.path());
  return config;
}

void gguf_use_experts(const GgufFile& file, DecoderConfig& config, bool renormalise_by_default) {
  const std::string prefix = prefix_of(file);
  config.num_experts = count(file, prefix + "expert_count");
  config.experts_per_token = count(file, prefix + "expert_used_count");
  // An older converter of OLMoE wrote the width of its experts as the only one there is.
  const std::string width_key = prefix + "expert_feed_forward_length";
  config.expert_width = file.has(width_key) ? count(file, width_key) : config.mlp_width;
  config.renormalise_experts =
      file.has(prefix + "expert_weights_norm") ? file.boolean(prefix + "expert_weights_norm") : renormalise_by_default;
  const std::string gating = prefix + "expert_gating_func";
  if (file.has(gating) && file.integer(gating) != 1) refuse(file, gating, "only softmax (1) is supported");
  config.layer_kinds.resize(static_cast<size_t>(config.num_layers));
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    config.layer_kinds[static_cast<size_t>(layer)].experts =
        file.find(fmt::format("blk.{}.ffn_gate_inp.weight", layer)) != nullptr;
  }
}

}  // namespace plumbline
