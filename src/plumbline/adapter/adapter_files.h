/// The adapter folder: adapter/{delta.safetensors, adapter.json}. An adapter means something only on the base weights,
/// in the dtype and in the basis it was trained with; all three are in the files and are checked on load.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

namespace plumbline {

/// What an adapter belongs to.
struct AdapterIdentity {
  std::string kind;  ///< "svd"
  std::string base_weight_hash;
  std::string basis_hash;
  std::string dtype;                                  ///< of the decoder's weights: "float32", ...
  std::vector<std::string> modules;                   ///< adapted ones, in the decoder's order
  std::map<std::string, torch::Tensor> basis_probes;  ///< by module, [R] float32 (basis_probe.h)
};

/// Writes `folder`/adapter aside and renames it over what was there. deltas: by module, [R].
/// Throws DataError(data.unwritable).
void write_adapter(const std::string& folder, const AdapterIdentity& identity,
                   const std::map<std::string, torch::Tensor>& deltas);

/// The deltas of `folder`/adapter, by module, on the CPU, if it belongs to `expected`: kind, base weight hash, dtype
/// and modules must be equal, and so must the basis, by its hash or else by its probes. Throws DataError:
/// data.adapter_mismatch naming the field and both values, data.basis_mismatch (basis_probe.h), data.json,
/// data.missing_file and what the container throws.
std::map<std::string, torch::Tensor> read_adapter(const std::string& folder, const AdapterIdentity& expected);

}  // namespace plumbline
