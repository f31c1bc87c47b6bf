/// Gradient routing: movement toward the hack is not removed but noted in a quarantine, which training keeps and
/// deployment drops.
///
///     d = old - proposed;  r = u^T V with u = relu(V d);  quarantine <- quarantine - a r
///     stored = proposed - (a - 1) r;  deployed = delta - quarantine
///
/// Source: Cloud et al., "Gradient Routing" (arXiv 2410.04332), as docs/method/hack_direction.md has it. Ours: what is
/// split is the optimizer's step. With a = 1 (route) the whole adapter moves exactly as the vanilla arm's, and so does
/// every rollout; only deployment differs. With a > 1 (absorb) training moves faster along the hack, all of it in the
/// quarantine, so that hacking is learnt there before the rest of the adapter learns it.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "plumbline/steer/quarantine.h"

namespace plumbline {

/// Not thread-safe; draws no random numbers.
class RouteTransform final : public QuarantineTransform {
 public:
  /// The gate and the overshoot of `options` decide what of a step is quarantined; `absorption` is a, at least 1.
  RouteTransform(const std::map<std::string, torch::Tensor>& directions, const ProjectionOptions& options,
                 double absorption = 1)
      : QuarantineTransform(directions, options), absorption_(absorption) {}

 private:
  torch::Tensor stored(const std::string& module, const torch::Tensor& axes_KR, const torch::Tensor& old_R,
                       const torch::Tensor& proposed_R) override;

  const double absorption_;
};

}  // namespace plumbline
