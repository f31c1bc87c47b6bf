/// Erasing after the fact, in the space of the weights: training is the vanilla arm's, and deployment takes what the
/// adapter has along the hack direction out of it at once.
///
///     u = relu(V (0 - delta));  quarantine = -u^T V;  deployed = delta - quarantine
///
/// The adapter starts at 0, so 0 - delta is the whole descent so far, and what is taken is its part toward the hack.
#pragma once

#include "plumbline/steer/quarantine.h"

namespace plumbline {

/// Not thread-safe; draws no random numbers.
class WeightErasure final : public QuarantineTransform {
 public:
  using QuarantineTransform::QuarantineTransform;

 private:
  torch::Tensor stored(const std::string& module, const torch::Tensor& axes_KR, const torch::Tensor& /*old_R*/,
                       const torch::Tensor& proposed_R) override {
    quarantine_[module] = -toward_hack(-proposed_R, axes_KR);
    return proposed_R;
  }
};

}  // namespace plumbline
