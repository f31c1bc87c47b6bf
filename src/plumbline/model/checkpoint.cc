#include "plumbline/model/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/files/model_path.h"
#include "plumbline/model/gguf_config.h"
#include "plumbline/model/hf_config.h"
#include "plumbline/model/registry.h"
#include "plumbline/tensor/weight_hash.h"

namespace plumbline {
namespace {

using Slots = std::map<std::string, WeightSlot>;

std::string layer_prefix(int64_t index) {
  return fmt::format("model.layers.{}.", index);
}

void add_linear(Slots& slots, Linear& linear, const std::string& name, int64_t outputs, int64_t inputs, bool bias) {
  linear.name = name;
  slots[name + ".weight"] = {&linear.base_OI, {outputs, inputs}};
  if (bias) slots[name + ".bias"] = {&linear.bias_O, {outputs}};
}

void add_mlp(Slots& slots, Mlp& mlp, const std::string& prefix, int64_t inner, int64_t width, bool bias) {
  add_linear(slots, mlp.gate, prefix + "gate_proj", inner, width, bias);
  add_linear(slots, mlp.up, prefix + "up_proj", inner, width, bias);
  add_linear(slots, mlp.down, prefix + "down_proj", width, inner, bias);
}

void add_feed_forward(Slots& slots, DecoderLayer& layer, const std::string& prefix, const DecoderConfig& config,
                      bool experts) {
  if (!experts) {
    add_mlp(slots, layer.feed_forward.emplace<Mlp>(), prefix, config.mlp_width, config.width, config.mlp_bias);
    return;
  }
  Moe& mixture = layer.feed_forward.emplace<Moe>();
  mixture.experts_per_token = config.experts_per_token;
  mixture.renormalise = config.renormalise_experts;
  mixture.experts.resize(static_cast<size_t>(config.num_experts));
  add_linear(slots, mixture.router, prefix + "gate", config.num_experts, config.width, false);
  for (size_t e = 0; e < mixture.experts.size(); ++e) {
    add_mlp(slots, mixture.experts[e], fmt::format("{}experts.{}.", prefix, e), config.expert_width, config.width,
            config.mlp_bias);
  }
}

/// Experts of one layer that are stored in one tensor: gate and up together (transformers 5) or apart (GGUF).
void split_experts(WeightFiles& files, const DecoderConfig& config, const std::string& prefix) {
  for (const char* kind : {"gate_up_proj", "gate_proj", "up_proj", "down_proj"}) {
    const std::string stack = prefix + "experts." + kind;
    if (!files.has(stack)) continue;
    std::vector<std::string> names;
    for (int64_t e = 0; e < config.num_experts; ++e) names.push_back(fmt::format("{}experts.{}.{}", prefix, e, kind));
    for (std::string& name : names) name += ".weight";
    files.unstack(stack, names);
  }
  for (int64_t e = 0; e < config.num_experts; ++e) {
    const std::string expert = fmt::format("{}experts.{}.", prefix, e);
    if (!files.has(expert + "gate_up_proj.weight")) continue;
    files.split_rows(expert + "gate_up_proj.weight", {{expert + "gate_proj.weight", config.expert_width},
                                                      {expert + "up_proj.weight", config.expert_width}});
  }
}

/// Fused weights become the single ones that the decoder has.
void split_fused(WeightFiles& files, const DecoderConfig& config) {
  const int64_t q_rows = config.num_heads * config.head_size, kv_rows = config.num_kv_heads * config.head_size;
  for (int64_t index = 0; index < config.num_layers; ++index) {
    const std::string attention = layer_prefix(index) + "self_attn.", mlp = layer_prefix(index) + "mlp.";
    if (files.has(attention + "qkv_proj.weight")) {
      files.split_rows(attention + "qkv_proj.weight", {{attention + "q_proj.weight", q_rows},
                                                       {attention + "k_proj.weight", kv_rows},
                                                       {attention + "v_proj.weight", kv_rows}});
    }
    if (files.has(mlp + "gate_up_proj.weight")) {
      files.split_rows(mlp + "gate_up_proj.weight",
                       {{mlp + "gate_proj.weight", config.mlp_width}, {mlp + "up_proj.weight", config.mlp_width}});
    }
    if (config.kind(index).experts) split_experts(files, config, mlp);
  }
}

/// Tensors that old writers stored and nobody reads, and a head that a tied checkpoint repeats.
bool is_redundant(const std::string& name, const WeightFiles& files, const DecoderConfig& config) {
  if (name.ends_with(".rotary_emb.inv_freq")) return true;
  if (name != "lm_head.weight" || !config.tied_head) return false;
  const auto embedding = files.weights().find("model.embed_tokens.weight");
  return embedding != files.weights().end() && embedding->second.raw.bytes == files.weights().at(name).raw.bytes;
}

/// All names and shapes, before a byte of data is read.
void check_weights(const WeightFiles& files, const DecoderConfig& config, const std::string& path) {
  const auto fail = [&](const std::string& message) {
    throw DataError("data.model_weights", message, path, "the weights do not belong to this configuration");
  };
  DecoderParts parts;
  const Slots slots = decoder_slots(config, parts);
  for (const auto& [name, slot] : slots) {
    const auto found = files.weights().find(name);
    if (found == files.weights().end()) fail("the tensor " + name + " is missing");
    if (found->second.raw.shape != slot.shape) {
      fail(fmt::format("the tensor {} has shape [{}] and should have [{}]", name,
                       fmt::join(found->second.raw.shape, ", "), fmt::join(slot.shape, ", ")));
    }
  }
  for (const auto& [name, weight] : files.weights()) {
    if (!slots.contains(name) && !is_redundant(name, files, config)) fail("unexpected tensor " + name);
  }
}

}  // namespace

Slots decoder_slots(const DecoderConfig& config, DecoderParts& parts) {
  const int64_t q_width = config.num_heads * config.head_size, kv_width = config.num_kv_heads * config.head_size;
  Slots slots;
  slots["model.embed_tokens.weight"] = {&parts.embedding_VD, {config.vocab_size, config.width}};
  slots["model.norm.weight"] = {&parts.norm_D, {config.width}};
  if (!config.tied_head) slots["lm_head.weight"] = {&parts.head_VD, {config.vocab_size, config.width}};
  parts.layers.resize(static_cast<size_t>(config.num_layers));
  for (int64_t index = 0; index < config.num_layers; ++index) {
    DecoderLayer& layer = parts.layers[static_cast<size_t>(index)];
    const std::string prefix = layer_prefix(index);
    slots[prefix + "input_layernorm.weight"] = {&layer.input_norm_D, {config.width}};
    slots[prefix + "post_attention_layernorm.weight"] = {&layer.mlp_norm_D, {config.width}};
    if (config.qk_norm != QkNorm::kNone) {
      const bool whole = config.qk_norm == QkNorm::kWhole;
      slots[prefix + "self_attn.q_norm.weight"] = {&layer.q_norm, {whole ? q_width : config.head_size}};
      slots[prefix + "self_attn.k_norm.weight"] = {&layer.k_norm, {whole ? kv_width : config.head_size}};
    }
    add_linear(slots, layer.q, prefix + "self_attn.q_proj", q_width, config.width, config.qkv_bias);
    add_linear(slots, layer.k, prefix + "self_attn.k_proj", kv_width, config.width, config.qkv_bias);
    add_linear(slots, layer.v, prefix + "self_attn.v_proj", kv_width, config.width, config.qkv_bias);
    add_linear(slots, layer.o, prefix + "self_attn.o_proj", config.width, q_width, config.output_bias);
    add_feed_forward(slots, layer, prefix + "mlp.", config, config.kind(index).experts);
  }
  return slots;
}

std::vector<std::string> linear_names(const DecoderConfig& config) {
  DecoderParts parts;
  decoder_slots(config, parts);
  std::vector<std::string> names;
  for (DecoderLayer& layer : parts.layers) {
    for (const Linear* linear : layer.linears()) names.push_back(linear->name);
  }
  return names;
}

ModelCheckpoint::ModelCheckpoint(std::string path, DecoderConfig config, WeightFiles files)
    : path_(std::move(path)), config_(std::move(config)), files_(std::move(files)) {
  split_fused(files_, config_);
  check_weights(files_, config_, path_);
}

ModelCheckpoint ModelCheckpoint::open(const std::string& path) {
  const std::string place = resolve_model_path(path);
  if (std::filesystem::is_directory(place)) {
    const std::string config_path = place + "/config.json";
    const HfConfig fields(config_path);
    const ModelFamily& family = find_model_family(fields.text_or("model_type", ""), config_path);
    return {place, fields.decoder_config(family), WeightFiles::open_folder(place)};
  }
  auto file = std::make_unique<GgufFile>(place);
  const ModelFamily& family = find_gguf_family(file->text("general.architecture"), place);
  DecoderConfig config = gguf_decoder_config(*file, family);
  const bool interleaved = family.gguf_interleaved_rotary;
  WeightFiles files = WeightFiles::open_gguf(std::move(file), interleaved ? config.num_heads : 0,
                                             interleaved ? config.num_kv_heads : 0);
  return {place, std::move(config), std::move(files)};
}

std::string ModelCheckpoint::weight_hash() const {
  DecoderParts parts;
  WeightHash hash;
  for (const auto& [name, slot] : decoder_slots(config_, parts)) {
    const StoredWeight& weight = files_.weights().at(name);
    std::string storage;
    hash.add(WeightFiles::ordered(weight, &storage));
    WeightFiles::release(weight);
  }
  return hash.hex();
}

}  // namespace plumbline
