#include "plumbline/model/weight_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/sorted_json.h"

namespace plumbline {
namespace {

[[noreturn]] void fail_weights(const std::string& message, const std::string& where) {
  throw DataError("data.model_weights", message, where, "fetch the checkpoint again");
}

/// tensor name -> file name. The names come from outside: a path would let them reach beyond the folder.
std::map<std::string, std::string> read_index(const std::string& path) {
  const SortedJson index = parse_sorted_json(read_file(path), path);
  if (!index.is_object() || !index.contains("weight_map") || !index.at("weight_map").is_object()) {
    fail_weights("there is no object weight_map", path);
  }
  const SortedJson& names = index.at("weight_map");
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : names.items()) {
    if (!file.is_string() || file.get<std::string>().find('/') != std::string::npos) {
      fail_weights("weight_map names something that is not a file of the folder, for " + tensor, path);
    }
    files[tensor] = file.get<std::string>();
  }
  return files;
}

constexpr std::array<std::pair<const char*, const char*>, 12> kGgufLayerNames = {
    {{"attn_norm", "input_layernorm"},
     {"ffn_norm", "post_attention_layernorm"},
     {"attn_q", "self_attn.q_proj"},
     {"attn_k", "self_attn.k_proj"},
     {"attn_v", "self_attn.v_proj"},
     {"attn_output", "self_attn.o_proj"},
     {"attn_q_norm", "self_attn.q_norm"},
     {"attn_k_norm", "self_attn.k_norm"},
     {"ffn_gate", "mlp.gate_proj"},
     {"ffn_up", "mlp.up_proj"},
     {"ffn_down", "mlp.down_proj"},
     {"ffn_gate_inp", "mlp.gate"}}};

/// All experts of a layer in one tensor [E, O, I]. Named as transformers names its own stacks, without ".weight".
constexpr std::array<std::pair<const char*, const char*>, 3> kGgufExpertNames = {
    {{"ffn_gate_exps", "mlp.experts.gate_proj"},
     {"ffn_up_exps", "mlp.experts.up_proj"},
     {"ffn_down_exps", "mlp.experts.down_proj"}}};

/// "blk.3.attn_q.weight" -> "model.layers.3.self_attn.q_proj.weight"; empty when not known.
std::string hf_name(const std::string& gguf_name) {
  if (gguf_name == "token_embd.weight") return "model.embed_tokens.weight";
  if (gguf_name == "output_norm.weight") return "model.norm.weight";
  if (gguf_name == "output.weight") return "lm_head.weight";
  if (gguf_name.rfind("blk.", 0) != 0) return "";
  const size_t layer_end = gguf_name.find('.', 4), part_end = gguf_name.rfind('.');
  if (layer_end == std::string::npos || part_end <= layer_end) return "";
  const std::string layer = gguf_name.substr(4, layer_end - 4);
  const std::string part = gguf_name.substr(layer_end + 1, part_end - layer_end - 1), kind = gguf_name.substr(part_end);
  if (kind != ".weight" && kind != ".bias") return "";
  for (const auto& [gguf, hf] : kGgufLayerNames) {
    if (part == gguf) return "model.layers." + layer + "." + hf + kind;
  }
  for (const auto& [gguf, hf] : kGgufExpertNames) {
    if (part == gguf && kind == ".weight") return "model.layers." + layer + "." + hf;
  }
  return "";
}

}  // namespace

WeightFiles WeightFiles::open_folder(const std::string& folder) {
  WeightFiles files;
  const std::string index_path = folder + "/model.safetensors.index.json";
  if (!std::filesystem::exists(index_path)) {
    files.add_shard(folder + "/model.safetensors", {}, "");
    return files;
  }
  const std::map<std::string, std::string> index = read_index(index_path);
  std::set<std::string> shards;
  for (const auto& [tensor, file] : index) shards.insert(file);
  for (const std::string& shard : shards) files.add_shard(folder + "/" + shard, index, shard);
  for (const auto& [tensor, file] : index) {
    if (!files.weights_.contains(tensor)) fail_weights(tensor + " is not in " + file, index_path);
  }
  return files;
}

void WeightFiles::add_shard(const std::string& path, const std::map<std::string, std::string>& index,
                            const std::string& file) {
  shards_.push_back(std::make_unique<SafetensorsFile>(path));
  for (const RawTensor& tensor : shards_.back()->tensors()) {
    const auto place = index.find(tensor.name);
    if (!index.empty() && (place == index.end() || place->second != file)) {
      fail_weights("the index does not place " + tensor.name + " here", path);
    }
    weights_[tensor.name] = {tensor, 0, shards_.back().get(), nullptr};
  }
}

