/// The basis of an SVD adapter.
#pragma once

#include <torch/types.h>

namespace plumbline {

/// Thin SVD of one weight: W = U diag(S) Vh, rank R = min(O, I), columns of U and rows of Vh orthonormal.
/// float32; float64 for float64 weights, so that tests in float64 are not bounded by the basis.
struct SvdBasis {
  torch::Tensor u_OR, s_R, vh_RI;
};

/// Thin SVD through the float64 Gram matrix and eigh of the smaller side (several times faster than a direct SVD);
/// the derived side is completed by QR where a singular value is too small to divide by. Descending singular values.
/// Joint signs of (u_i, v_i), and the basis inside a repeated singular value, are arbitrary; both cancel in the adapter
/// as long as one basis is kept. weight_OI: any float dtype, any device; the result is on the same device.
/// Throws NumericError(numeric.non_finite_weight) for a weight with NaN or infinity.
SvdBasis thin_svd(const torch::Tensor& weight_OI);

}  // namespace plumbline
