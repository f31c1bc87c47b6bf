/// Attention of one new token a row over a cache, on the CPU.
#pragma once

#include <torch/types.h>

namespace plumbline {

/// Row b attends to positions 0 .. positions_B[b] of its own cache, or with `window_tokens` > 0 to the last that many
/// of them, and to nothing else: no padding is computed, so a row's result, bit for bit, does not depend on the other
/// rows. scaled_dot_product_attention promises no such thing.
///
/// q_BHK; k_BHTK and v_BHTK with H = kv heads, rows of K contiguous; positions_B int64, each < T. float32, bfloat16
/// (sums in float32) or float64, one dtype for all. Scores are scaled by 1/sqrt(K). Returns [B, H, K]. Not
/// differentiable.
torch::Tensor decode_attention_cpu(const torch::Tensor& q_BHK, const torch::Tensor& k_BHTK, const torch::Tensor& v_BHTK,
                                   const torch::Tensor& positions_B, int64_t window_tokens = 0);

/// Writes each row's new token to its place: cache_BHTK[b, :, positions_B[b], :] = token_BHK[b]. Same dtype, any.
void write_token_cpu(torch::Tensor& cache_BHTK, const torch::Tensor& token_BHK, const torch::Tensor& positions_B);

}  // namespace plumbline
