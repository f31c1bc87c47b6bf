/// Rotary position embeddings (RoFormer, arXiv 2104.09864) with halves rotated against each other, as Hugging Face
/// checkpoints are stored; scaling as transformers 5 computes it.
#pragma once

#include <torch/types.h>

#include <utility>

#include "plumbline/model/decoder_config.h"

namespace plumbline {

/// Angle per position of each pair, [K/2] on the CPU in `dtype`: float32 as transformers has it, float64 for float64
/// weights. `rope.kind` must be known (PL_CHECK).
torch::Tensor rope_inverse_frequencies(const RopeConfig& rope, int64_t head_size, torch::ScalarType dtype);

/// Cosines and sines, each [B, 1, T, K/2], computed and multiplied by `factor` (RopeConfig::attention_factor) in the
/// dtype of the frequencies and cast to `dtype`.
std::pair<torch::Tensor, torch::Tensor> rope_tables(const torch::Tensor& positions_BT,
                                                    const torch::Tensor& inverse_frequencies, double factor,
                                                    torch::ScalarType dtype);

/// x_BHTK with each pair (i, i + K/2) rotated. Differentiable in x.
torch::Tensor apply_rope(const torch::Tensor& x_BHTK, const torch::Tensor& cos, const torch::Tensor& sin);

}  // namespace plumbline
