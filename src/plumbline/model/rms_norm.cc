#include "plumbline/model/rms_norm.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

/// Partial sums that the compiler keeps in a vector; their number is fixed, so that a row's sum is too.
float sum_of_squares(const float* x, int64_t size) {
  constexpr int64_t kSums = 8;
  float sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= size; i += kSums) {
    for (int64_t j = 0; j < kSums; ++j) sums[j] += x[i + j] * x[i + j];
  }
  for (int64_t j = 0; i < size; ++i, ++j) sums[j] += x[i] * x[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

torch::Tensor rms_norm_of_rows(const torch::Tensor& x, const torch::Tensor& weight, double eps) {
  const torch::Tensor rows = x.contiguous(), scale = weight.contiguous(), out = at::empty_like(rows);
  const int64_t size = rows.size(-1), num_rows = rows.numel() / size;
  const auto* from = rows.const_data_ptr<float>();
  const auto* scales = scale.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / size);
  at::parallel_for(0, num_rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* in = from + row * size;
      const float mean = sum_of_squares(in, size) / static_cast<float>(size);
      const float inverse = 1.0f / std::sqrt(mean + static_cast<float>(eps));
      for (int64_t i = 0; i < size; ++i) to[row * size + i] = scales[i] * (in[i] * inverse);
    }
  });
  return out;
}

}  // namespace

torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight, double eps) {
  if (c10::InferenceMode::is_enabled() && x.device().is_cpu() && x.scalar_type() == torch::kFloat32 && x.numel() > 0) {
    return rms_norm_of_rows(x, weight, eps);
  }
  const torch::Tensor wide = x.to(wide_type(x.scalar_type()));
  const torch::Tensor normed = wide * at::rsqrt(wide.square().mean(-1, /*keepdim=*/true) + eps);
  return weight * normed.to(x.scalar_type());
}

}  // namespace plumbline
