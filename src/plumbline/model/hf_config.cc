#include "plumbline/model/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace {

constexpr int64_t kMaxCount = int64_t{1} << 31;  // no dimension of a decoder comes near

[[noreturn]] void fail(const std::string& path, const std::string& field, const std::string& why) {
  throw DataError("data.model_config", field + ": " + why, path, "use a checkpoint that plumbline supports");
}

/// Fields that change what a model computes. `neutral`: the value, as JSON, with which it does not; null and absent
/// never do. A family that reads a field itself names it in ModelFamily::reads.
struct RefusedField {
  const char* name;
  const char* neutral;
};

constexpr std::array<RefusedField, 45> kRefusedFields = {{
    {"quantization_config", "null"},
    {"compression_config", "null"},
    {"attn_logit_softcapping", "null"},
    {"final_logit_softcapping", "null"},
    {"query_pre_attn_scalar", "null"},
    {"attention_multiplier", "1.0"},
    {"residual_multiplier", "1.0"},
    {"embedding_multiplier", "1.0"},
    {"logits_scaling", "1.0"},
    {"logit_scale", "1.0"},
    {"lm_head_multiplier", "1.0"},
    {"scale_emb", "1.0"},
    {"scale_depth", "1.0"},
    {"rotary_pct", "1.0"},
    {"partial_rotary_factor", "1.0"},
    {"attn_temperature_tuning", "false"},
    {"attention_chunk_size", "null"},
    {"use_bidirectional_attention", "false"},
    {"use_mrope", "false"},
    {"alibi", "false"},
    {"parallel_attn", "false"},
    {"use_parallel_residual", "false"},
    {"use_qk_norm", "false"},
    {"qk_layernorm", "false"},
    {"clip_qkv", "null"},
    {"attention_bias", "false"},
    {"qkv_bias", "false"},
    {"mlp_bias", "false"},
    {"use_bias", "false"},
    {"lm_head_bias", "false"},
    {"attention_sink", "false"},
    {"sliding_window", "null"},
    {"use_sliding_window", "false"},
    {"layer_types", "null"},
    {"no_rope_layers", "null"},
    {"no_rope_layer_interval", "null"},
    {"num_experts", "0"},
    {"num_local_experts", "0"},
    {"n_routed_experts", "0"},
    {"n_shared_experts", "0"},
    {"shared_expert_intermediate_size", "0"},
    {"routed_scaling_factor", "1.0"},
    {"router_jitter_noise", "0.0"},
    {"kv_lora_rank", "null"},
    {"per_layer_config", "null"},
}};

bool same_value(const Json& value, const Json& neutral) {
  if (value.is_number() && neutral.is_number()) return value.get<double>() == neutral.get<double>();
  return value == neutral;
}

/// A number inside the object that describes rotary scaling.
double rope_number(const Json& rope, const char* field, std::optional<double> fallback, const std::string& path) {
  const auto found = rope.find(field);
  const bool absent = found == rope.end() || found->is_null();
  if (!absent && found->is_number() && std::isfinite(found->get<double>())) return found->get<double>();
  if (absent && fallback) return *fallback;
  fail(path, std::string("rope scaling, ") + field, "must be a number");
}

/// YaRN's factor on cosines and sines (arXiv 2309.00071, equation 22; mscale: DeepSeek's variant).
double yarn_attention_factor(const Json& rope, double factor, const std::string& path) {
  const double given = rope_number(rope, "attention_factor", 0, path);
  if (given != 0) return given;
  const auto scale = [&](double mscale) { return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0; };
  const double mscale = rope_number(rope, "mscale", 0, path), all = rope_number(rope, "mscale_all_dim", 0, path);
  return mscale != 0 && all != 0 ? scale(mscale) / scale(all) : scale(1);
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

double HfConfig::real(const std::string& field) const {
  const Json* value = find(field);
  if (!value) refuse(field, "is missing");
  if (!value->is_number() || !std::isfinite(value->get<double>())) refuse(field, "must be a number");
  return value->get<double>();
}

double HfConfig::real_or(const std::string& field, double fallback) const {
  return has(field) ? real(field) : fallback;
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

std::vector<int64_t> HfConfig::integers_or(const std::string& field, const std::vector<int64_t>& fallback) const {
  const Json* value = find(field);
  if (!value) return fallback;
  const auto is_integer = [](const Json& item) { return item.is_number_integer(); };
  if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_integer)) {
    refuse(field, "must be an array of integers");
  }
  return value->get<std::vector<int64_t>>();
}

