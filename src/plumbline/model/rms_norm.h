/// RMSNorm (arXiv 1910.07467), rounding in the order in which transformers rounds.
#pragma once

#include <torch/types.h>

namespace plumbline {

/// What sums are kept in: float64 for float64, else float32.
inline torch::ScalarType wide_type(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
}

/// x / sqrt(mean over the last dimension of x^2 + eps), rounded to the dtype of x, then times weight. Differentiable.
inline torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight, double eps) {
  const torch::Tensor wide = x.to(wide_type(x.scalar_type()));
  const torch::Tensor normed = wide * at::rsqrt(wide.square().mean(-1, /*keepdim=*/true) + eps);
  return weight * normed.to(x.scalar_type());
}

}  // namespace plumbline
