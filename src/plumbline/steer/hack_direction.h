/// A direction of the adapter's vectors, and the file that carries it.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "plumbline/adapter/svd_adapter.h"

namespace plumbline {

/// What a direction belongs to and how it was made; every field is in the file's metadata and is checked on load.
struct DirectionMetadata {
  std::string model_hash, basis_hash;
  std::string dtype;       ///< of the decoder's weights
  std::string method;      ///< mean_diff, unit_mean, flavor_span, svd; of a control: haar.2, shuffled.1, placebo
  int64_t k = 1;           ///< axes a module
  std::string pairs_hash;  ///< SHA-256 of the pair file
  std::string flavors;     ///< "A,C", or "all"
};

/// Some axes a module: one for a mean, k for a span.
struct HackDirection {
  struct Module {
    /// Orthonormal rows; a zero row where an axis vanished or was dropped. On the CPU, in the adapter's dtype.
    torch::Tensor axes_KR;
    /// What each axis is the direction of: norm of the mean, of a flavor's mean, or the singular value. Float64.
    torch::Tensor strength_K;
  };
  DirectionMetadata metadata;
  std::map<std::string, Module> modules;
  std::map<std::string, torch::Tensor> basis_probes;  ///< by module, [R] float32

  /// By module [K, R]: what ProjectionTransform takes.
  std::map<std::string, torch::Tensor> axes() const;

  /// One safetensors file, aside and renamed. Throws DataError(data.unwritable).
  void save(const std::string& path) const;
};

/// The metadata of a direction that is made on `adapter`.
DirectionMetadata direction_metadata(const SvdAdapter& adapter, const std::string& method, int64_t k,
                                     const std::string& pairs_hash, const std::string& flavors);

/// Reads a direction that must belong to `adapter` and, where they are not empty, be of `expected_method`,
/// `expected_pairs_hash` and `expected_flavors`. The basis is accepted by its hash or else by its probes.
/// Throws DataError: data.direction_mismatch naming the field and both values, data.basis_mismatch naming module and
/// indices, data.missing_file, and what the container throws.
HackDirection load_direction(const std::string& path, const SvdAdapter& adapter,
                             const std::string& expected_method = "", const std::string& expected_pairs_hash = "",
                             const std::string& expected_flavors = "");

}  // namespace plumbline
