#include "plumbline/adapter/adapter_files.h"

#include <nlohmann/json.hpp>

#include "plumbline/adapter/adapter_folder.h"
#include "plumbline/adapter/basis_probe.h"
#include "plumbline/base/check.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/log.h"
#include "plumbline/base/sha256.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

using torch::Tensor;

constexpr const char* kFormat = "plumbline.adapter.v1";
const std::string kDelta = "delta.", kProbe = "basis_probe.";

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
    if (found == deltas.end()) refuse_adapter("the delta of " + module + " is missing", where);
    const int64_t rank = expected.basis_probes.at(module).numel();
    const Tensor& delta_R = found->second;
    if (delta_R.dim() != 1 || delta_R.numel() != rank || !delta_R.is_floating_point()) {
      refuse_adapter("the delta of " + module + " does not have " + std::to_string(rank) + " numbers", where);
    }
    if (!delta_R.isfinite().all().item<bool>()) refuse_adapter("the delta of " + module + " is not finite", where);
  }
  if (deltas.size() != expected.modules.size()) {
    refuse_adapter("it holds " + std::to_string(deltas.size()) + " deltas for " +
                       std::to_string(expected.modules.size()) + " modules",
                   where);
  }
}

}  // namespace

void write_adapter(const std::string& folder, const AdapterIdentity& identity,
                   const std::map<std::string, Tensor>& deltas) {
  write_adapter_folder(folder, [&](const std::string& aside) {
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
  });
}

std::map<std::string, Tensor> read_adapter(const std::string& folder, const AdapterIdentity& expected) {
  const std::string path = folder + "/adapter/adapter.json", tensors_path = folder + "/adapter/delta.safetensors";
  const Json json = parse_json(read_file(path), path);
  if (!json.is_object()) refuse_adapter("it is not an object", path);
  require_adapter_field("format", adapter_text(json, "format", path), kFormat, path);
  require_adapter_field("kind", adapter_text(json, "kind", path), expected.kind, path);
  require_adapter_field("base_weight_hash", adapter_text(json, "base_weight_hash", path), expected.base_weight_hash,
                        path);
  require_adapter_field("dtype", adapter_text(json, "dtype", path), expected.dtype, path);
  require_adapter_modules(adapter_modules(json, path), expected.modules, path);
  const std::string basis_hash = adapter_text(json, "basis_hash", path);
  require_adapter_field("delta_sha256", adapter_text(json, "delta_sha256", path), sha256_file(tensors_path), path);
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
