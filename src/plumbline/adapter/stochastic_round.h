/// Stochastic rounding of merged weights to bfloat16. Source: the usual add-and-truncate form (Gupta et al.,
/// arXiv 1502.02551); ours is counter-based, so the result depends on (key, element) alone: not on threads, not on the
/// device.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace plumbline {

/// First 32 bits of SHA-256(name): gives every module a stream of its own that no change of the target set moves.
uint32_t module_stream(const std::string& module);

/// The key of one module's rounding at one step, from Stream::kMergeRounding.
uint64_t rounding_key(uint64_t seed, uint32_t step, const std::string& module);

/// bf16(base + change) of the same shape, unbiased element by element: E[result] = base + change. Elements whose change
/// is exactly 0 keep their bits. base: bfloat16, contiguous; change: float32, contiguous, same device.
torch::Tensor add_and_round_stochastically(const torch::Tensor& base, const torch::Tensor& change, uint64_t key);

#ifdef PLUMBLINE_WITH_CUDA
/// The kernel: device pointers, `stream` a cudaStream_t. Returns the CUDA error code of the launch (0 = launched).
int launch_stochastic_round(const uint16_t* base, const float* change, uint16_t* result, int64_t num_elements,
                            uint64_t key, void* stream);
#endif

}  // namespace plumbline
