#include "plumbline/steer/projector.h"

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"

namespace plumbline {
namespace {

using torch::Tensor;

constexpr double kNothingLeft = 1e-6;  ///< of the norm: what remains below it is rounding
constexpr double kFiredAbove = 1e-6;   ///< of the norm, for the relu family

/// Vectors are short: on the CPU in float64 the result is the same on every device.
Tensor exact(const Tensor& vector) {
  return vector.detach().to(torch::kCPU, torch::kFloat64);
}

double norm_of(const Tensor& vector) {
  return vector.norm().item<double>();
}

Projection project_exact(const Tensor& vector_R, const Tensor& directions_KR, ProjectionGate gate, double overshoot,
                         bool preserve_magnitude) {
  Tensor taken_K = torch::mv(directions_KR, vector_R);
  if (gate == ProjectionGate::kOneSided) taken_K = torch::relu(taken_K);
  if (gate == ProjectionGate::kReverse) taken_K = 2 * taken_K;
  const Tensor removed_R = overshoot * torch::mv(directions_KR.t(), taken_K);
  const Tensor kept_R = vector_R - removed_R;
  const double norm_before = norm_of(vector_R), norm_after = norm_of(kept_R);
  if (norm_after <= kNothingLeft * norm_before) return {torch::zeros_like(kept_R), removed_R};
  return {preserve_magnitude ? kept_R * (norm_before / norm_after) : kept_R, removed_R};
}

double share_exact(const Tensor& vector_R, const Tensor& directions_KR, bool positive_only) {
  const double norm = norm_of(vector_R);
  if (norm == 0) return 0;
  const Tensor along_K = torch::mv(directions_KR, vector_R);
  return norm_of(positive_only ? torch::relu(along_K) : along_K) / norm;
}

/// cos(vector, v); both norms count, since a stored v is unit only to its dtype's rounding.
double cosine_exact(const Tensor& vector_R, const Tensor& direction_R) {
  const double norm = norm_of(vector_R) * norm_of(direction_R);
  return norm == 0 ? 0 : vector_R.dot(direction_R).item<double>() / norm;
}

}  // namespace

ProjectionOptions projection_options(const SteerOptions& options) {
  const auto pick = [](const auto& values, const std::string& key, const std::string& value) {
    const auto found = values.find(value);
    if (found != values.end()) return found->second;
    std::string names;
    for (const auto& entry : values) names += (names.empty() ? "" : ", ") + entry.first;
    throw ConfigError("config.not_allowed", "'" + value + "' is not allowed", key, "use one of: " + names);
  };
  static const std::map<std::string, ProjectionWhere> wheres = {
      {"gradient", ProjectionWhere::kGradient}, {"update", ProjectionWhere::kUpdate}, {"both", ProjectionWhere::kBoth}};
  static const std::map<std::string, ProjectionGate> gates = {{"one_sided", ProjectionGate::kOneSided},
                                                              {"two_sided", ProjectionGate::kTwoSided},
                                                              {"reverse", ProjectionGate::kReverse}};
  return {pick(wheres, "steer.where", options.where), pick(gates, "steer.gate", options.gate),
          options.preserve_magnitude, options.overshoot};
}

Projection project(const Tensor& vector_R, const Tensor& directions_KR, ProjectionGate gate, double overshoot,
                   bool preserve_magnitude) {
  const Projection result = project_exact(exact(vector_R), exact(directions_KR), gate, overshoot, preserve_magnitude);
  return {result.kept_R.to(vector_R.options()), result.removed_R.to(vector_R.options())};
}

double share_along(const Tensor& vector_R, const Tensor& directions_KR, bool positive_only) {
  return share_exact(exact(vector_R), exact(directions_KR), positive_only);
}

ProjectionTransform::ProjectionTransform(const std::map<std::string, Tensor>& directions,
                                         const ProjectionOptions& options)
    : options_(options) {
  for (const auto& [module, direction] : directions) {
    PL_CHECK(direction.dim() == 1 || direction.dim() == 2, "a direction is [R] or [K, R]");
    const Tensor directions_KR = direction.dim() == 1 ? exact(direction).unsqueeze(0) : exact(direction);
    if (norm_of(directions_KR) == 0) continue;
    rank1_ = rank1_ && directions_KR.size(0) == 1;
    directions_.emplace(module, directions_KR);
  }
}

void ProjectionTransform::begin_step(int64_t step) {
  GradientTransform::begin_step(step);
  sums_.clear();
  leak_sum_ = 0;
  num_gradients_ = num_updates_ = 0;
}

const Tensor* ProjectionTransform::direction_of(const std::string& module) const {
  const auto found = directions_.find(module);
  return found == directions_.end() ? nullptr : &found->second;
}

Tensor ProjectionTransform::gradient(const std::string& module, const Tensor& gradient_R) {
  const Tensor* directions_KR = direction_of(module);
  if (!directions_KR) return gradient_R;
  const bool projects = options_.where == ProjectionWhere::kGradient || options_.where == ProjectionWhere::kBoth;
  const Tensor before_R = exact(gradient_R);
  if (!projects) {
    measure(before_R, before_R, *directions_KR);
    return gradient_R;
  }
  const Tensor after_R =
      project_exact(before_R, *directions_KR, options_.gate, options_.overshoot, options_.preserve_magnitude).kept_R;
  measure(before_R, after_R, *directions_KR);
  return after_R.to(gradient_R.options());
}

Tensor ProjectionTransform::update(const std::string& module, const Tensor& old_R, const Tensor& proposed_R) {
  const Tensor* directions_KR = direction_of(module);
  if (!directions_KR) return proposed_R;
  Tensor stored_R = proposed_R;
  if (options_.where == ProjectionWhere::kUpdate || options_.where == ProjectionWhere::kBoth) {
    const Tensor old_exact_R = exact(old_R);
    const Tensor step_R = old_exact_R - exact(proposed_R);
    const Tensor kept_R = project_exact(step_R, *directions_KR, options_.gate, options_.overshoot, false).kept_R;
    stored_R = (old_exact_R - kept_R).to(proposed_R.options());
  }
  leak_sum_ += share_exact(exact(old_R) - exact(stored_R), *directions_KR, true);
  ++num_updates_;
  return stored_R;
}

std::optional<double> ProjectionTransform::mean_cosine(const std::map<std::string, Tensor>& gradient) const {
  double sum = 0;
  int64_t count = 0;
  for (const auto& [module, directions_KR] : directions_) {
    const auto found = gradient.find(module);
    if (found == gradient.end()) continue;
    sum += cosine_exact(exact(found->second), directions_KR.sum(0));
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

void ProjectionTransform::measure(const Tensor& before_R, const Tensor& after_R, const Tensor& directions_KR) {
  ++num_gradients_;
  sums_["cin_norm"] += share_exact(before_R, directions_KR, false);
  sums_["cout_norm"] += share_exact(after_R, directions_KR, false);
  const double relu_before = share_exact(before_R, directions_KR, true);
  sums_["cin_relu"] += relu_before;
  sums_["cout_relu"] += share_exact(after_R, directions_KR, true);
  sums_["fired_relu"] += relu_before > kFiredAbove ? 1 : 0;
  if (!rank1_) return;
  const double cosine_before = cosine_exact(before_R, directions_KR[0]);
  sums_["cin"] += cosine_before;
  sums_["cout"] += cosine_exact(after_R, directions_KR[0]);
  sums_["fired"] += cosine_before > 0 ? 1 : 0;
}

std::map<std::string, double> ProjectionTransform::metrics() const {
  std::map<std::string, double> means;
  for (const auto& [name, sum] : sums_) means[name] = sum / static_cast<double>(num_gradients_);
  if (!rank1_ && num_gradients_ > 0) {
    for (const char* name : {"cin", "cout", "fired"}) means[name] = means.at(std::string(name) + "_relu");
  }
  if (num_updates_ > 0) means["leak"] = leak_sum_ / static_cast<double>(num_updates_);
  return means;
}

}  // namespace plumbline
