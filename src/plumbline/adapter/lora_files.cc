#include "plumbline/adapter/lora_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/adapter/adapter_folder.h"
#include "plumbline/base/check.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

using torch::Tensor;

constexpr const char* kFormat = "plumbline.adapter.v1";
constexpr const char* kTensors = "/adapter_model.safetensors";
const std::string kPrefix = "base_model.model.", kSuffix = ".weight";

/// adapter_config.json with what PEFT needs to build the same adapter; what is left out has PEFT's default.
Json peft_config(const LoraIdentity& identity) {
  return {{"peft_type", "LORA"},    {"task_type", "CAUSAL_LM"},          {"base_model_name_or_path", nullptr},
          {"r", identity.rank},     {"lora_alpha", identity.alpha},      {"lora_dropout", 0.0},
          {"bias", "none"},         {"fan_in_fan_out", false},           {"init_lora_weights", true},
          {"inference_mode", true}, {"target_modules", identity.modules}};
}

/// adapter_config.json is PEFT's, which can ask for more than is done here.
void require_plain_lora(const std::string& path) {
  const Json config = parse_json(read_file(path), path);
  if (!config.is_object()) refuse_adapter("it is not an object", path);
  const auto dropout = config.find("lora_dropout");
  if (dropout != config.end() && *dropout != 0.0) {
    refuse_adapter("lora_dropout is " + dropout->dump() + ", and there is no dropout here: set it to 0", path);
  }
  for (const char* field : {"use_dora", "use_rslora", "lora_bias"}) {
    const auto found = config.find(field);
    if (found != config.end() && *found != false) refuse_adapter(std::string(field) + " is set, and is not done", path);
  }
}

void require_number(const Json& json, const std::string& field, double ours, const std::string& where) {
  if (!json.contains(field) || !json.at(field).is_number()) refuse_adapter("field '" + field + "' is missing", where);
  require_adapter_field(field, fmt::format("{}", json.at(field).get<double>()), fmt::format("{}", ours), where);
}

}  // namespace

void write_lora(const std::string& folder, const LoraIdentity& identity,
                const std::map<std::string, Tensor>& parameters) {
  write_adapter_folder(folder, [&](const std::string& aside) {
    TensorMap tensors;
    for (const auto& [name, value] : parameters) tensors[kPrefix + name + kSuffix] = value.contiguous();
    PL_CHECK(tensors.size() == 2 * identity.modules.size(), "every adapted module has an A and a B");
    write_tensors(aside + kTensors, tensors, {{"format", "pt"}});
    write_file(aside + "/adapter_config.json", peft_config(identity).dump(2) + "\n");
    const Json json = {{"format", kFormat},
                       {"kind", "lora"},
                       {"base_weight_hash", identity.base_weight_hash},
                       {"dtype", identity.dtype},
                       {"rank", identity.rank},
                       {"alpha", identity.alpha},
                       {"tensors_sha256", sha256_file(aside + kTensors)},
                       {"target_modules", identity.modules}};
    write_file(aside + "/adapter.json", json.dump(2) + "\n");
  });
}

std::map<std::string, Tensor> read_lora(const std::string& folder, const LoraIdentity& expected,
                                        const std::map<std::string, std::vector<int64_t>>& shapes) {
  const std::string path = folder + "/adapter/adapter.json", tensors_path = folder + "/adapter" + kTensors;
  const Json json = parse_json(read_file(path), path);
  if (!json.is_object()) refuse_adapter("it is not an object", path);
  require_adapter_field("format", adapter_text(json, "format", path), kFormat, path);
  require_adapter_field("kind", adapter_text(json, "kind", path), "lora", path);
  require_adapter_field("base_weight_hash", adapter_text(json, "base_weight_hash", path), expected.base_weight_hash,
                        path);
  require_adapter_field("dtype", adapter_text(json, "dtype", path), expected.dtype, path);
  require_number(json, "rank", static_cast<double>(expected.rank), path);
  require_number(json, "alpha", expected.alpha, path);
  require_adapter_modules(adapter_modules(json, path), expected.modules, path);
  require_adapter_field("tensors_sha256", adapter_text(json, "tensors_sha256", path), sha256_file(tensors_path), path);
  require_plain_lora(folder + "/adapter/adapter_config.json");
  std::map<std::string, Tensor> parameters;
  for (const auto& [name, value] : read_tensors(tensors_path)) {
    const bool is_named =
        name.starts_with(kPrefix) && name.ends_with(kSuffix) && name.size() > kPrefix.size() + kSuffix.size();
    const std::string own =
        is_named ? name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()) : name;
    const auto shape = shapes.find(own);
    if (shape == shapes.end()) refuse_adapter("the tensor " + name + " belongs to no module here", tensors_path);
    if (value.sizes().vec() != shape->second) refuse_adapter("the tensor " + name + " has another shape", tensors_path);
    if (!value.isfinite().all().item<bool>()) refuse_adapter("the tensor " + name + " is not finite", tensors_path);
    parameters.emplace(own, value);
  }
  for (const auto& [name, shape] : shapes) {
    if (!parameters.contains(name)) refuse_adapter("the tensor of " + name + " is missing", tensors_path);
  }
  return parameters;
}

}  // namespace plumbline
