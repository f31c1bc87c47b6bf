/// The adapter on a real model.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "plumbline/adapter/svd_adapter.h"
#include "tests/support/shared_files.h"
#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(SvdAdapterOnSmolLM2, SlowBasisOfEveryModuleReconstructsItAndTheZeroAdapterIsTheBase) {
  PL_NEED_SMOLLM2();
  const torch::NoGradGuard no_grad;
  const auto decoder = load_decoder(test::smollm2_path(), torch::kFloat32, torch::kCPU);
  const torch::Tensor ids_BT = test::tiny_ids(1, 12), base = test::tiny_logits(*decoder, ids_BT);
  auto start = std::chrono::steady_clock::now();
  SvdAdapter adapter(*decoder, {"attn-mlp"}, MergeRounding::kStochastic, /*use_cache=*/false);
  std::printf("[ measured ] SVD of %zu modules: %.1f s\n", adapter.modules().size(), seconds_since(start));
  EXPECT_EQ(adapter.modules().size(), 210u);
  EXPECT_EQ((test::tiny_logits(*decoder, ids_BT) - base).abs().max().item<double>(), 0.0);
  for (const auto& module : adapter.modules()) {
    const torch::Tensor rebuilt_OI = torch::matmul(module.basis.u_OR * module.basis.s_R, module.basis.vh_RI);
    const double error = ((rebuilt_OI - module.linear->base_OI).norm() / rebuilt_OI.norm()).item<double>();
    EXPECT_LT(error, 2e-6) << module.linear->name;
    adapter.set_delta(module.linear->name, torch::full_like(module.delta_R, 1e-2));
  }
  start = std::chrono::steady_clock::now();
  adapter.merge(0, 1);
  std::printf("[ measured ] merge: %.2f s\n", seconds_since(start));
  EXPECT_GT((test::tiny_logits(*decoder, ids_BT) - base).abs().max().item<double>(), 1e-3);
  EXPECT_LT(adapter.merge_residual(), 1e-3);
}

}  // namespace
}  // namespace plumbline
