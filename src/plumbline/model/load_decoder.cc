/// Checkpoint to Decoder: configuration, weight map, then one tensor at a time from the mapped file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/files/model_path.h"
#include "plumbline/model/decoder.h"
#include "plumbline/model/gguf_config.h"
#include "plumbline/model/hf_config.h"
#include "plumbline/model/registry.h"
#include "plumbline/model/weight_files.h"
#include "plumbline/tensor/raw_tensor.h"
#include "plumbline/tensor/weight_hash.h"

namespace plumbline {
namespace {

/// Where one weight of the checkpoint goes, and the shape it must have.
struct Slot {
  torch::Tensor* target;
  std::vector<int64_t> shape;
};

/// The tensors of a decoder before it is one.
struct Parts {
  torch::Tensor embedding_VD, norm_D, head_VD;
  std::vector<DecoderLayer> layers;
};

void add_linear(std::map<std::string, Slot>& slots, Linear& linear, const std::string& name, int64_t outputs,
                int64_t inputs, bool bias) {
  linear.name = name;
  slots[name + ".weight"] = {&linear.base_OI, {outputs, inputs}};
  if (bias) slots[name + ".bias"] = {&linear.bias_O, {outputs}};
}

/// Every weight that a checkpoint of this configuration holds, by its Hugging Face name.
std::map<std::string, Slot> make_slots(const DecoderConfig& config, Parts& parts) {
  const int64_t q_width = config.num_heads * config.head_size, kv_width = config.num_kv_heads * config.head_size;
  std::map<std::string, Slot> slots;
  slots["model.embed_tokens.weight"] = {&parts.embedding_VD, {config.vocab_size, config.width}};
  slots["model.norm.weight"] = {&parts.norm_D, {config.width}};
  if (!config.tied_head) slots["lm_head.weight"] = {&parts.head_VD, {config.vocab_size, config.width}};
  parts.layers.resize(static_cast<size_t>(config.num_layers));
  for (size_t index = 0; index < parts.layers.size(); ++index) {
    DecoderLayer& layer = parts.layers[index];
    const std::string prefix = fmt::format("model.layers.{}.", index);
    slots[prefix + "input_layernorm.weight"] = {&layer.input_norm_D, {config.width}};
    slots[prefix + "post_attention_layernorm.weight"] = {&layer.mlp_norm_D, {config.width}};
    if (config.head_norms) {
      slots[prefix + "self_attn.q_norm.weight"] = {&layer.q_norm_K, {config.head_size}};
      slots[prefix + "self_attn.k_norm.weight"] = {&layer.k_norm_K, {config.head_size}};
    }
    add_linear(slots, layer.q, prefix + "self_attn.q_proj", q_width, config.width, config.qkv_bias);
    add_linear(slots, layer.k, prefix + "self_attn.k_proj", kv_width, config.width, config.qkv_bias);
    add_linear(slots, layer.v, prefix + "self_attn.v_proj", kv_width, config.width, config.qkv_bias);
    add_linear(slots, layer.o, prefix + "self_attn.o_proj", config.width, q_width, config.output_bias);
    add_linear(slots, layer.gate, prefix + "mlp.gate_proj", config.mlp_width, config.width, config.mlp_bias);
    add_linear(slots, layer.up, prefix + "mlp.up_proj", config.mlp_width, config.width, config.mlp_bias);
    add_linear(slots, layer.down, prefix + "mlp.down_proj", config.width, config.mlp_width, config.mlp_bias);
  }
  return slots;
}

/// Tensors that old writers stored and nobody reads, and a head that a tied checkpoint repeats.
bool is_redundant(const std::string& name, const WeightFiles& files, const DecoderConfig& config) {
  if (name.ends_with(".rotary_emb.inv_freq")) return true;
  if (name != "lm_head.weight" || !config.tied_head) return false;
  const auto embedding = files.weights().find("model.embed_tokens.weight");
  return embedding != files.weights().end() && embedding->second.raw.bytes == files.weights().at(name).raw.bytes;
}

/// All names and shapes, before a byte of data is read.
void check_weights(const std::map<std::string, Slot>& slots, const WeightFiles& files, const DecoderConfig& config,
                   const std::string& path) {
  const auto fail = [&](const std::string& message) {
    throw DataError("data.model_weights", message, path, "the weights do not belong to this configuration");
  };
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

std::unique_ptr<Decoder> assemble(const DecoderConfig& config, const WeightFiles& files, const std::string& path,
                                  torch::ScalarType dtype, torch::Device device) {
  Parts parts;
  const std::map<std::string, Slot> slots = make_slots(config, parts);
  check_weights(slots, files, config, path);
  WeightHash hash;
  for (const auto& [name, slot] : slots) {  // in the order of names, as the hash wants them
    const StoredWeight& weight = files.weights().at(name);
    std::string storage;
    const RawTensor raw = WeightFiles::ordered(weight, &storage);
    hash.add(raw);
    *slot.target = tensor_from_raw(raw, dtype, device);
    WeightFiles::release(weight);
  }
  if (config.tied_head) parts.head_VD = parts.embedding_VD;
  return std::make_unique<Decoder>(config, std::move(parts.embedding_VD), std::move(parts.layers),
                                   std::move(parts.norm_D), std::move(parts.head_VD), hash.hex());
}

std::unique_ptr<Decoder> load_gguf(const std::string& path, torch::ScalarType dtype, torch::Device device) {
  auto file = std::make_unique<GgufFile>(path);
  const ModelFamily& family = find_model_family(file->text("general.architecture"), path);
  DecoderConfig config = gguf_decoder_config(*file);
  config.family = family.name;
  family.adapt_gguf(config);
  check_decoder_config(config, path);
  const bool interleaved = family.gguf_interleaved_rotary;
  const WeightFiles files = WeightFiles::open_gguf(std::move(file), interleaved ? config.num_heads : 0,
                                                   interleaved ? config.num_kv_heads : 0);
  return assemble(config, files, path, dtype, device);
}

std::unique_ptr<Decoder> load_folder(const std::string& path, torch::ScalarType dtype, torch::Device device) {
  const std::string config_path = path + "/config.json";
  const HfConfig fields(config_path);
  const ModelFamily& family = find_model_family(fields.text_or("model_type", ""), config_path);
  DecoderConfig config = fields.decoder_config();
  config.family = family.name;
  family.adapt_hf(fields, config);
  check_decoder_config(config, config_path);
  return assemble(config, WeightFiles::open_folder(path), path, dtype, device);
}

}  // namespace

std::unique_ptr<Decoder> load_decoder(const std::string& path, torch::ScalarType dtype, torch::Device device) {
  const torch::NoGradGuard no_grad;
  const std::string place = resolve_model_path(path);
  return std::filesystem::is_directory(place) ? load_folder(place, dtype, device) : load_gguf(place, dtype, device);
}

}  // namespace plumbline
