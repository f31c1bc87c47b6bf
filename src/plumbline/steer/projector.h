/// Removal of the hack direction from what the optimizer sees, what it stores, or both.
///
///     c = V g;  u = relu(c) | c | 2 c  (one_sided | two_sided | reverse);  g' = g - overshoot u^T V
///
/// Source: the projected-GRPO notes (docs/method/hack_direction.md). Ours fixes the corners: g' is exactly 0 when its
/// norm is at most 1e-6 of the norm of g (never rescaled, never NaN), a cosine with a zero vector is 0, and the
/// projection of the update covers the whole step, weight decay included.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/preset/options.h"

namespace plumbline {

enum class ProjectionGate { kOneSided, kTwoSided, kReverse };
/// kNowhere measures and changes nothing: the vanilla arm of a probe, seen against the same direction.
enum class ProjectionWhere { kNowhere, kGradient, kUpdate, kBoth };

struct ProjectionOptions {
  ProjectionWhere where = ProjectionWhere::kGradient;
  ProjectionGate gate = ProjectionGate::kOneSided;
  /// Scales a projected gradient back to its norm. The update is never rescaled: it would undo the step size.
  bool preserve_magnitude = true;
  double overshoot = 1.0;  ///< factor of what is removed
};

/// steer.where, steer.gate, steer.preserve_magnitude, steer.overshoot.
/// Throws ConfigError(config.not_allowed) naming the key.
ProjectionOptions projection_options(const SteerOptions& options);

/// What is left of a vector and what was taken (before any rescaling), both [R] of the vector's dtype.
struct Projection {
  torch::Tensor kept_R, removed_R;
};

/// directions_KR: orthonormal rows, or all zero (then nothing is removed). Computed in float64.
Projection project(const torch::Tensor& vector_R, const torch::Tensor& directions_KR, ProjectionGate gate,
                   double overshoot, bool preserve_magnitude);

/// ||V x|| / ||x||, or ||relu(V x)|| / ||x||; 0 for x = 0.
double share_along(const torch::Tensor& vector_R, const torch::Tensor& directions_KR, bool positive_only);

/// Not thread-safe; draws no random numbers; stateless between steps.
class ProjectionTransform final : public GradientTransform {
 public:
  /// `directions` by module name: unit [R], or orthonormal rows [K, R], or zero (the module is left alone and out of
  /// every mean, as is a module that is not named).
  ProjectionTransform(const std::map<std::string, torch::Tensor>& directions, const ProjectionOptions& options);

  void begin_step(int64_t step) override;
  torch::Tensor gradient(const std::string& module, const torch::Tensor& gradient_R) override;
  torch::Tensor update(const std::string& module, const torch::Tensor& old_R, const torch::Tensor& proposed_R) override;
  std::optional<double> mean_cosine(const std::map<std::string, torch::Tensor>& gradient) const override;
  /// Means over the modules with a direction that this step has brought so far; a zero gradient counts as 0, not fired.
  ///   cin, cout, fired   rank 1: signed cosine to v before and after, share of modules with a positive one;
  ///                      rank k: the relu family
  ///   {cin,cout}_norm    ||V g|| / ||g||
  ///   {cin,cout,fired}_relu   ||relu(V g)|| / ||g||; fired above 1e-6
  ///   leak               ||relu(V d)|| / ||d|| of the step d = old - stored: movement toward the hack
  /// Empty while no module with a direction was seen.
  std::map<std::string, double> metrics() const override;

 private:
  const torch::Tensor* direction_of(const std::string& module) const;
  void measure(const torch::Tensor& before_R, const torch::Tensor& after_R, const torch::Tensor& directions_KR);

  ProjectionOptions options_;
  std::map<std::string, torch::Tensor> directions_;  ///< [K, R] float64 on the CPU, without the zero ones
  bool rank1_ = true;
  std::map<std::string, double> sums_;
  double leak_sum_ = 0;
  int64_t num_gradients_ = 0, num_updates_ = 0;
};

}  // namespace plumbline
