#include "plumbline/model/hf_config.h"

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace {

constexpr int64_t kMaxCount = int64_t{1} << 31;  // no dimension of a decoder comes near

[[noreturn]] void fail(const std::string& path, const std::string& field, const std::string& why) {
  throw DataError("data.model_config", field + ": " + why, path, "use a checkpoint that plumbline supports");
}

/// A number inside the object that describes rotary scaling.
double rope_number(const Json& rope, const char* field, std::optional<double> fallback, const std::string& path) {
  const auto found = rope.find(field);
  if (found != rope.end() && found->is_number()) return found->get<double>();
  if (found == rope.end() && fallback) return *fallback;
  fail(path, std::string("rope scaling, ") + field, "must be a number");
}

}  // namespace

HfConfig::HfConfig(const std::string& path)
    : path_(path), json_(std::make_shared<const Json>(parse_json(read_file(path), path))) {
  if (!json_->is_object()) throw DataError("data.model_config", "not a JSON object", path, "check the file");
}

const Json* HfConfig::find(const std::string& field) const {
  const auto found = json_->find(field);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

bool HfConfig::has(const std::string& field) const {
  return find(field) != nullptr;
}
void HfConfig::refuse(const std::string& field, const std::string& why) const {
  fail(path_, field, why);
}

int64_t HfConfig::count(const std::string& field) const {
  const Json* value = find(field);
  if (!value) refuse(field, "is missing");
  if (!value->is_number_integer() || *value < 1 || *value > kMaxCount) refuse(field, "must be a positive integer");
  return value->get<int64_t>();
}

int64_t HfConfig::count_or(const std::string& field, int64_t fallback) const {
  return has(field) ? count(field) : fallback;
}

double HfConfig::real_or(const std::string& field, double fallback) const {
  const Json* value = find(field);
  if (value && !value->is_number()) refuse(field, "must be a number");
  return value ? value->get<double>() : fallback;
}

bool HfConfig::flag_or(const std::string& field, bool fallback) const {
  const Json* value = find(field);
  if (value && !value->is_boolean()) refuse(field, "must be true or false");
  return value ? value->get<bool>() : fallback;
}

std::string HfConfig::text_or(const std::string& field, const std::string& fallback) const {
  const Json* value = find(field);
  if (value && !value->is_string()) refuse(field, "must be text");
  return value ? value->get<std::string>() : fallback;
}

RopeConfig HfConfig::rope() const {
  RopeConfig rope;
  rope.theta = real_or("rope_theta", rope.theta);
  const bool is_new = has("rope_parameters");
  const std::string field = is_new ? "rope_parameters" : "rope_scaling";
  const Json* scaling = find(field);
  if (!scaling) return rope;
  if (!scaling->is_object()) refuse(field, "must be an object");
  rope.theta = rope_number(*scaling, "rope_theta", rope.theta, path_);
  if (rope_number(*scaling, "partial_rotary_factor", 1.0, path_) != 1.0) {
    refuse(field + ".partial_rotary_factor", "only whole heads can be rotated");
  }
  const char* key = scaling->contains("rope_type") ? "rope_type" : "type";
  const auto kind = scaling->find(key);
  if (kind == scaling->end()) {
    if (!is_new) refuse(field, "has no rope_type");
    return rope;
  }
  rope.kind = kind->is_string() ? kind->get<std::string>() : "";
  if (rope.kind == "default") return rope;
  if (rope.kind != "linear" && rope.kind != "llama3") {
    refuse(field + "." + key, "'" + rope.kind + "' is not supported (default, linear and llama3 are)");
  }
  rope.factor = rope_number(*scaling, "factor", std::nullopt, path_);
  if (rope.kind == "linear") return rope;
  rope.low_freq_factor = rope_number(*scaling, "low_freq_factor", std::nullopt, path_);
  rope.high_freq_factor = rope_number(*scaling, "high_freq_factor", std::nullopt, path_);
  rope.original_context =
      static_cast<int64_t>(rope_number(*scaling, "original_max_position_embeddings", std::nullopt, path_));
  return rope;
}

DecoderConfig HfConfig::decoder_config() const {
  for (const char* field : {"quantization_config", "attn_logit_softcapping", "final_logit_softcapping", "clip_qkv"}) {
    if (has(field)) refuse(field, "is not supported");
  }
  for (const char* field : {"partial_rotary_factor", "logits_scaling", "attention_multiplier", "residual_multiplier",
                            "embedding_multiplier"}) {
    if (real_or(field, 1.0) != 1.0) refuse(field, "must be 1");
  }
  if (text_or("hidden_act", "silu") != "silu") refuse("hidden_act", "only silu is supported");
  DecoderConfig config;
  config.vocab_size = count("vocab_size");
  config.width = count("hidden_size");
  config.mlp_width = count("intermediate_size");
  config.num_layers = count("num_hidden_layers");
  config.num_heads = count("num_attention_heads");
  config.num_kv_heads = count_or("num_key_value_heads", config.num_heads);
  if (!has("head_dim") && config.width % config.num_heads != 0) {
    refuse("num_attention_heads", "does not divide hidden_size, and there is no head_dim");
  }
  config.head_size = count_or("head_dim", config.width / config.num_heads);
  config.context_tokens = count("max_position_embeddings");
  config.rms_norm_eps = real_or("rms_norm_eps", 1e-6);
  config.tied_head = flag_or("tie_word_embeddings", false);
  config.rope = rope();
  return config;
}

void HfConfig::refuse_sliding_window(int64_t num_layers) const {
  if (const Json* types = find("layer_types")) {
    for (const Json& type : *types) {
      if (type != "full_attention") refuse("layer_types", "only full_attention is supported");
    }
    return;
  }
  const bool used = flag_or("use_sliding_window", false) && has("sliding_window");
  if (used && count_or("max_window_layers", num_layers) < num_layers) {
    refuse("use_sliding_window", "a sliding window is not supported");
  }
}

void check_decoder_config(const DecoderConfig& config, const std::string& path) {
  constexpr int64_t kMaxLayers = 4096;
  if (config.num_layers > kMaxLayers) fail(path, "number of layers", "is not believable");
  if (config.num_heads % config.num_kv_heads != 0) {
    fail(path, "number of key-value heads", "does not divide the number of heads");
  }
  if (config.head_size % 2 != 0) fail(path, "head size", "must be even");
  if (!(config.rms_norm_eps > 0)) fail(path, "epsilon of the norms", "must be positive");
  const RopeConfig& rope = config.rope;
  if (!(rope.theta > 0) || !(rope.factor > 0)) fail(path, "rotary base and factor", "must be positive");
  if (rope.kind == "llama3" &&
      (!(rope.low_freq_factor > 0) || !(rope.high_freq_factor > rope.low_freq_factor) || rope.original_context < 1)) {
    fail(path, "rope scaling", "llama3 needs 0 < low_freq_factor < high_freq_factor and an original length");
  }
}

}  // namespace plumbline
