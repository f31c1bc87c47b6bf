#include "plumbline/steer/control_direction.h"

#include "plumbline/adapter/stochastic_round.h"
#include "plumbline/base/rng.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// Gram-Schmidt over independent normal vectors: uniform over orthonormal frames.
Tensor random_axes(const Tensor& like_KR, CounterRng& rng) {
  Tensor axes_KR = torch::zeros(like_KR.sizes(), torch::kFloat64);
  for (int64_t k = 0; k < like_KR.size(0); ++k) {
    if (!like_KR[k].any().item<bool>()) continue;
    Tensor normals_R = torch::empty({like_KR.size(1)}, torch::kFloat64);
    double* values = normals_R.mutable_data_ptr<double>();
    for (int64_t i = 0; i < normals_R.numel(); ++i) values[i] = rng.next_normal();
    normals_R = normals_R - axes_KR.t().mv(axes_KR.mv(normals_R));
    axes_KR[k] = normals_R / normals_R.norm();
  }
  return axes_KR;
}

}  // namespace

HackDirection haar_direction(const HackDirection& like, uint64_t seed, uint32_t draw) {
  HackDirection direction = like;
  direction.metadata.method = "haar." + std::to_string(draw);
  for (auto& [name, module] : direction.modules) {
    CounterRng rng({seed, Stream::kHaarDirection, draw, module_stream(name)});
    module.axes_KR = random_axes(module.axes_KR, rng).to(module.axes_KR.scalar_type());
  }
  return direction;
}

PairDifferences shuffle_labels(const PairDifferences& differences, uint64_t seed, uint32_t draw) {
  PairDifferences shuffled = differences;
  std::vector<double> signs;
  for (size_t pair = 0; pair < differences.flavors.size(); ++pair) {
    CounterRng rng({seed, Stream::kShuffledLabels, draw, static_cast<uint32_t>(pair)});
    signs.push_back(rng.next_below(2) == 0 ? 1 : -1);
    if (signs.back() < 0) std::swap(shuffled.nll_hack[pair], shuffled.nll_clean[pair]);
  }
  const Tensor signs_P = torch::tensor(signs, torch::kFloat64);
  for (auto& [module, rows_PR] : shuffled.differences_PR) {
    rows_PR = rows_PR * signs_P.to(rows_PR.scalar_type()).unsqueeze(1);
  }
  return shuffled;
}

}  // namespace plumbline
