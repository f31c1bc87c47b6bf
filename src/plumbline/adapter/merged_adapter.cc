#include "plumbline/adapter/merged_adapter.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>

#include "plumbline/adapter/stochastic_round.h"
#include "plumbline/base/error.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// Moves each gradient of a merged weight into a sum of at least float32: a bfloat16 sum over micro-batches would lose
/// what the later ones add.
class WideAccumulator final : public torch::autograd::PostAccumulateGradHook {
 public:
  WideAccumulator(std::shared_ptr<Tensor> sum_OI, torch::ScalarType dtype)
      : sum_OI_(std::move(sum_OI)), dtype_(dtype) {}
  void operator()(const torch::autograd::Variable& weight_OI) override {
    const torch::NoGradGuard no_grad;
    Tensor gradient_OI = weight_OI.grad().to(dtype_);
    weight_OI.mutable_grad().reset();
    if (sum_OI_->defined()) {
      sum_OI_->add_(gradient_OI);
    } else {
      *sum_OI_ = std::move(gradient_OI);
    }
  }

 private:
  std::shared_ptr<Tensor> sum_OI_;  ///< shared, so that a graph that outlives the collecting writes into nothing else
  const torch::ScalarType dtype_;
};

std::string name_of_rounding(MergeRounding rounding) {
  switch (rounding) {
    case MergeRounding::kNearest:
      return "nearest";
    case MergeRounding::kStochastic:
      return "stochastic";
    case MergeRounding::kSplit:
      return "split";
    case MergeRounding::kUnmerged:
      return "unmerged";
  }
  return "";
}

}  // namespace

MergeRounding merge_rounding_of_name(const std::string& name) {
  for (const auto rounding :
       {MergeRounding::kNearest, MergeRounding::kStochastic, MergeRounding::kSplit, MergeRounding::kUnmerged}) {
    if (name == name_of_rounding(rounding)) return rounding;
  }
  throw ConfigError("config.not_supported", "merge rounding '" + name + "' is not there", "adapter.merge_rounding",
                    "use stochastic, nearest, split or unmerged");
}

void UnmergedDelta::begin_gradients() {
  for (auto& [name, value] : parameters_) value = value.detach().clone().requires_grad_(true);
}

void UnmergedDelta::stop_collecting() {
  for (auto& [name, value] : parameters_) value = value.detach();
}

void UnmergedDelta::take_gradients(std::map<std::string, Tensor>& gradients) const {
  for (const auto& [name, value] : parameters_) {
    if (value.grad().defined()) gradients[name] = value.grad();
  }
}

MergedAdapter::MergedAdapter(Decoder& decoder, MergeRounding rounding)
    : decoder_(decoder),
      rounding_(rounding),
      dtype_(decoder.dtype() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32) {}

MergedAdapter::~MergedAdapter() {
  MergedAdapter::disable();
}

void MergedAdapter::add_module(Linear* linear, std::unique_ptr<UnmergedDelta> unmerged) {
  slots_.push_back({linear, linear->base_OI, nullptr, is_unmerged() ? std::move(unmerged) : nullptr, nullptr});
}

/// Points the decoder at what is active.
void MergedAdapter::place() {
  for (Slot& slot : slots_) {
    slot.linear->weight_OI = slot.active_OI;
    slot.linear->delta = slot.low ? static_cast<const LinearDelta*>(slot.low.get()) : slot.unmerged.get();
  }
}

void MergedAdapter::stop_collecting() {
  for (Slot& slot : slots_) {
    slot.active_OI = slot.active_OI.detach();
    slot.gradient_OI.reset();
    if (slot.unmerged) slot.unmerged->stop_collecting();
  }
}

/// W + change in the dtype of W.
Tensor MergedAdapter::merged_weight(size_t module, uint64_t key) const {
  const Tensor& base_OI = slots_[module].linear->base_OI;
  const Tensor added_OI = change_OI(module);
  if (base_OI.scalar_type() == torch::kBFloat16 && rounding_ == MergeRounding::kStochastic) {
    return add_and_round_stochastically(base_OI.contiguous(), added_OI, key);
  }
  const Tensor sum_OI = (base_OI.to(added_OI.scalar_type()) + added_OI).to(base_OI.scalar_type());
  return torch::where(added_OI == 0, base_OI, sum_OI);
}

