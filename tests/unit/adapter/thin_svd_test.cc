#include "plumbline/adapter/thin_svd.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

using torch::Tensor;

double largest(const Tensor& tensor) {
  return tensor.abs().max().item<double>();
}

/// A matrix with the given singular values and random orthonormal factors.
Tensor with_singular_values(int64_t rows, int64_t columns, const Tensor& s_R) {
  torch::manual_seed(11);
  const auto orthonormal = [&](int64_t size) {
    return std::get<0>(torch::linalg_qr(torch::randn({size, s_R.size(0)}, torch::kFloat64)));
  };
  return torch::matmul(orthonormal(rows) * s_R, orthonormal(columns).t());
}

/// Orthonormal factors, descending values, and W = U diag(S) Vh, each within `tolerance` (of the largest value).
void expect_svd_of(const Tensor& weight_OI, const SvdBasis& basis, double tolerance) {
  const int64_t rank = std::min(weight_OI.size(0), weight_OI.size(1));
  ASSERT_EQ(basis.u_OR.sizes(), (std::vector<int64_t>{weight_OI.size(0), rank}));
  ASSERT_EQ(basis.s_R.sizes(), (std::vector<int64_t>{rank}));
  ASSERT_EQ(basis.vh_RI.sizes(), (std::vector<int64_t>{rank, weight_OI.size(1)}));
  const Tensor u = basis.u_OR.to(torch::kFloat64), s = basis.s_R.to(torch::kFloat64),
               vh = basis.vh_RI.to(torch::kFloat64), eye = torch::eye(rank, torch::kFloat64);
  EXPECT_LT(largest(torch::matmul(u.t(), u) - eye), tolerance);
  EXPECT_LT(largest(torch::matmul(vh, vh.t()) - eye), tolerance);
  EXPECT_GE(s.min().item<double>(), 0);
  EXPECT_TRUE((s.slice(0, 1) <= s.slice(0, 0, rank - 1)).all().item<bool>());
  const double scale = std::max(largest(weight_OI.to(torch::kFloat64)), 1e-300);
  EXPECT_LT(largest(torch::matmul(u * s, vh) - weight_OI.to(torch::kFloat64)) / scale, 10 * tolerance);
}

TEST(ThinSvd, TallWideAndSquareAreReconstructedWithOrthonormalFactors) {
  torch::manual_seed(5);
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{40, 24}, {24, 40}, {32, 32}, {1, 7}}) {
    const Tensor weight = torch::randn({rows, columns}, torch::kFloat32);
    expect_svd_of(weight, thin_svd(weight), 1e-6);
    expect_svd_of(weight.to(torch::kFloat64), thin_svd(weight.to(torch::kFloat64)), 1e-7);
  }
}

TEST(ThinSvd, SingularValuesAreTheGivenOnes) {
  const Tensor s_R = torch::tensor({5.0, 3.0, 2.5, 1.0, 0.25, 0.01}, torch::kFloat64);
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{9, 6}, {6, 9}, {6, 6}}) {
    const SvdBasis basis = thin_svd(with_singular_values(rows, columns, s_R));
    EXPECT_LT(largest(basis.s_R - s_R), 1e-10);
  }
}

TEST(ThinSvd, RankDeficientWeightsGetACompleteOrthonormalBasis) {
  const Tensor s_R = torch::tensor({4.0, 2.0, 1.0, 0.0, 0.0, 0.0}, torch::kFloat64);
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{10, 6}, {6, 10}, {6, 6}}) {
    const Tensor weight = with_singular_values(rows, columns, s_R).to(torch::kFloat32);
    const SvdBasis basis = thin_svd(weight);
    expect_svd_of(weight, basis, 1e-6);
    EXPECT_LT(basis.s_R[3].item<double>(), 1e-6);
  }
  Tensor zero_rows = torch::randn({12, 12});
  zero_rows.slice(0, 4, 8).zero_();
  expect_svd_of(zero_rows, thin_svd(zero_rows), 1e-6);
  expect_svd_of(torch::zeros({5, 3}), thin_svd(torch::zeros({5, 3})), 1e-6);
}

TEST(ThinSvd, ValuesSpreadOverManyOrdersKeepOrthogonality) {
  const Tensor s_R = torch::pow(10.0, -torch::arange(0, 16, torch::kFloat64));
  const Tensor weight = with_singular_values(30, 16, s_R);
  expect_svd_of(weight, thin_svd(weight), 1e-7);
}

TEST(ThinSvd, RepeatedSingularValuesKeepOrthogonalityAndReconstruction) {
  const Tensor s_R = torch::tensor({3.0, 2.0, 2.0, 2.0, 1.0, 1.0}, torch::kFloat64);
  const Tensor weight = with_singular_values(8, 6, s_R).to(torch::kFloat32);
  expect_svd_of(weight, thin_svd(weight), 1e-6);
  expect_svd_of(torch::eye(9), thin_svd(torch::eye(9)), 1e-6);
}

TEST(ThinSvd, Bfloat16WeightsGiveAFloat32Basis) {
  torch::manual_seed(6);
  const Tensor weight = torch::randn({20, 12}).to(torch::kBFloat16);
  const SvdBasis basis = thin_svd(weight);
  EXPECT_EQ(basis.u_OR.scalar_type(), torch::kFloat32);
  expect_svd_of(weight, basis, 1e-6);
}

TEST(ThinSvd, NonFiniteWeightsAreRefused) {
  Tensor weight = torch::ones({3, 3});
  weight[1][2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(thin_svd(weight), NumericError);
}

}  // namespace
}  // namespace plumbline
