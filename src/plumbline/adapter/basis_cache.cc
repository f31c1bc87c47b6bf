#include "plumbline/adapter/basis_cache.h"

#include <unistd.h>

#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/base/sha256.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// Raised when thin_svd changes, so that no basis of an older algorithm is taken for a new one.
constexpr const char* kFormat = "plumbline.basis.v1";

Tensor on_cpu(const Tensor& tensor) {
  return tensor.detach().to(torch::kCPU).contiguous();
}

void add_tensor(Sha256& hash, const std::string& name, const Tensor& tensor) {
  const Tensor cpu = on_cpu(tensor);
  const RawTensor raw = raw_from_tensor(name, cpu);
  hash.update(raw.name + " " + raw.dtype);
  for (const int64_t size : raw.shape) hash.update(" " + std::to_string(size));
  hash.update("\n").update(raw.bytes);
}

std::string key_of(const Tensor& weight_OI) {
  Sha256 hash;
  hash.update(kFormat).update("\n");
  add_tensor(hash, "weight", weight_OI);
  return hash.hex();
}

/// The basis in `path`; DataError when the file is damaged or is another weight's.
CachedBasis read_basis(const std::string& path, const Tensor& weight_OI) {
  const auto fail = [&](const std::string& what) { throw DataError("data.basis_cache", what, path); };
  const SafetensorsFile file(path);
  const auto tensor = [&](const std::string& name) {
    const RawTensor* raw = file.find(name);
    if (!raw) fail("tensor '" + name + "' is missing");
    return tensor_from_raw(*raw);
  };
  CachedBasis cached{{tensor("u"), tensor("s"), tensor("vh")}, "", false};
  const int64_t rank = std::min(weight_OI.size(0), weight_OI.size(1));
  if (cached.basis.u_OR.sizes() != torch::IntArrayRef({weight_OI.size(0), rank}) ||
      cached.basis.s_R.sizes() != torch::IntArrayRef({rank}) ||
      cached.basis.vh_RI.sizes() != torch::IntArrayRef({rank, weight_OI.size(1)})) {
    fail("its shapes are not the weight's");
  }
  cached.content_hash = hash_of_basis(cached.basis);
  const auto stored = file.metadata().find("content_sha256");
  if (stored == file.metadata().end() || stored->second != cached.content_hash) fail("its hash does not fit its bytes");
  return cached;
}

/// Runs that start together compute the same basis: each writes a file of its own and puts it in the place of whatever
/// is there, which others may have mapped.
void store_basis(const std::string& path, const CachedBasis& cached) {
  const std::string own = path + "." + std::to_string(::getpid());
  try {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_tensors(own, {{"u", cached.basis.u_OR}, {"s", cached.basis.s_R}, {"vh", cached.basis.vh_RI}},
                  {{"format", kFormat}, {"content_sha256", cached.content_hash}});
    std::filesystem::rename(own, path);
  } catch (const Error& error) {
    log_warning("the basis is not cached: " + error.line());
  } catch (const std::filesystem::filesystem_error& error) {
    log_warning(std::string("the basis is not cached: ") + error.what());
  }
}

}  // namespace

std::string hash_of_basis(const SvdBasis& basis) {
  Sha256 hash;
  add_tensor(hash, "u", basis.u_OR);
  add_tensor(hash, "s", basis.s_R);
  add_tensor(hash, "vh", basis.vh_RI);
  return hash.hex();
}

CachedBasis cached_basis(const Tensor& weight_OI, bool use_cache) {
  const std::string path = use_cache ? cache_folder() + "/basis/" + key_of(weight_OI) + ".safetensors" : "";
  if (use_cache && std::filesystem::exists(path)) {
    try {
      return read_basis(path, weight_OI);
    } catch (const DataError& error) {
      log_warning("a cached basis is damaged and is computed again: " + error.line());
    }
  }
  const SvdBasis basis = thin_svd(weight_OI);
  CachedBasis cached{{on_cpu(basis.u_OR), on_cpu(basis.s_R), on_cpu(basis.vh_RI)}, "", true};
  cached.content_hash = hash_of_basis(cached.basis);
  if (use_cache) store_basis(path, cached);
  return cached;
}

}  // namespace plumbline
