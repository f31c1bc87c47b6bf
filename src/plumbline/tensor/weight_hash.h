/// The identity of a set of weights: SHA-256 over the sorted (name, dtype, shape, bytes).
#pragma once

#include <string>

#include "plumbline/base/sha256.h"
#include "plumbline/files/safetensors.h"

namespace plumbline {

/// Tensors must be added in ascending order of their names (PL_CHECK). Each contributes name, dtype and shape as lines
/// ("weight\nF32\n2,3\n") and then its bytes. Not thread-safe.
class WeightHash {
 public:
  WeightHash& add(const RawTensor& tensor);
  /// Lower-case hex; the object is used up.
  std::string hex() { return hash_.hex(); }

 private:
  Sha256 hash_;
  std::string last_name_;
};

}  // namespace plumbline
