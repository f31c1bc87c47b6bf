#include "plumbline/model/rms_norm.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// The formula in float64.
torch::Tensor formula(const torch::Tensor& x, const torch::Tensor& weight, double eps) {
  const torch::Tensor wide = x.to(torch::kFloat64);
  return weight.to(torch::kFloat64) * wide / at::sqrt(wide.square().mean(-1, /*keepdim=*/true) + eps);
}

TEST(RmsNorm, IsTheFormulaInTrainingAndInSampling) {
  torch::manual_seed(7);
  for (const int64_t size : {1, 3, 8, 24, 96, 577}) {
    const torch::Tensor x = torch::randn({2, 5, size}) * 3, weight = torch::randn({size});
    const torch::Tensor expected = formula(x, weight, 1e-6);
    const double tolerance = 1e-6 * expected.abs().max().item<double>();
    EXPECT_LT((rms_norm(x, weight, 1e-6).to(torch::kFloat64) - expected).abs().max().item<double>(), tolerance);
    const torch::Tensor trained = rms_norm(x.clone().requires_grad_(), weight, 1e-6).detach();
    {
      const torch::NoGradGuard no_grad;
      EXPECT_TRUE(at::equal(rms_norm(x, weight, 1e-6), trained)) << size;
    }
    const c10::InferenceMode inference;
    EXPECT_LT((rms_norm(x, weight, 1e-6).to(torch::kFloat64) - expected).abs().max().item<double>(), tolerance);
    const torch::Tensor strided = x.transpose(0, 1);
    EXPECT_TRUE(at::equal(rms_norm(strided, weight, 1e-6), rms_norm(x, weight, 1e-6).transpose(0, 1))) << size;
  }
}

TEST(RmsNorm, ARowDoesNotDependOnTheOthersAndNanStaysInItsRow) {
  torch::manual_seed(8);
  const c10::InferenceMode inference;
  torch::Tensor x = torch::randn({6, 96});
  const torch::Tensor weight = torch::randn({96}), all = rms_norm(x, weight, 1e-6);
  for (int64_t row = 0; row < 6; ++row) EXPECT_TRUE(at::equal(all[row], rms_norm(x[row], weight, 1e-6)));
  x[2][5] = std::nanf("");
  const torch::Tensor with_nan = rms_norm(x, weight, 1e-6);
  EXPECT_TRUE(with_nan[2].isnan().all().item<bool>());
  EXPECT_TRUE(at::equal(with_nan[3], all[3]));
}

}  // namespace
}  // namespace plumbline
