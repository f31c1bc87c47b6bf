#include "plumbline/train/adamw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr char kFirst[] = "exp_avg.";
constexpr char kSecond[] = "exp_avg_sq.";
constexpr char kCount[] = "num_updates";

}  // namespace

TensorMap AdamW::propose(const TensorMap& parameters, const TensorMap& gradients, double lr) {
  const torch::NoGradGuard no_grad;
  PL_CHECK(parameters.size() == gradients.size(), "every parameter needs a gradient");
  ++num_updates_;
  const double correction1 = 1 - std::pow(options_.beta1, static_cast<double>(num_updates_));
  const double correction2 = 1 - std::pow(options_.beta2, static_cast<double>(num_updates_));
  TensorMap proposed;
  for (const auto& [name, parameter] : parameters) {
    const auto found = gradients.find(name);
    PL_CHECK(found != gradients.end() && found->second.sizes() == parameter.sizes(), "no gradient for " + name);
    const torch::Tensor gradient = found->second.to(parameter.scalar_type());
    Moments& moments = moments_[name];
    if (!moments.first_R.defined()) moments = {torch::zeros_like(parameter), torch::zeros_like(parameter)};
    if (moments.first_R.device() != parameter.device()) {  // a loaded state comes from a file, on the CPU
      moments = {moments.first_R.to(parameter.device()), moments.second_R.to(parameter.device())};
    }
    moments.first_R.mul_(options_.beta1).add_(gradient, 1 - options_.beta1);
    moments.second_R.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    const torch::Tensor step_R =
        (moments.first_R / correction1) / ((moments.second_R / correction2).sqrt() + options_.eps);
    proposed.emplace(name, parameter * (1 - lr * options_.weight_decay) - lr * step_R);
  }
  return proposed;
}

TensorMap AdamW::save_state() const {
  TensorMap state;
  for (const auto& [name, moments] : moments_) {
    state.emplace(kFirst + name, moments.first_R.clone());
    state.emplace(kSecond + name, moments.second_R.clone());
  }
  state.emplace(kCount, torch::full({1}, num_updates_, torch::kInt64));
  return state;
}

void AdamW::load_state(const TensorMap& state) {
  const auto refuse = [](const std::string& name) {
    throw DataError("data.optimizer_state", "the optimizer state is incomplete", name, "use another checkpoint");
  };
  std::map<std::string, Moments> loaded;
  for (const auto& [key, tensor] : state) {
    if (!key.starts_with(kFirst)) continue;
    const std::string name = key.substr(sizeof kFirst - 1);
    const auto second = state.find(kSecond + name);
    if (second == state.end() || second->second.sizes() != tensor.sizes()) refuse(kSecond + name);
    loaded[name] = {tensor.clone(), second->second.clone()};
  }
  const auto count = state.find(kCount);
  if (count == state.end() || count->second.numel() != 1) refuse(kCount);
  if (state.size() != 2 * loaded.size() + 1) refuse("a tensor that belongs to no module");
  moments_ = std::move(loaded);
  num_updates_ = count->second.item<int64_t>();
}

double global_norm(const TensorMap& tensors) {
  double sum_of_squares = 0;
  for (const auto& [name, tensor] : tensors) {
    sum_of_squares += tensor.to(torch::kFloat64).square().sum().item<double>();
  }
  return std::sqrt(sum_of_squares);
}

double clip_coefficient(double norm, double max_norm) {
  return max_norm == 0 ? 1.0 : std::min(1.0, max_norm / (norm + 1e-6));
}

bool NonFiniteGuard::admit(double gradient_norm, int64_t step) {
  if (std::isfinite(gradient_norm)) {
    num_in_a_row_ = 0;
    return true;
  }
  ++num_skipped_;
  if (++num_in_a_row_ >= kMaxInARow) {
    throw NumericError("numeric.gradient", fmt::format("the gradient was not finite {} steps in a row", num_in_a_row_),
                       fmt::format("step {}", step), "lower train.lr, or look for the first bad step in metrics.jsonl");
  }
  return false;
}

void NonFiniteGuard::restore(int64_t num_skipped, int64_t num_in_a_row) {
  num_skipped_ = num_skipped;
  num_in_a_row_ = num_in_a_row;
}

}  // namespace plumbline
