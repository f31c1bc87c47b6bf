#include "plumbline/adapter/adapter_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/adapter/basis_probe.h"
#include "plumbline/adapter/target_modules.h"
#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/log.h"
#include "plumbline/base/sha256.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

using torch::Tensor;

constexpr const char* kFormat = "plumbline.adapter.v1";
const std::string kDelta = "delta.", kProbe = "basis_probe.";

[[noreturn]] void refuse(const std::string& message, const std::string& where) {
  throw DataError("data.adapter_mismatch", message, where,
                  "load it onto the model, dtype and targets it was made with");
}

void require_equal(const std::string& field, const std::string& stored, const std::string& ours,
                   const std::string& where) {
  if (stored != ours) refuse(field + " is '" + stored + "' in the adapter and '" + ours + "' here", where);
}

std::string text_field(const Json& json, const std::string& field, const std::string& where) {
  if (!json.contains(field) || !json.at(field).is_string()) refuse("field '" + field + "' is missing", where);
  return json.at(field).get<std::string>();
}

std::vector<std::string> module_field(const Json& json, const std::string& where) {
  const std::string field = "target_modules";
  if (!json.contains(field) || !json.at(field).is_array()) refuse("field '" + field + "' is missing", where);
  std::vector<std::string> modules;
  for (const Json& name : json.at(field)) {
    if (!name.is_string()) refuse("field '" + field + "' holds something else than names", where);
    modules.push_back(name.get<std::string>());
  }
  return modules;
}

/// The first name of `names` that `others` lacks, or nothing.
std::string first_missing(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  for (const std::string& name : names) {
    if (std::find(others.begin(), others.end(), name) == others.end()) return name;
  }
  return "";
}

void require_modules(const std::vector<std::string>& stored, const std::vector<std::string>& ours,
                     const std::string& where) {
  if (stored == ours) return;
  const std::string extra = first_missing(stored, ours), lacking = first_missing(ours, stored);
  refuse("target_modules are " + describe_modules(stored) + " in the adapter and " + describe_modules(ours) + " here" +
             (extra.empty() ? "" : "; only in the adapter: " + extra) +
             (lacking.empty() ? "" : "; only here: " + lacking),
         where);
}

std::map<std::string, Tensor> with_prefix(const TensorMap& tensors, const std::string& prefix) {
  std::map<std::string, Tensor> chosen;
  for (const auto& [name, tensor] : tensors) {
    if (name.rfind(prefix, 0) == 0) chosen.emplace(name.substr(prefix.size()), tensor);
  }
  return chosen;
}

void check_deltas(const std::map<std::string, Tensor>& deltas, const AdapterIdentity& expected,
                  const std::string& where) {
  for (const std::string& module : expected.modules) {
    const auto found = deltas.find(module);
    if (found == deltas.end()) refuse("the delta of " + module + " is missing", where);
    const int64_t rank = expected.basis_probes.at(module).numel();
    const Tensor& delta_R = found->second;
    if (delta_R.dim() != 1 || delta_R.numel() != rank || !delta_R.is_floating_point()) {
      refuse("the delta of " + module + " does not have " + std::to_string(rank) + " numbers", where);
    }
    if (!delta_R.isfinite().all().item<bool>()) refuse("the delta of " + module + " is not finite", where);
  }
  if (deltas.size() != expected.modules.size()) {
    refuse("it holds " + std::to_string(deltas.size()) + " deltas for " + std::to_string(expected.modules.size()) +
               " modules",
           where);
  }
}

}  // namespace

void write_adapter(const std::string& folder, const AdapterIdentity& identity,
                   const std::map<std::string, Tensor>& deltas) {
  const std::string target = folder + "/adapter", aside = folder + "/adapter.partial",
                    previous = folder + "/adapter.previous";
  try {
    fs::remove_all(aside);
    fs::remove_all(previous);
    fs::create_directories(aside);
    TensorMap tensors;
    for (const std::string& module : identity.modules) {
      PL_CHECK(deltas.count(module), "every adapted module has a delta");
      tensors[kDelta + module] = deltas.at(module);
      tensors[kProbe + module] = identity.basis_probes.at(module);
    }
    write_tensors(aside + "/delta.safetensors", tensors, {{"format", kFormat}});
    const Json json = {{"format", kFormat},
                       {"kind", identity.kind},
                       {"base_weight_hash", identity.base_weight_hash},
                       {"basis_hash", identity.basis_hash},
                       {"dtype", identity.dtype},
                       {"delta_sha256", sha256_file(aside + "/delta.safetensors")},
                       {"target_modules", identity.modules}};
    write_file(aside + "/adapter.json", json.dump(2) + "\n");
    sync_folder(aside);
    if (fs::exists(target)) fs::rename(target, previous);
    fs::rename(aside, target);
    sync_folder(folder);
    fs::remove_all(previous);
  } catch (const fs::filesystem_error& error) {
    throw DataError("data.unwritable", error.code().message(), target, "free space or choose another folder");
  }
}

std::map<std::string, Tensor> read_adapter(const std::string& folder, const AdapterIdentity& expected) {
  const std::string path = folder + "/adapter/adapter.json", tensors_path = folder + "/adapter/delta.safetensors";
  const Json json = parse_json(read_file(path), path);
  if (!json.is_object()) refuse("it is not an object", path);
  require_equal("format", text_field(json, "format", path), kFormat, path);
  require_equal("kind", text_field(json, "kind", path), expected.kind, path);
  require_equal("base_weight_hash", text_field(json, "base_weight_hash", path), expected.base_weight_hash, path);
  require_equal("dtype", text_field(json, "dtype", path), expected.dtype, path);
  require_modules(module_field(json, path), expected.modules, path);
  const std::string basis_hash = text_field(json, "basis_hash", path);
  require_equal("delta_sha256", text_field(json, "delta_sha256", path), sha256_file(tensors_path), path);
  const TensorMap tensors = read_tensors(tensors_path);
  if (basis_hash != expected.basis_hash) {
    check_basis_probes(with_prefix(tensors, kProbe), expected.basis_probes, tensors_path);
    log_info("the adapter's basis " + basis_hash.substr(0, 12) + " was computed elsewhere; its probes agree with ours");
  }
  std::map<std::string, Tensor> deltas = with_prefix(tensors, kDelta);
  check_deltas(deltas, expected, tensors_path);
  return deltas;
}

}  // namespace plumbline