RopeConfig HfConfig::rope(double default_theta, int64_t context_tokens) const {
  RopeConfig rope;
  rope.theta = real_or("rope_theta", default_theta);
  const bool is_new = has("rope_parameters");
  const std::string field = is_new ? "rope_parameters" : "rope_scaling";
  const Json* scaling = find(field);
  if (!scaling) return rope;
  if (!scaling->is_object()) refuse(field, "must be an object");
  for (const char* nested : {"full_attention", "sliding_attention"}) {
    if (scaling->contains(nested)) refuse(field + "." + nested, "positions that differ by layer are not supported");
  }
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
  if (rope.kind != "linear" && rope.kind != "llama3" && rope.kind != "yarn") {
    refuse(field + "." + key, "'" + rope.kind + "' is not supported (default, linear, llama3 and yarn are)");
  }
  if (rope.kind == "linear") {
    rope.factor = rope_number(*scaling, "factor", std::nullopt, path_);
    return rope;
  }
  // As transformers has it: a field of the file itself, else of the object, else the context.
  const double original =
      real_or("original_max_position_embeddings",
              rope_number(*scaling, "original_max_position_embeddings", static_cast<double>(context_tokens), path_));
  if (!(original >= 1 && original <= static_cast<double>(kMaxCount))) {
    refuse("original_max_position_embeddings", "must be a positive integer");
  }
  rope.original_context = static_cast<int64_t>(original);
  if (rope.kind == "llama3") {
    rope.factor = rope_number(*scaling, "factor", std::nullopt, path_);
    rope.low_freq_factor = rope_number(*scaling, "low_freq_factor", std::nullopt, path_);
    rope.high_freq_factor = rope_number(*scaling, "high_freq_factor", std::nullopt, path_);
    return rope;
  }
  rope.factor = rope_number(*scaling, "factor", static_cast<double>(context_tokens) / original, path_);
  rope.beta_fast = rope_number(*scaling, "beta_fast", 32, path_);
  rope.beta_slow = rope_number(*scaling, "beta_slow", 1, path_);
  rope.attention_factor = yarn_attention_factor(*scaling, rope.factor, path_);
  if (const auto truncate = scaling->find("truncate"); truncate != scaling->end()) {
    if (!truncate->is_boolean()) refuse(field + ".truncate", "must be true or false");
    rope.truncate = truncate->get<bool>();
  }
  return rope;
}

void HfConfig::refuse_unread_fields(const ModelFamily& family) const {
  for (const RefusedField& field : kRefusedFields) {
    const bool is_read = std::find(family.reads.begin(), family.reads.end(), field.name) != family.reads.end();
    const Json* value = is_read ? nullptr : find(field.name);
    if (!value || same_value(*value, Json::parse(field.neutral))) continue;
    // A family without windows may say that every layer has none.
    if (std::string(field.name) == "layer_types") {
      const auto types = windowed_layers(static_cast<int64_t>(value->size()));
      if (std::none_of(types->begin(), types->end(), [](bool windowed) { return windowed; })) continue;
    }
    refuse(field.name, fmt::format("{} is not supported for {}", to_json_line(*value), family.name));
  }
}

/// Ids that ends and beginnings of texts have must be of the vocabulary.
void HfConfig::check_token_ids(int64_t vocab_size) const {
  for (const char* field : {"bos_token_id", "eos_token_id"}) {
    const Json* value = find(field);
    if (!value) continue;
    const auto is_id = [&](const Json& id) { return id.is_number_integer() && id >= 0 && id < vocab_size; };
    const bool fits = value->is_array() ? std::all_of(value->begin(), value->end(), is_id) : is_id(*value);
    if (!fits) refuse(field, fmt::format("{} is not of the vocabulary, 0 to {}", to_json_line(*value), vocab_size - 1));
  }
}

DecoderConfig HfConfig::decoder_config(const ModelFamily& family) const {
  refuse_unread_fields(family);
  for (const char* field : {"hidden_act", "hidden_activation"}) {
    const std::string name = text_or(field, "silu");
    if (name != "silu" && name != "swish") refuse(field, "'" + name + "' is not supported (silu is)");
  }
  DecoderConfig config;
  config.family = family.name;
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
  config.rms_norm_eps = real("rms_norm_eps");
  config.tied_head = flag_or("tie_word_embeddings", family.tied_head);
  config.rope = rope(family.rope_theta, config.context_tokens);
  check_token_ids(config.vocab_size);
  check_decoder_config(config, path_);  // before a family makes one thing a layer of it
  family.adapt_hf(*this, config);
  check_decoder_config(config, path_);
  return config;
}

