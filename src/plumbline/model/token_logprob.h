/// Log-probabilities of given tokens from hidden states, chunked and fused: no [N, V] tensor outlives a chunk, forward
/// or backward.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace plumbline {

/// logprob_N = log softmax(h_n W^T / temperature)[id_n], float32 (float64 for float64 hidden states).
/// hidden_ND: rows already selected (completion positions only); head_VD: not differentiated; ids_N int64.
/// Differentiable in hidden_ND once; the backward recomputes each chunk. `chunk_tokens` bounds memory to chunk x V.
torch::Tensor token_logprobs(const torch::Tensor& hidden_ND, const torch::Tensor& head_VD, const torch::Tensor& ids_N,
                             double temperature, int64_t chunk_tokens = 512);

/// Entropy of the same distribution in nats, [N], never differentiated.
torch::Tensor token_entropies(const torch::Tensor& hidden_ND, const torch::Tensor& head_VD, double temperature,
                              int64_t chunk_tokens = 512);

}  // namespace plumbline
