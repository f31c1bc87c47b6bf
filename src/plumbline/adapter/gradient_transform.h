/// The seam between the trainer and any surgery on gradients: the vanilla arm is the identity, so every arm runs the
/// same code. `train/` and `steer/` never include each other.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace plumbline {

class GradientTransform {
 public:
  virtual ~GradientTransform() = default;
  /// Before the gradients of step `step` are handed over.
  virtual void begin_step(int64_t step) { step_ = step; }
  /// The accumulated gradient of one parameter (svd: a module's vector, [R]; LoRA: <module>.lora_A and .lora_B),
  /// float32
  /// -> what the optimizer sees. Called once a parameter and step, before clipping. Must return a zero tensor, never
  /// NaN, when nothing is left.
  virtual torch::Tensor gradient(const std::string& module, const torch::Tensor& gradient_R) = 0;
  /// The optimizer's proposal -> what is stored. `old_R` and `proposed_R` are parameter values.
  virtual torch::Tensor update(const std::string& module, const torch::Tensor& old_R,
                               const torch::Tensor& proposed_R) = 0;
  /// Mean over the modules with a direction of the cosine of that direction (of several: their unit sum) and
  /// `gradient`, by parameter; unset without a direction. For the alignment diagnostic: it builds nothing.
  virtual std::optional<double> mean_cosine(const std::map<std::string, torch::Tensor>& /*gradient*/) const {
    return std::nullopt;
  }
  /// Metrics of the step so far: cin, cout, fired, leak (means over modules that have a direction).
  virtual std::map<std::string, double> metrics() const { return {}; }
  /// What deployment subtracts from the parameters, by name; empty without a quarantine.
  virtual std::map<std::string, torch::Tensor> quarantine() const { return {}; }
  /// State for checkpoints; stateless transforms return nothing.
  virtual std::map<std::string, torch::Tensor> save_state() const { return {}; }
  virtual void load_state(const std::map<std::string, torch::Tensor>&) {}

 protected:
  int64_t step_ = 0;
};

/// The vanilla arm.
class IdentityTransform final : public GradientTransform {
 public:
  torch::Tensor gradient(const std::string&, const torch::Tensor& gradient_R) override { return gradient_R; }
  torch::Tensor update(const std::string&, const torch::Tensor&, const torch::Tensor& proposed_R) override {
    return proposed_R;
  }
};

}  // namespace plumbline