/// hi stands in the weight's place; what it misses, rounded once more, is added beside it.
void MergedAdapter::split_weight(size_t module) {
  Slot& slot = slots_[module];
  const Tensor& base_OI = slot.linear->base_OI;
  const Tensor added_OI = change_OI(module);
  const Tensor sum_OI = base_OI.to(added_OI.scalar_type()) + added_OI;
  slot.active_OI = torch::where(added_OI == 0, base_OI, sum_OI.to(base_OI.scalar_type()));
  const Tensor low_OI = (sum_OI - slot.active_OI.to(sum_OI.scalar_type())).to(base_OI.scalar_type());
  if (!low_OI.any().item<bool>()) return;
  slot.low = std::make_unique<LowPart>();
  slot.low->low_OI = low_OI;
}

void MergedAdapter::update_weight_hash(uint64_t seed, uint32_t step, bool all_zero) {
  Sha256 hash;
  hash.update(decoder_.weight_hash() + "\n" + name_of_dtype(decoder_.dtype()) + "\n");
  if (!all_zero) {
    hash.update(coordinate_name() + "\n" + name_of_rounding(rounding_) + "\n");
    if (rounding_ == MergeRounding::kStochastic) hash.update(std::to_string(seed) + " " + std::to_string(step) + "\n");
    for (size_t module = 0; module < slots_.size(); ++module) {
      for (const auto& [name, value] : parameters_of(module)) {
        hash.update(name + "\n").update(raw_from_tensor("value", value.to(torch::kCPU).contiguous()).bytes);
      }
    }
  }
  weight_hash_ = hash.hex();
}

void MergedAdapter::merge(uint64_t seed, uint32_t step) {
  const torch::NoGradGuard no_grad;
  stop_collecting();
  bool all_zero = true;
  for (size_t module = 0; module < slots_.size(); ++module) {
    Slot& slot = slots_[module];
    const bool zero = is_zero(module);
    slot.low.reset();
    all_zero = all_zero && zero;
    if (slot.unmerged) {
      std::map<std::string, Tensor> copies;
      for (const auto& [name, value] : parameters_of(module)) copies.emplace(name, value.clone());
      slot.unmerged->set(std::move(copies));
    } else if (rounding_ == MergeRounding::kSplit && !zero) {
      split_weight(module);
    } else {
      slot.active_OI = zero ? slot.linear->base_OI : merged_weight(module, rounding_key(seed, step, slot.linear->name));
    }
  }
  place();
  update_weight_hash(seed, step, all_zero);
}

void MergedAdapter::disable() {
  for (Slot& slot : slots_) {
    slot.linear->weight_OI = slot.linear->base_OI;
    slot.linear->delta = nullptr;
  }
}

void MergedAdapter::enable() {
  place();
}

void MergedAdapter::begin_gradients() {
  stop_collecting();
  for (Slot& slot : slots_) {
    if (slot.unmerged) {
      slot.unmerged->begin_gradients();
      continue;
    }
    slot.active_OI = slot.active_OI.detach().requires_grad_(true);
    slot.gradient_OI = std::make_shared<Tensor>();
    torch::autograd::impl::set_post_acc_grad_hooks(slot.active_OI,
                                                   std::make_unique<WideAccumulator>(slot.gradient_OI, dtype_));
  }
  place();
}

std::map<std::string, Tensor> MergedAdapter::take_gradients() {
  const torch::NoGradGuard no_grad;
  std::map<std::string, Tensor> gradients;
  for (const auto& [name, value] : parameters()) gradients.emplace(name, torch::zeros_like(value));
  for (size_t module = 0; module < slots_.size(); ++module) {
    const Slot& slot = slots_[module];
    if (slot.unmerged) {
      slot.unmerged->take_gradients(gradients);
    } else if (slot.gradient_OI && slot.gradient_OI->defined()) {
      for (auto& [name, gradient] : contract(module, *slot.gradient_OI)) gradients[name] = gradient;
    }
  }
  stop_collecting();
  place();
  return gradients;
}

double MergedAdapter::merge_residual() const {
  const torch::NoGradGuard no_grad;
  if (is_unmerged()) return 0;
  double residual = 0, norm = 0;
  for (size_t module = 0; module < slots_.size(); ++module) {
    const Slot& slot = slots_[module];
    Tensor merged_OI = slot.active_OI.detach().to(dtype_) - slot.linear->base_OI.to(dtype_);
    if (slot.low) merged_OI = merged_OI + slot.low->low_OI.to(dtype_);
    const Tensor wanted = wanted_coordinates(module);
    residual += (coordinates(module, merged_OI) - wanted).to(torch::kFloat64).square().sum().item<double>();
    norm += wanted.to(torch::kFloat64).square().sum().item<double>();
  }
  return norm == 0 ? 0 : std::sqrt(residual / norm);
}

}  // namespace plumbline
