/// Bases on disk, one file a weight: cache_folder()/basis/<key>.safetensors. The key is the SHA-256 of dtype, shape and
/// bytes of the weight as the run holds it, so another checkpoint or dtype is another basis by construction.
#pragma once

#include <torch/types.h>

#include <string>

#include "plumbline/adapter/thin_svd.h"

namespace plumbline {

struct CachedBasis {
  SvdBasis basis;            ///< on the CPU
  std::string content_hash;  ///< SHA-256 over the bytes of U, S and Vh
  bool computed = false;     ///< false when it came from the cache
};

/// SHA-256 over the bytes of U, S and Vh (moved to the CPU if they are elsewhere).
std::string hash_of_basis(const SvdBasis& basis);

/// Loads the basis of `weight_OI` (verified against the hash in the file), or computes it on the weight's device and
/// stores it, aside and renamed. A cache file that is damaged is replaced and a cache that cannot be written is done
/// without, both with a warning. Throws what thin_svd throws.
CachedBasis cached_basis(const torch::Tensor& weight_OI, bool use_cache);

}  // namespace plumbline
