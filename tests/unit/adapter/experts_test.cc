/// The SVD adapter on a mixture of experts: every expert its own basis and delta.
#include <gtest/gtest.h>

#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/adapter/target_modules.h"
#include "tests/support/golden_model.h"

namespace plumbline {
namespace {

const std::vector<std::string> kExperts = {"*.experts.*"};

std::unique_ptr<Decoder> mixture() {
  return load_decoder(test::source_path("tests/golden/models/qwen3-moe-sparse"), torch::kFloat64, torch::kCPU);
}

torch::Tensor loss_of(const Decoder& decoder) {
  const torch::Tensor ids_BT = (torch::arange(14, torch::kInt64) * 11 % 61 + 3).view({2, 7});
  const torch::Tensor logits = decoder.logits(decoder.hidden(test::plain_batch(ids_BT)));
  return at::log_softmax(logits, -1).select(-1, 5).sum();
}

/// Deltas that differ by expert and entry.
void set_deltas(SvdAdapter& adapter) {
  for (size_t i = 0; i < adapter.modules().size(); ++i) {
    const SvdAdapter::Module& module = adapter.modules()[i];
    const torch::Tensor entries = torch::arange(module.delta_R.numel(), torch::kFloat64);
    adapter.set_delta(module.linear->name, 0.02 * at::sin(entries + static_cast<double>(i)));
  }
  adapter.merge(0, 0);
}

std::map<std::string, torch::Tensor> gradients_of(SvdAdapter& adapter) {
  adapter.begin_gradients();
  loss_of(adapter.decoder()).backward();
  return adapter.take_gradients();
}

TEST(SvdAdapterOnExperts, EveryExpertIsAModule) {
  const auto decoder = mixture();
  const SvdAdapter adapter(*decoder, kExperts, MergeRounding::kNearest, /*use_cache=*/false);
  ASSERT_EQ(adapter.modules().size(), 15u);  // one layer of five experts
  for (const SvdAdapter::Module& module : adapter.modules()) EXPECT_EQ(module.delta_R.numel(), 12);
  EXPECT_FALSE(at::equal(adapter.modules()[0].basis.s_R, adapter.modules()[3].basis.s_R));
}

TEST(SvdAdapterOnExperts, GradientsAreThoseOfTheUnmergedPathAndOfDifferences) {
  const auto merged_decoder = mixture(), plain_decoder = mixture();
  SvdAdapter merged(*merged_decoder, kExperts, MergeRounding::kNearest, /*use_cache=*/false);
  SvdAdapter plain(*plain_decoder, kExperts, MergeRounding::kUnmerged, /*use_cache=*/false);
  const double base = loss_of(*merged_decoder).item<double>();
  set_deltas(merged);
  set_deltas(plain);
  EXPECT_GT(std::abs(loss_of(*merged_decoder).item<double>() - base), 1e-3);
  EXPECT_NEAR(loss_of(*merged_decoder).item<double>(), loss_of(*plain_decoder).item<double>(), 1e-9);
  const auto from_merged = gradients_of(merged), from_plain = gradients_of(plain);
  int num_reached = 0;
  for (const auto& [name, gradient_R] : from_merged) {
    EXPECT_LT((gradient_R - from_plain.at(name)).abs().max().item<double>(), 1e-9) << name;
    num_reached += gradient_R.any().item<bool>() ? 1 : 0;
  }
  EXPECT_GE(num_reached, 6);  // two experts at the least
  // Central differences on one entry of every module; the choice of experts does not move that little.
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-5;
  for (const SvdAdapter::Module& module : merged.modules()) {
    const std::string name = module.linear->name;
    const torch::Tensor own_R = module.delta_R.clone();
    std::array<double, 2> losses{};
    for (const size_t side : {0, 1}) {
      torch::Tensor moved_R = own_R.clone();
      moved_R[3] += side == 0 ? -kStep : kStep;
      merged.set_delta(name, moved_R);
      merged.merge(0, 0);
      losses[side] = loss_of(*merged_decoder).item<double>();
    }
    merged.set_delta(name, own_R);
    EXPECT_NEAR((losses[1] - losses[0]) / (2 * kStep), from_merged.at(name)[3].item<double>(), 1e-5) << name;
  }
}

}  // namespace
}  // namespace plumbline
