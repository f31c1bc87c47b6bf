/// RMSNorm (arXiv 1910.07467), rounding in the order in which transformers rounds.
#pragma once

#include <torch/types.h>

namespace plumbline {

/// What sums are kept in: float64 for float64, else float32.
inline torch::ScalarType wide_type(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
}

/// x / sqrt(mean over the last dimension of x^2 + eps), rounded to the dtype of x, then times weight. Differentiable.
/// In inference mode, which is sampling's, float32 on a CPU takes one pass of its own: a decode step is a chain of
/// small operations, and this one would be six. A pass that is only free of gradients rounds as training does, so that
/// the KL to a reference of the same weights is exactly 0.
torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight, double eps);

}  // namespace plumbline
