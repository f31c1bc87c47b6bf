#include "plumbline/steer/hack_direction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "plumbline/adapter/basis_probe.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

using torch::Tensor;

constexpr const char* kFormat = "plumbline.direction.v1";
constexpr int64_t kMaxAxes = 1024;
const std::string kAxes = "v.", kStrength = "strength.", kProbe = "basis_probe.";

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

/// The tensor `name`, of this shape and finite.
Tensor tensor_of(const TensorMap& tensors, const std::string& name, const std::vector<int64_t>& shape,
                 const std::string& where) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) refuse("tensor '" + name + "' is missing", where);
  const Tensor& tensor = found->second;
  if (tensor.sizes() != torch::IntArrayRef(shape) || !tensor.is_floating_point()) {
    refuse(fmt::format("tensor '{}' is not of shape [{}]", name, fmt::join(shape, ", ")), where);
  }
  if (!tensor.isfinite().all().item<bool>()) refuse("tensor '" + name + "' is not finite", where);
  return tensor;
}

int64_t axes_of(const std::string& text, const std::string& where) {
  int64_t k = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), k);
  if (error != std::errc() || end != text.data() + text.size() || k < 1 || k > kMaxAxes) {
    refuse("k is '" + text + "', no number of axes", where);
  }
  return k;
}

DirectionMetadata read_metadata(const std::map<std::string, std::string>& fields, const std::string& where) {
  require_equal("format", field_of(fields, "format", where), kFormat, where);
  return {field_of(fields, "model_hash", where),
          field_of(fields, "basis_hash", where),
          field_of(fields, "dtype", where),
          field_of(fields, "method", where),
          axes_of(field_of(fields, "k", where), where),
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

std::map<std::string, Tensor> HackDirection::axes() const {
  std::map<std::string, Tensor> result;
  for (const auto& [name, module] : modules) result.emplace(name, module.axes_KR);
  return result;
}

void HackDirection::save(const std::string& path) const {
  TensorMap tensors;
  for (const auto& [name, module] : modules) {
    tensors[kAxes + name] = module.axes_KR;
    tensors[kStrength + name] = module.strength_K;
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

DirectionMetadata direction_metadata(const SvdAdapter& adapter, const std::string& method, int64_t k,
                                     const std::string& pairs_hash, const std::string& flavors) {
  const Decoder& decoder = adapter.decoder();
  return {decoder.weight_hash(), adapter.basis_hash(), name_of_dtype(decoder.dtype()), method, k, pairs_hash, flavors};
}

HackDirection load_direction(const std::string& path, const SvdAdapter& adapter, const std::string& expected_method,
                             const std::string& expected_pairs_hash, const std::string& expected_flavors) {
  HackDirection direction;
  direction.metadata = read_metadata(SafetensorsFile(path).metadata(), path);
  const DirectionMetadata ours =
      direction_metadata(adapter, expected_method, direction.metadata.k, expected_pairs_hash, expected_flavors);
  require_equal("model_hash", direction.metadata.model_hash, ours.model_hash, path);
  require_equal("dtype", direction.metadata.dtype, ours.dtype, path);
  if (!ours.method.empty()) require_equal("method", direction.metadata.method, ours.method, path);
  if (!ours.pairs_hash.empty()) require_equal("pairs_hash", direction.metadata.pairs_hash, ours.pairs_hash, path);
  if (!ours.flavors.empty()) require_equal("flavors", direction.metadata.flavors, ours.flavors, path);

  const TensorMap tensors = read_tensors(path);
  for (const auto& module : adapter.modules()) {
    const std::string& name = module.linear->name;
    const int64_t rank = module.delta_R.numel(), k = direction.metadata.k;
    HackDirection::Module& loaded = direction.modules[name];
    loaded.axes_KR = tensor_of(tensors, kAxes + name, {k, rank}, path);
    loaded.strength_K = tensor_of(tensors, kStrength + name, {k}, path);
    direction.basis_probes[name] = tensor_of(tensors, kProbe + name, {rank}, path);
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
