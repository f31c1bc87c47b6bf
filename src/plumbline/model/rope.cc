#include "plumbline/model/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

/// Llama 3.1: long wavelengths are slowed by `factor`, short ones kept, those between interpolated.
torch::Tensor scale_llama3(const torch::Tensor& frequencies, const RopeConfig& rope) {
  const auto context = static_cast<double>(rope.original_context);
  const double low_wavelength = context / rope.low_freq_factor, high_wavelength = context / rope.high_freq_factor;
  const torch::Tensor wavelengths = 2 * std::numbers::pi / frequencies;
  const torch::Tensor slowed = at::where(wavelengths > low_wavelength, frequencies / rope.factor, frequencies);
  const torch::Tensor blend =
      (context / wavelengths - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
  const torch::Tensor between = (1 - blend) * slowed / rope.factor + blend * slowed;
  return at::where((wavelengths >= high_wavelength) & (wavelengths <= low_wavelength), between, slowed);
}

/// YaRN (arXiv 2309.00071): dimensions that turn more than beta_fast times over the original context are kept, those
/// that turn less than beta_slow times are slowed by `factor`, those between are blended linearly by their index.
torch::Tensor scale_yarn(const torch::Tensor& wavelengths, const RopeConfig& rope, int64_t head_size) {
  const auto size = static_cast<double>(head_size);
  const auto dimension_of = [&](double rotations) {
    return size * std::log(static_cast<double>(rope.original_context) / (rotations * 2 * std::numbers::pi)) /
           (2 * std::log(rope.theta));
  };
  double low = dimension_of(rope.beta_fast), high = dimension_of(rope.beta_slow);
  if (rope.truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, size - 1);
  if (low == high) high += 0.001;
  const torch::Tensor index = at::arange(head_size / 2, wavelengths.options());
  const torch::Tensor kept_share = 1 - ((index - low) / (high - low)).clamp(0, 1);
  return 1.0 / (rope.factor * wavelengths) * (1 - kept_share) + 1.0 / wavelengths * kept_share;
}

}  // namespace

torch::Tensor rope_inverse_frequencies(const RopeConfig& rope, int64_t head_size, torch::ScalarType dtype) {
  const torch::Tensor exponents =
      at::arange(0, head_size, 2, at::TensorOptions(dtype)) / static_cast<double>(head_size);
  const torch::Tensor wavelengths = at::pow(rope.theta, exponents);  // over 2 pi
  const torch::Tensor frequencies = 1.0 / wavelengths;
  if (rope.kind == "default") return frequencies;
  if (rope.kind == "linear") return frequencies / rope.factor;
  if (rope.kind == "llama3") return scale_llama3(frequencies, rope);
  if (rope.kind == "yarn") return scale_yarn(wavelengths, rope, head_size);
  PL_CHECK(rope.kind == "divisors" && static_cast<int64_t>(rope.divisors.size()) == head_size / 2,
           "rotary scaling '" + rope.kind + "'");
  return frequencies / torch::tensor(rope.divisors).to(dtype);
}

std::pair<torch::Tensor, torch::Tensor> rope_tables(const torch::Tensor& positions_BT,
                                                    const torch::Tensor& inverse_frequencies, double factor,
                                                    torch::ScalarType dtype) {
  const torch::Tensor angles = positions_BT.to(inverse_frequencies.scalar_type()).unsqueeze(1).unsqueeze(-1) *
                               inverse_frequencies;  // [B, 1, T, K/2]
  return {(at::cos(angles) * factor).to(dtype), (at::sin(angles) * factor).to(dtype)};
}

torch::Tensor apply_rope(const torch::Tensor& x_BHTK, const torch::Tensor& cos, const torch::Tensor& sin) {
  const int64_t half = x_BHTK.size(-1) / 2;
  const torch::Tensor first = x_BHTK.narrow(-1, 0, half), second = x_BHTK.narrow(-1, half, half);
  return at::cat({first * cos - second * sin, second * cos + first * sin}, -1);
}

}  // namespace plumbline
