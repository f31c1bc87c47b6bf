/// Gradient routing: movement toward the hack is not removed but noted in a quarantine, which training keeps and
/// deployment drops.
///
///     d = old - proposed;  u = relu(V d);  quarantine <- quarantine - u^T V;  deployed = delta - quarantine
///
/// Source: Cloud et al., "Gradient Routing" (arXiv 2410.04332), as docs/method/hack_direction.md has it. Ours: what is
/// split is the optimizer's step, so that the whole adapter moves exactly as the vanilla arm's, and so does every
/// rollout; only deployment differs.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "plumbline/steer/projector.h"

namespace plumbline {

/// Not thread-safe; draws no random numbers.
class RouteTransform final : public GradientTransform {
 public:
  /// As ProjectionTransform's; the gate and the overshoot of `options` decide what of a step is quarantined.
  RouteTransform(const std::map<std::string, torch::Tensor>& directions, const ProjectionOptions& options);

  void begin_step(int64_t step) override;
  torch::Tensor gradient(const std::string& module, const torch::Tensor& gradient_R) override;
  torch::Tensor update(const std::string& module, const torch::Tensor& old_R, const torch::Tensor& proposed_R) override;
  std::optional<double> mean_cosine(const std::map<std::string, torch::Tensor>& gradient) const override;
  /// Those of a projection that changes nothing, and quarantine_norm: the norm of the whole quarantine.
  std::map<std::string, double> metrics() const override;
  /// By module, in the dtype of the parameter; modules that nothing was noted for are not named.
  std::map<std::string, torch::Tensor> quarantine() const override { return quarantine_; }
  std::map<std::string, torch::Tensor> save_state() const override { return quarantine_; }
  void load_state(const std::map<std::string, torch::Tensor>& state) override { quarantine_ = state; }

 private:
  const ProjectionOptions options_;
  std::map<std::string, torch::Tensor> directions_;  ///< [K, R], without the zero ones
  ProjectionTransform measure_;
  std::map<std::string, torch::Tensor> quarantine_;
};

}  // namespace plumbline
