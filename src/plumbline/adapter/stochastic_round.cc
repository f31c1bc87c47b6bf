#include "plumbline/adapter/stochastic_round.h"

#include <ATen/Parallel.h>
#ifdef PLUMBLINE_WITH_CUDA
#include <c10/cuda/CUDAStream.h>
#endif

#include <thread>

#include "plumbline/adapter/stochastic_round_bits.h"
#include "plumbline/base/check.h"
#include "plumbline/base/rng.h"
#include "plumbline/base/sha256.h"

namespace plumbline {
namespace {

/// LibTorch's own parallel loop is serial in code built without OpenMP, hence plain threads.
template <typename Body>
void for_ranges(int64_t count, const Body& body) {
  constexpr int64_t kGrain = int64_t{1} << 18;
  const int64_t num_threads = std::clamp<int64_t>(count / kGrain, 1, at::get_num_threads());
  std::vector<std::jthread> workers;
  for (int64_t i = 1; i < num_threads; ++i) {
    workers.emplace_back([=, &body] { body(count * i / num_threads, count * (i + 1) / num_threads); });
  }
  body(0, count / num_threads);
}

}  // namespace

uint32_t module_stream(const std::string& module) {
  return static_cast<uint32_t>(std::stoul(sha256_hex(module).substr(0, 8), nullptr, 16));
}

uint64_t rounding_key(uint64_t seed, uint32_t step, const std::string& module) {
  return CounterRng({seed, Stream::kMergeRounding, step, module_stream(module)}).next_u64();
}

torch::Tensor add_and_round_stochastically(const torch::Tensor& base, const torch::Tensor& change, uint64_t key) {
  PL_CHECK(base.scalar_type() == torch::kBFloat16 && change.scalar_type() == torch::kFloat32 &&
               base.sizes() == change.sizes() && base.is_contiguous() && change.is_contiguous() &&
               base.device() == change.device(),
           "stochastic rounding needs contiguous bfloat16 weights and float32 changes of one shape");
  torch::Tensor result = torch::empty_like(base);
  const auto* base_bits = reinterpret_cast<const uint16_t*>(base.const_data_ptr());
  const auto* changes = change.const_data_ptr<float>();
  auto* result_bits = reinterpret_cast<uint16_t*>(result.mutable_data_ptr());
#ifdef PLUMBLINE_WITH_CUDA
  if (base.is_cuda()) {
    const auto stream = c10::cuda::getCurrentCUDAStream(base.device().index());
    PL_CHECK(launch_stochastic_round(base_bits, changes, result_bits, base.numel(), key, stream.stream()) == 0,
             "the rounding kernel could not be launched");
    return result;
  }
#endif
  PL_CHECK(base.is_cpu(), "this build rounds on the CPU only");
  for_ranges(base.numel(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      result_bits[i] = round_stochastically(base_bits[i], changes[i], key, static_cast<uint64_t>(i));
    }
  });
  return result;
}

}  // namespace plumbline