int64_t HfConfig::window_or(int64_t fallback) const {
  if (!json_->contains("sliding_window")) return fallback;
  return count_or("sliding_window", 0);
}

std::optional<std::vector<bool>> HfConfig::windowed_layers(int64_t num_layers) const {
  const Json* types = find("layer_types");
  if (!types) return std::nullopt;
  if (!types->is_array() || static_cast<int64_t>(types->size()) != num_layers) {
    refuse("layer_types", "must name every layer");
  }
  std::vector<bool> windowed;
  for (const Json& type : *types) {
    if (type != "full_attention" && type != "sliding_attention") {
      refuse("layer_types", to_json_line(type) + " is not supported (full_attention and sliding_attention are)");
    }
    windowed.push_back(type == "sliding_attention");
  }
  return windowed;
}

void HfConfig::use_window(DecoderConfig& config, int64_t window_tokens,
                          const std::function<bool(int64_t)>& wanted) const {
  if (window_tokens == 0) return;
  config.window_tokens = window_tokens;
  config.layer_kinds.resize(static_cast<size_t>(config.num_layers));
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    config.layer_kinds[static_cast<size_t>(layer)].windowed = wanted(layer);
  }
}

void HfConfig::use_qwen_windows(DecoderConfig& config) const {
  constexpr int64_t kDefaultWindow = 4096, kDefaultFullLayers = 28;  // transformers'
  const auto types = windowed_layers(config.num_layers);
  const int64_t window = flag_or("use_sliding_window", false) ? window_or(kDefaultWindow) : 0;
  if (window == 0 && types && std::find(types->begin(), types->end(), true) != types->end()) {
    refuse("layer_types", "names layers with a sliding window, and there is none");
  }
  // 0 is a number of layers here.
  const int64_t num_full = find("max_window_layers") && *find("max_window_layers") == 0
                               ? 0
                               : count_or("max_window_layers", kDefaultFullLayers);
  use_window(config, window,
             [&](int64_t layer) { return types ? (*types)[static_cast<size_t>(layer)] : layer >= num_full; });
}

void HfConfig::use_experts(DecoderConfig& config, int64_t expert_width,
                           const std::function<bool(int64_t)>& wanted) const {
  config.num_experts = has("num_local_experts") ? count("num_local_experts") : count("num_experts");
  config.experts_per_token = count("num_experts_per_tok");
  config.expert_width = expert_width;
  config.renormalise_experts = flag_or("norm_topk_prob", false);
  config.layer_kinds.resize(static_cast<size_t>(config.num_layers));
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    config.layer_kinds[static_cast<size_t>(layer)].experts = wanted(layer);
  }
}

void check_decoder_config(const DecoderConfig& config, const std::string& path) {
  constexpr int64_t kMaxLayers = 4096, kMaxExperts = 65536;  // experts over all layers
  if (config.num_layers > kMaxLayers) fail(path, "number of layers", "is not believable");
  if (config.num_experts > kMaxExperts / config.num_layers) fail(path, "number of experts", "is not believable");
  if (config.num_heads % config.num_kv_heads != 0) {
    fail(path, "number of key-value heads", "does not divide the number of heads");
  }
  if (config.head_size % 2 != 0) fail(path, "head size", "must be even");
  if (!(config.rms_norm_eps > 0) || !std::isfinite(config.rms_norm_eps)) {
    fail(path, "epsilon of the norms", "must be positive");
  }
  if (config.experts_per_token > config.num_experts) {
    fail(path, "experts per token",
         fmt::format("{} of {} experts cannot be chosen", config.experts_per_token, config.num_experts));
  }
  if (!std::isfinite(config.clip_qkv) || config.clip_qkv < 0) fail(path, "clipping of q, k and v", "must be positive");
  const RopeConfig& rope = config.rope;
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!positive(rope.theta) || !positive(rope.factor)) fail(path, "rotary base and factor", "must be positive");
  if (rope.kind == "llama3" &&
      (!(rope.low_freq_factor > 0) || !(rope.high_freq_factor > rope.low_freq_factor) || rope.original_context < 1)) {
    fail(path, "rope scaling", "llama3 needs 0 < low_freq_factor < high_freq_factor and an original length");
  }
  if (rope.kind == "yarn" && (!(rope.beta_slow > 0) || !(rope.beta_fast >= rope.beta_slow) || !(rope.theta > 1) ||
                              !positive(rope.attention_factor))) {
    fail(path, "rope scaling", "yarn needs 0 < beta_slow <= beta_fast, a base above 1 and a positive factor");
  }
}

}  // namespace plumbline
