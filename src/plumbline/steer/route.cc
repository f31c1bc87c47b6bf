#include "plumbline/steer/route.h"

#include <cmath>

namespace plumbline {
namespace {

ProjectionOptions nowhere(ProjectionOptions options) {
  options.where = ProjectionWhere::kNowhere;
  return options;
}

}  // namespace

using torch::Tensor;

RouteTransform::RouteTransform(const std::map<std::string, Tensor>& directions, const ProjectionOptions& options)
    : options_(options), measure_(directions, nowhere(options)) {
  for (const auto& [module, direction] : directions) {
    const Tensor axes_KR = direction.dim() == 1 ? direction.unsqueeze(0) : direction;
    if (axes_KR.any().item<bool>()) directions_.emplace(module, axes_KR);
  }
}

void RouteTransform::begin_step(int64_t step) {
  GradientTransform::begin_step(step);
  measure_.begin_step(step);
}

Tensor RouteTransform::gradient(const std::string& module, const Tensor& gradient_R) {
  return measure_.gradient(module, gradient_R);
}

Tensor RouteTransform::update(const std::string& module, const Tensor& old_R, const Tensor& proposed_R) {
  const auto found = directions_.find(module);
  if (found == directions_.end()) return measure_.update(module, old_R, proposed_R);
  const Tensor removed_R =
      project(old_R - proposed_R, found->second, options_.gate, options_.overshoot, false).removed_R;
  const auto [noted, is_new] = quarantine_.try_emplace(module, -removed_R);
  if (!is_new) noted->second = noted->second - removed_R.to(noted->second.device());
  return measure_.update(module, old_R, proposed_R);
}

std::optional<double> RouteTransform::mean_cosine(const std::map<std::string, Tensor>& gradient) const {
  return measure_.mean_cosine(gradient);
}

std::map<std::string, double> RouteTransform::metrics() const {
  std::map<std::string, double> all = measure_.metrics();
  double squares = 0;
  for (const auto& [module, value_R] : quarantine_) {
    squares += value_R.to(torch::kFloat64).square().sum().item<double>();
  }
  all["quarantine_norm"] = std::sqrt(squares);
  return all;
}

}  // namespace plumbline
