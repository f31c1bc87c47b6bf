/// A LoRA adapter on disk: adapter/{adapter_config.json, adapter_model.safetensors} as PEFT reads and writes them, and
/// adapter.json, which says what it belongs to.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plumbline {

struct LoraIdentity {
  std::string base_weight_hash;
  std::string dtype;  ///< of the decoder's weights: "float32", ...
  int64_t rank = 0;
  double alpha = 0;
  std::vector<std::string> modules;  ///< adapted ones, in the decoder's order
};

/// Writes `folder`/adapter aside and renames it over what was there. `parameters` by <module>.lora_A and .lora_B; in
/// the file they are base_model.model.<module>.lora_A.weight, PEFT's names. Throws DataError(data.unwritable).
void write_lora(const std::string& folder, const LoraIdentity& identity,
                const std::map<std::string, torch::Tensor>& parameters);

/// The parameters of `folder`/adapter, on the CPU, if it belongs to `expected`, has exactly `shapes` and is finite.
/// What PEFT's configuration asks for beyond that (dropout, DoRA, rsLoRA, biases) is refused by name.
/// Throws DataError: data.adapter_mismatch naming the field and both values, data.json, data.missing_file and what the
/// container throws.
std::map<std::string, torch::Tensor> read_lora(const std::string& folder, const LoraIdentity& expected,
                                               const std::map<std::string, std::vector<int64_t>>& shapes);

}  // namespace plumbline
