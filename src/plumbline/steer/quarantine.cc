#include "plumbline/steer/quarantine.h"

#include <cmath>

namespace plumbline {
namespace {

ProjectionOptions nowhere(ProjectionOptions options) {
  options.where = ProjectionWhere::kNowhere;
  return options;
}

}  // namespace

using torch::Tensor;

QuarantineTransform::QuarantineTransform(const std::map<std::string, Tensor>& directions,
                                         const ProjectionOptions& options)
    : options_(options), measure_(directions, nowhere(options)) {
  for (const auto& [module, direction] : directions) {
    const Tensor axes_KR = direction.dim() == 1 ? direction.unsqueeze(0) : direction;
    if (axes_KR.any().item<bool>()) axes_.emplace(module, axes_KR);
  }
}

void QuarantineTransform::begin_step(int64_t step) {
  GradientTransform::begin_step(step);
  measure_.begin_step(step);
}

Tensor QuarantineTransform::gradient(const std::string& module, const Tensor& gradient_R) {
  return measure_.gradient(module, gradient_R);
}

Tensor QuarantineTransform::update(const std::string& module, const Tensor& old_R, const Tensor& proposed_R) {
  const auto found = axes_.find(module);
  return measure_.update(module, old_R,
                         found == axes_.end() ? proposed_R : stored(module, found->second, old_R, proposed_R));
}

Tensor QuarantineTransform::toward_hack(const Tensor& step_R, const Tensor& axes_KR) const {
  return project(step_R, axes_KR, options_.gate, options_.overshoot, false).removed_R;
}

std::optional<double> QuarantineTransform::mean_cosine(const std::map<std::string, Tensor>& gradient) const {
  return measure_.mean_cosine(gradient);
}

std::map<std::string, double> QuarantineTransform::metrics() const {
  std::map<std::string, double> all = measure_.metrics();
  double squares = 0;
  for (const auto& [module, value_R] : quarantine_) {
    squares += value_R.to(torch::kFloat64).square().sum().item<double>();
  }
  all["quarantine_norm"] = std::sqrt(squares);
  return all;
}

}  // namespace plumbline
