#include "plumbline/steer/hack_direction.h"

#include "plumbline/adapter/basis_probe.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

using torch::Tensor;

constexpr const char* kFormat = "plumbline.direction.v1";
const std::string kVector = "v.", kNorm = "norm.", kProbe = "basis_probe.";

[[noreturn]] void refuse(const std::string& message, const std::string& where) {
  throw DataError("data.direction_mismatch", message, where,
                  "extract the direction again on this model, dtype and pair file");
}

const std::string& field_of(const std::map<std::string, std::string>& metadata, const std::string& field,
                            const std::string& where) {
  const auto found = metadata.find(field);
  if (found == metadata.end()) refuse("field '" + field + "' is missing", where);
  return found->second;
}

void require_equal(const std::string& field, const std::string& stored, const std::string& wanted,
                   const std::string& where) {
  if (stored != wanted) refuse(field + " is '" + stored + "' in the direction and '" + wanted + "' here", where);
}

/// The tensor `name`, [size] and finite.
Tensor vector_of(const TensorMap& tensors, const std::string& name, int64_t size, const std::string& where) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) refuse("tensor '" + name + "' is missing", where);
  const Tensor& vector = found->second;
  if (vector.dim() != 1 || vector.numel() != size || !vector.is_floating_point()) {
    refuse("tensor '" + name + "' does not have " + std::to_string(size) + " numbers", where);
  }
  if (!vector.isfinite().all().item<bool>()) refuse("tensor '" + name + "' is not finite", where);
  return vector;
}

DirectionMetadata read_metadata(const std::map<std::string, std::string>& fields, const std::string& where) {
  require_equal("format", field_of(fields, "format", where), kFormat, where);
  require_equal("k", field_of(fields, "k", where), "1", where);
  return {field_of(fields, "model_hash", where),
          field_of(fields, "basis_hash", where),
          field_of(fields, "dtype", where),
          field_of(fields, "method", where),
          1,
          field_of(fields, "pairs_hash", where),
          field_of(fields, "flavors", where)};
}

void require_basis(const HackDirection& direction, const SvdAdapter& adapter, const std::string& where) {
  if (direction.metadata.basis_hash == adapter.basis_hash()) return;
  check_basis_probes(direction.basis_probes, adapter.basis_probes(), where);
  log_info("the direction's basis " + direction.metadata.basis_hash.substr(0, 12) +
           " was computed elsewhere; its probes agree with ours");
}

}  // namespace

std::map<std::string, Tensor> HackDirection::vectors() const {
  std::map<std::string, Tensor> result;
  for (const auto& [name, module] : modules) result.emplace(name, module.v_R);
  return result;
}

void HackDirection::save(const std::string& path) const {
  TensorMap tensors;
  for (const auto& [name, module] : modules) {
    tensors[kVector + name] = module.v_R;
    tensors[kNorm + name] = torch::tensor({module.norm}, torch::kFloat64);
  }
  for (const auto& [name, probe_R] : basis_probes) tensors[kProbe + name] = probe_R;
  write_tensors(path, tensors,
                {{"format", kFormat},
                 {"model_hash", metadata.model_hash},
                 {"basis_hash", metadata.basis_hash},
                 {"dtype", metadata.dtype},
                 {"method", metadata.method},
                 {"k", std::to_string(metadata.k)},
                 {"pairs_hash", metadata.pairs_hash},
                 {"flavors", metadata.flavors}});
}

DirectionMetadata direction_metadata(const SvdAdapter& adapter, const std::string& method,
                                     const std::string& pairs_hash, const std::string& flavors) {
  const Decoder& decoder = adapter.decoder();
  return {decoder.weight_hash(), adapter.basis_hash(), name_of_dtype(decoder.dtype()), method, 1, pairs_hash, flavors};
}

HackDirection load_direction(const std::string& path, const SvdAdapter& adapter, const std::string& expected_method,
                             const std::string& expected_pairs_hash, const std::string& expected_flavors) {
  HackDirection direction;
  direction.metadata = read_metadata(SafetensorsFile(path).metadata(), path);
  const DirectionMetadata ours = direction_metadata(adapter, expected_method, expected_pairs_hash, expected_flavors);
  require_equal("model_hash", direction.metadata.model_hash, ours.model_hash, path);
  require_equal("dtype", direction.metadata.dtype, ours.dtype, path);
  if (!ours.method.empty()) require_equal("method", direction.metadata.method, ours.method, path);
  if (!ours.pairs_hash.empty()) require_equal("pairs_hash", direction.metadata.pairs_hash, ours.pairs_hash, path);
  if (!ours.flavors.empty()) require_equal("flavors", direction.metadata.flavors, ours.flavors, path);

  const TensorMap tensors = read_tensors(path);
  for (const auto& module : adapter.modules()) {
    const std::string& name = module.linear->name;
    const int64_t rank = module.delta_R.numel();
    HackDirection::Module& loaded = direction.modules[name];
    loaded.v_R = vector_of(tensors, kVector + name, rank, path);
    loaded.norm = vector_of(tensors, kNorm + name, 1, path).item<double>();
    direction.basis_probes[name] = vector_of(tensors, kProbe + name, rank, path);
  }
  if (tensors.size() != 3 * direction.modules.size()) {
    refuse("it covers " + std::to_string(tensors.size() / 3) + " modules, the adapter has " +
               std::to_string(direction.modules.size()),
           path);
  }
  require_basis(direction, adapter, path);
  return direction;
}

}  // namespace plumbline
