#include <cuda_runtime.h>

#include <cstdint>

#include "plumbline/adapter/stochastic_round_bits.h"

namespace plumbline {
namespace {

__global__ void round_kernel(const uint16_t* base, const float* change, uint16_t* result, int64_t num_elements,
                             uint64_t key) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < num_elements; i += stride) {
    result[i] = round_stochastically(base[i], change[i], key, static_cast<uint64_t>(i));
  }
}

}  // namespace

int launch_stochastic_round(const uint16_t* base, const float* change, uint16_t* result, int64_t num_elements,
                            uint64_t key, void* stream) {
  if (num_elements == 0) return 0;
  constexpr int64_t kThreads = 256, kMaxBlocks = 65536;
  const int64_t needed = (num_elements + kThreads - 1) / kThreads;
  const unsigned blocks = static_cast<unsigned>(needed < kMaxBlocks ? needed : kMaxBlocks);
  round_kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(base, change, result, num_elements, key);
  return static_cast<int>(cudaGetLastError());
}

}  // namespace plumbline