WeightFiles WeightFiles::open_gguf(std::unique_ptr<GgufFile> file, int64_t interleaved_q, int64_t interleaved_k) {
  WeightFiles files;
  files.gguf_ = std::move(file);
  for (const RawTensor& tensor : files.gguf_->tensors()) {
    if (tensor.name == "rope_freqs.weight") continue;  // part of the configuration
    const std::string name = hf_name(tensor.name);
    if (name.empty()) fail_weights("unexpected tensor " + tensor.name, files.gguf_->path());
    StoredWeight weight{tensor, 0, nullptr, files.gguf_.get()};
    weight.raw.name = name;
    if (name.find(".q_proj.") != std::string::npos) weight.interleaved_heads = interleaved_q;
    if (name.find(".k_proj.") != std::string::npos) weight.interleaved_heads = interleaved_k;
    files.weights_[name] = std::move(weight);
  }
  return files;
}

void WeightFiles::replace(const std::string& name, const std::vector<Part>& parts) {
  const StoredWeight whole = weights_.at(name);
  weights_.erase(name);
  int64_t num_rows = 0;
  for (const Part& part : parts) num_rows += part.rows;
  const size_t row_bytes = num_rows == 0 ? 0 : whole.raw.bytes.size() / static_cast<size_t>(num_rows);
  size_t begin = 0;
  for (const Part& part : parts) {
    const size_t size = row_bytes * static_cast<size_t>(part.rows);
    StoredWeight piece = whole;
    piece.raw = {part.name, whole.raw.dtype, {part.rows, whole.raw.shape.back()}, whole.raw.bytes.substr(begin, size)};
    begin += size;
    if (!weights_.emplace(part.name, std::move(piece)).second) {
      fail_weights(part.name + " is stored by itself and as a part of " + name, "tensor " + name);
    }
  }
}

void WeightFiles::split_rows(const std::string& name, const std::vector<std::pair<std::string, int64_t>>& parts) {
  const std::vector<int64_t> shape = weights_.at(name).raw.shape;
  std::vector<Part> pieces;
  int64_t num_rows = 0;
  for (const auto& [part, rows] : parts) {
    pieces.push_back({part, rows});
    num_rows += rows;
  }
  if (shape.size() != 2 || shape[0] != num_rows) {
    fail_weights(
        fmt::format("the tensor {} has shape [{}] and should have {} rows", name, fmt::join(shape, ", "), num_rows),
        "tensor " + name);
  }
  replace(name, pieces);
}

void WeightFiles::unstack(const std::string& name, const std::vector<std::string>& parts) {
  const std::vector<int64_t> shape = weights_.at(name).raw.shape;
  if (shape.size() != 3 || shape[0] != static_cast<int64_t>(parts.size())) {
    fail_weights(fmt::format("the tensor {} has shape [{}] and should be a stack of {} matrices", name,
                             fmt::join(shape, ", "), parts.size()),
                 "tensor " + name);
  }
  std::vector<Part> pieces;
  for (const std::string& part : parts) pieces.push_back({part, shape[1]});
  replace(name, pieces);
}

/// Row (head, half, pair) of the decoder is row (head, pair, half) of the file. Whole rows move, so quantised blocks
/// stay as they are.
RawTensor WeightFiles::ordered(const StoredWeight& weight, std::string* storage) {
  if (weight.interleaved_heads == 0) return weight.raw;
  const RawTensor& raw = weight.raw;
  const int64_t num_rows = raw.shape[0], head_size = num_rows / weight.interleaved_heads, half = head_size / 2;
  PL_CHECK(head_size * weight.interleaved_heads == num_rows && half * 2 == head_size, "rows of " + raw.name);
  const size_t row_bytes = raw.bytes.size() / static_cast<size_t>(num_rows);
  storage->resize(raw.bytes.size());
  for (int64_t row = 0; row < num_rows; ++row) {
    const int64_t head = row / head_size, in_head = row % head_size;
    const int64_t source = head * head_size + in_head % half * 2 + in_head / half;
    raw.bytes.copy(storage->data() + static_cast<size_t>(row) * row_bytes, row_bytes,
                   static_cast<size_t>(source) * row_bytes);
  }
  return {raw.name, raw.dtype, raw.shape, *storage};
}

void WeightFiles::release(const StoredWeight& weight) {
  if (weight.safetensors) weight.safetensors->release(weight.raw);
  if (weight.gguf) weight.gguf->release(weight.raw);
}

}  // namespace plumbline
