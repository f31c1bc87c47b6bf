#include "plumbline/cli/core/preset_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/cli/core/machine_checks.h"
#include "plumbline/files/gguf.h"
#include "plumbline/files/hub/fetch.h"
#include "plumbline/files/model_path.h"
#include "plumbline/files/safetensors.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/memory_budget.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

/// Counts over the tensors of a checkpoint.
struct ModelSize {
  int64_t num_files = 0, num_tensors = 0;
  double parameters = 0;
  double basis_elements = 0;  ///< U and Vh of every matrix that could carry an adapter

  void add(const std::vector<RawTensor>& tensors) {
    ++num_files;
    for (const RawTensor& tensor : tensors) {
      ++num_tensors;
      double elements = 1;
      for (const int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
      parameters += elements;
      // Embeddings and heads are matrices too and carry no adapter; they are the ones as tall as a vocabulary.
      const bool is_linear = tensor.shape.size() == 2 && tensor.name.find("embd") == std::string::npos &&
                             tensor.name.find("embed") == std::string::npos &&
                             tensor.name.find("lm_head") == std::string::npos && !tensor.name.starts_with("output.");
      if (is_linear) {
        const auto rows = static_cast<double>(tensor.shape[0]), columns = static_cast<double>(tensor.shape[1]);
        basis_elements += std::min(rows, columns) * (rows + columns);
      }
    }
  }
};

ModelSize size_of_model(const std::string& path) {
  ModelSize size;
  if (!fs::is_directory(path)) {
    size.add(GgufFile(path).tensors());
    return size;
  }
  if (!fs::exists(path + "/config.json")) {
    throw DataError("data.missing_file", "the folder has no config.json", path, "give an HF folder or a GGUF file");
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path().string());
  }
  if (files.empty()) {
    throw DataError("data.missing_file", "the folder has no .safetensors file", path, "fetch the model's weights");
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) size.add(SafetensorsFile(file).tensors());
  return size;
}

CheckLine check_problems(const DataOptions& data) {
  const std::string path = resolve_data_path(data.problems);
  const size_t count = read_problems(path, {.split = data.split}).size();
  return check_ok("problems", fmt::format("{} in split '{}' of {}", count, data.split, path));
}

CheckLine check_pairs(const SteerOptions& steer) {
  if (steer.pairs.empty()) return check_ok("pairs", "the shipped ones");
  const std::string path = resolve_data_path(steer.pairs);
  return check_ok("pairs", fmt::format("{} ({})", path, format_bytes(static_cast<double>(fs::file_size(path)))));
}

/// Tokens that the model was made for: max_position_embeddings, or context_length in GGUF.
int64_t context_of_model(const std::string& path) {
  if (!fs::is_directory(path)) {
    const GgufFile file(path);
    return file.integer(file.text("general.architecture") + ".context_length");
  }
  const std::string config_path = path + "/config.json";
  const Json config = parse_json(read_file(config_path), config_path);
  const Json& context = require_member(config, "max_position_embeddings", config_path);
  if (!context.is_number_integer()) {
    throw DataError("data.model_config", "max_position_embeddings must be an integer", config_path, "check the file");
  }
  return context.get<int64_t>();
}

/// Positions beyond the model's context were never trained.
CheckLine check_context(const RolloutOptions& rollout, int64_t context_tokens) {
  const std::string found =
      fmt::format("rollout.context_tokens {} of the model's {}", rollout.context_tokens, context_tokens);
  if (rollout.context_tokens <= context_tokens) return check_ok("context", found);
  return check_fail("context", found, "lower rollout.context_tokens, or take a model with a longer context");
}

/// Weights, merged weights and, of an SVD adapter, the fp32 basis; activations come on top.
CheckLine check_training_memory(const Preset& preset, const ModelSize& size) {
  const double bytes_per_weight = preset.model.dtype == "float32" ? 4 : 2;
  const double basis_bytes = preset.adapter.kind == "svd" ? 4 * size.basis_elements : 0;
  const double need = 2 * bytes_per_weight * size.parameters + basis_bytes;
  const std::vector<VisibleGpu> gpus = preset.run.device == "cpu" ? std::vector<VisibleGpu>() : visible_gpus();
  const double have = gpus.empty() ? static_cast<double>(available_memory_bytes()) : gpus.front().free_bytes;
  const std::string found = fmt::format("{} for weights, merged weights and basis, of {} {}", format_bytes(need),
                                        format_bytes(have), gpus.empty() ? "memory" : "GPU memory");
  if (need < have) return check_ok("fits", found);
  return check_fail("fits", found, "use a smaller model or a machine with more memory");
}

/// A hub model that is not here: whether it can be had, from the hub's list of files. Nothing is downloaded.
CheckLine check_hub_model(const std::string& name) {
  const std::optional<HubName> hub_name = parse_hub_name(name);
  if (!hub_name) fail_missing_model(name, "");
  if (hub_is_offline()) fail_missing_model(name, "not downloaded, since HF_HUB_OFFLINE is set");
  HttpOptions options;
  options.max_attempts = 2;
  const FetchPlan plan = plan_fetch(*hub_name, ModelNeed::kWeights, options);
  const std::string size = plan.size_bytes < 0 ? "unknown size" : format_bytes(static_cast<double>(plan.size_bytes));
  const std::string found = fmt::format("{} is not here; the first run downloads {} files, {}, at {} to {}", name,
                                        plan.num_files, size, plan.commit.substr(0, 12), hub_cache_folder());
  const double free = free_disk_bytes(hub_cache_folder());
  if (static_cast<double>(plan.size_bytes) <= free) return check_ok("model", found);
  return check_fail("model", found + ", which has " + format_bytes(free),
                    "free space, or set HF_HOME to a folder on a larger disk");
}

CheckLine check_local_model(const std::string& path, ModelSize& size) {
  size = size_of_model(path);
  return check_ok("model", fmt::format("{}: {} tensors, {:.1f}M parameters, {} file{}", path, size.num_tensors,
                                       size.parameters / 1e6, size.num_files, size.num_files == 1 ? "" : "s"));
}

}  // namespace

std::vector<CheckLine> check_files(const Preset& preset) {
  std::vector<CheckLine> lines;
  lines.push_back(guarded("problems", [&] { return check_problems(preset.data); }));
  lines.push_back(guarded("pairs", [&] { return check_pairs(preset.steer); }));
  if (preset.model.path.empty()) return lines;  // judges and teachers alone
  ModelSize size;
  lines.push_back(guarded("model", [&] {
    const std::optional<std::string> path = find_model(preset.model.path);
    return path ? check_local_model(*path, size) : check_hub_model(preset.model.path);
  }));
  const bool is_here = lines.back().status == CheckStatus::kOk && size.num_files > 0;
  lines.push_back(!is_here ? check_skip("context", "no model to read it from") : guarded("context", [&] {
    return check_context(preset.rollout, context_of_model(resolve_model_path(preset.model.path)));
  }));
  lines.push_back(is_here ? check_training_memory(preset, size) : check_skip("fits", "no model to measure"));
  return lines;
}

}  // namespace plumbline
