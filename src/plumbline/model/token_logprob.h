/// Log-probabilities of given tokens from hidden states, chunked and fused: no [N, V] tensor outlives a chunk, forward
/// or backward. Temperature divides the logits, before the softmax. Nothing here draws random numbers; all functions
/// are re-entrant.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace plumbline {

/// hidden_ND W^T in float32 (float64 for float64), [N, V]; a narrower head is widened a slice of the vocabulary at a
/// time. Not for long N under autograd: this is the tensor that the functions below avoid.
torch::Tensor head_logits(const torch::Tensor& hidden_ND, const torch::Tensor& head_VD);

/// logprob_N = log softmax(h_n W^T / temperature)[id_n], float32 (float64 for float64 hidden states).
/// hidden_ND: rows already selected (completion positions only); head_VD: same dtype, not differentiated; ids_N int64
/// in [0, V). Logits are float32 products whatever the weights' dtype, as in Decoder::logits: rounded to bfloat16 they
/// would swallow what a small update changes.
/// Differentiable in hidden_ND once; the backward recomputes each chunk. `chunk_tokens` bounds memory to a few tensors
/// of [chunk_tokens, V]; it never changes the result beyond the rounding of a matrix product.
torch::Tensor token_logprobs(const torch::Tensor& hidden_ND, const torch::Tensor& head_VD, const torch::Tensor& ids_N,
                             double temperature, int64_t chunk_tokens = 512);

/// Entropy of the same distribution in nats, [N], never differentiated.
torch::Tensor token_entropies(const torch::Tensor& hidden_ND, const torch::Tensor& head_VD, double temperature,
                              int64_t chunk_tokens = 512);

/// What the two above do with the logits of one chunk: log softmax(logits_NV / temperature)[ids_N], widened to float32
/// (float64 stays). Logits may be -inf (a token that cannot be drawn), never all of a row.
torch::Tensor logprobs_of_logits(const torch::Tensor& logits_NV, const torch::Tensor& ids_N, double temperature);
/// -sum p ln p of softmax(logits_NV / temperature), [N]; a token of probability 0 adds 0.
torch::Tensor entropies_of_logits(const torch::Tensor& logits_NV, double temperature);

}  // namespace plumbline
