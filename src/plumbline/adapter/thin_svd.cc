#include "plumbline/adapter/thin_svd.h"

#include <torch/csrc/autograd/grad_mode.h>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// A column W v_i / s_i has an error of about eps * (s_0 / s_i)^2 in its angles to the others: 2e-8 here.
constexpr double kSafeRatio = 1e-4;

/// SVD of a matrix with at least as many rows as columns, all in float64.
SvdBasis tall_svd(const Tensor& weight_OI) {
  const auto [squares_R, v_ascending_IR] = torch::linalg_eigh(torch::matmul(weight_OI.t(), weight_OI));
  Tensor s_R = squares_R.flip(0).clamp_min(0).sqrt();
  Tensor v_IR = v_ascending_IR.flip(1);
  Tensor u_OR = torch::matmul(weight_OI, v_IR);
  const int64_t num_safe = (s_R > kSafeRatio * s_R.max()).sum().item<int64_t>();
  u_OR.slice(1, 0, num_safe).div_(s_R.slice(0, 0, num_safe));
  if (num_safe == s_R.size(0)) return {u_OR, s_R, v_IR.t()};

  // The small tail: Householder QR keeps the safe columns (up to a sign), makes the others orthogonal to them and
  // invents columns where nothing is left. The diagonal of R holds the tail's singular values.
  const auto [q_OR, r_RR] = torch::linalg_qr(u_OR);
  const Tensor diagonal_R = r_RR.diagonal();
  u_OR = q_OR * torch::where(diagonal_R < 0, -torch::ones_like(diagonal_R), torch::ones_like(diagonal_R));
  s_R.slice(0, num_safe).copy_(diagonal_R.slice(0, num_safe).abs());
  const Tensor order_R = std::get<1>(s_R.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true));
  return {u_OR.index_select(1, order_R), s_R.index_select(0, order_R), v_IR.index_select(1, order_R).t()};
}

}  // namespace

SvdBasis thin_svd(const Tensor& weight_OI) {
  PL_CHECK(weight_OI.dim() == 2 && weight_OI.numel() > 0, "thin_svd needs a matrix");
  const torch::NoGradGuard no_grad;
  const Tensor wide_OI = weight_OI.to(torch::kFloat64);
  if (!wide_OI.isfinite().all().item<bool>()) {
    throw NumericError("numeric.non_finite_weight", "a weight holds NaN or infinity", "",
                       "check the checkpoint's files");
  }
  const bool tall = wide_OI.size(0) >= wide_OI.size(1);
  const SvdBasis basis = tall_svd(tall ? wide_OI : wide_OI.t());
  const auto dtype = weight_OI.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
  const auto finish = [&](const Tensor& tensor) { return tensor.to(dtype).contiguous(); };
  if (tall) return {finish(basis.u_OR), finish(basis.s_R), finish(basis.vh_RI)};
  return {finish(basis.vh_RI.t()), finish(basis.s_R), finish(basis.u_OR.t())};
}

}  // namespace plumbline
