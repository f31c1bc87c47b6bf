/// A projection whose direction is extracted anew on the weights of training: steer.refresh_every.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/steer/hack_direction.h"
#include "plumbline/steer/projector.h"

namespace plumbline {

/// Before the gradients of steps every + 1, 2 every + 1, ... the direction is replaced by one of the current weights;
/// the first `every` steps use the one it is given. Not thread-safe.
class RefreshedDirection final : public GradientTransform {
 public:
  /// `extract` makes a direction of the same modules on the weights as merged at that moment.
  RefreshedDirection(HackDirection direction, const ProjectionOptions& options, int64_t every,
                     std::function<HackDirection()> extract);

  void begin_step(int64_t step) override;
  torch::Tensor gradient(const std::string& module, const torch::Tensor& gradient_R) override;
  torch::Tensor update(const std::string& module, const torch::Tensor& old_R, const torch::Tensor& proposed_R) override;
  std::optional<double> mean_cosine(const std::map<std::string, torch::Tensor>& gradient) const override;
  /// Those of the projection, and in a step that refreshed, overlap: mean over modules of |<v, w>| of the direction
  /// before and after (1 = the same).
  std::map<std::string, double> metrics() const override;
  /// The axes in use.
  std::map<std::string, torch::Tensor> save_state() const override;
  void load_state(const std::map<std::string, torch::Tensor>& state) override;

 private:
  void use(HackDirection direction);

  const ProjectionOptions options_;
  const int64_t every_;
  const std::function<HackDirection()> extract_;
  HackDirection direction_;
  std::unique_ptr<ProjectionTransform> projection_;
  std::optional<double> overlap_;
};

}  // namespace plumbline
