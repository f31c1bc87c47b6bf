/// What arms that train with a quarantine have in common: gradients pass as they are and are measured against the
/// direction, and deployment subtracts the quarantine from the adapter.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "plumbline/steer/projector.h"

namespace plumbline {

class QuarantineTransform : public GradientTransform {
 public:
  /// Directions as ProjectionTransform's.
  QuarantineTransform(const std::map<std::string, torch::Tensor>& directions, const ProjectionOptions& options);

  void begin_step(int64_t step) override;
  torch::Tensor gradient(const std::string& module, const torch::Tensor& gradient_R) override;
  torch::Tensor update(const std::string& module, const torch::Tensor& old_R, const torch::Tensor& proposed_R) override;
  std::optional<double> mean_cosine(const std::map<std::string, torch::Tensor>& gradient) const override;
  /// Those of a projection that changes nothing, and quarantine_norm: the norm of the whole quarantine.
  std::map<std::string, double> metrics() const override;
  /// By module, in the dtype of the parameter; modules without a direction are not named.
  std::map<std::string, torch::Tensor> quarantine() const override { return quarantine_; }
  std::map<std::string, torch::Tensor> save_state() const override { return quarantine_; }
  void load_state(const std::map<std::string, torch::Tensor>& state) override { quarantine_ = state; }

 protected:
  /// What is stored of a proposal; brings the module's quarantine up to date.
  virtual torch::Tensor stored(const std::string& module, const torch::Tensor& axes_KR, const torch::Tensor& old_R,
                               const torch::Tensor& proposed_R) = 0;
  /// What the options' gate and overshoot remove of a descent step.
  torch::Tensor toward_hack(const torch::Tensor& step_R, const torch::Tensor& axes_KR) const;

  std::map<std::string, torch::Tensor> quarantine_;

 private:
  const ProjectionOptions options_;
  std::map<std::string, torch::Tensor> axes_;  ///< [K, R], without the zero ones
  ProjectionTransform measure_;
};

}  // namespace plumbline
