#include "plumbline/run/refreshed_direction.h"

#include "plumbline/base/error.h"
#include "plumbline/steer/extraction.h"

namespace plumbline {

using torch::Tensor;

RefreshedDirection::RefreshedDirection(HackDirection direction, const ProjectionOptions& options, int64_t every,
                                       std::function<HackDirection()> extract)
    : options_(options), every_(every), extract_(std::move(extract)) {
  use(std::move(direction));
}

void RefreshedDirection::use(HackDirection direction) {
  direction_ = std::move(direction);
  projection_ = std::make_unique<ProjectionTransform>(direction_.axes(), options_);
}

void RefreshedDirection::begin_step(int64_t step) {
  GradientTransform::begin_step(step);
  overlap_.reset();
  if (step > 1 && (step - 1) % every_ == 0) {
    HackDirection fresh;
    {
      const torch::AutoGradMode with_gradients(true);  // the caller's phase has none
      fresh = extract_();
    }
    overlap_ = direction_overlap(direction_, fresh);
    use(std::move(fresh));
  }
  projection_->begin_step(step);
}

Tensor RefreshedDirection::gradient(const std::string& module, const Tensor& gradient_R) {
  return projection_->gradient(module, gradient_R);
}

Tensor RefreshedDirection::update(const std::string& module, const Tensor& old_R, const Tensor& proposed_R) {
  return projection_->update(module, old_R, proposed_R);
}

std::optional<double> RefreshedDirection::mean_cosine(const std::map<std::string, Tensor>& gradient) const {
  return projection_->mean_cosine(gradient);
}

std::map<std::string, double> RefreshedDirection::metrics() const {
  std::map<std::string, double> all = projection_->metrics();
  if (overlap_) all["overlap"] = *overlap_;
  return all;
}

std::map<std::string, Tensor> RefreshedDirection::save_state() const {
  return direction_.axes();
}

void RefreshedDirection::load_state(const std::map<std::string, Tensor>& state) {
  HackDirection stored = direction_;
  for (auto& [name, module] : stored.modules) {
    const auto found = state.find(name);
    if (found == state.end() || found->second.sizes() != module.axes_KR.sizes()) {
      throw DataError("data.checkpoint", "the checkpoint lacks the direction in use", name,
                      "resume with the run's own resolved.toml");
    }
    module.axes_KR = found->second.clone();
  }
  use(std::move(stored));
}

}  // namespace plumbline
