#include "plumbline/adapter/svd_adapter.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>

#include "plumbline/adapter/adapter_files.h"
#include "plumbline/adapter/basis_cache.h"
#include "plumbline/adapter/basis_probe.h"
#include "plumbline/adapter/stochastic_round.h"
#include "plumbline/adapter/target_modules.h"
#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/base/progress.h"
#include "plumbline/base/sha256.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// y += U [delta * (Vh x)], computed in the basis's dtype and rounded once.
class UnmergedDelta final : public LinearDelta {
 public:
  explicit UnmergedDelta(const SvdBasis& basis) : basis_(basis) {}
  Tensor forward(const Tensor& x_NI) const override {
    const Tensor inner_NR = torch::matmul(x_NI.to(basis_.vh_RI.scalar_type()), basis_.vh_RI.t()) * delta_R;
    return torch::matmul(inner_NR, basis_.u_OR.t()).to(x_NI.scalar_type());
  }
  Tensor delta_R;  ///< a leaf while gradients are collected

 private:
  SvdBasis basis_;
};

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

/// diag(U^T G V).
Tensor contract(const SvdBasis& basis, const Tensor& dense_OI) {
  return (basis.u_OR * torch::matmul(dense_OI, basis.vh_RI.t())).sum(0);
}

/// W + U diag(delta) Vh in the dtype of W.
Tensor merged_weight(const SvdAdapter::Module& module, MergeRounding rounding, uint64_t key) {
  const Tensor& base_OI = module.linear->base_OI;
  const Tensor change_OI = torch::matmul(module.basis.u_OR * module.delta_R, module.basis.vh_RI);
  if (base_OI.scalar_type() == torch::kBFloat16 && rounding == MergeRounding::kStochastic) {
    return add_and_round_stochastically(base_OI.contiguous(), change_OI, key);
  }
  const Tensor sum_OI = (base_OI.to(change_OI.scalar_type()) + change_OI).to(base_OI.scalar_type());
  return torch::where(change_OI == 0, base_OI, sum_OI);
}

std::vector<std::string> names_of(const std::vector<Linear*>& linears) {
  std::vector<std::string> names;
  for (const Linear* linear : linears) names.push_back(linear->name);
  return names;
}

Linear* find_linear(Decoder& decoder, const std::string& name) {
  for (Linear* linear : decoder.linears()) {
    if (linear->name == name) return linear;
  }
  return nullptr;
}

std::string name_of_rounding(MergeRounding rounding) {
  switch (rounding) {
    case MergeRounding::kNearest:
      return "nearest";
    case MergeRounding::kStochastic:
      return "stochastic";
    case MergeRounding::kUnmerged:
      return "unmerged";
  }
  return "";
}

}  // namespace

MergeRounding merge_rounding_of_name(const std::string& name) {
  for (const auto rounding : {MergeRounding::kNearest, MergeRounding::kStochastic, MergeRounding::kUnmerged}) {
    if (name == name_of_rounding(rounding)) return rounding;
  }
  throw ConfigError("config.not_supported", "merge rounding '" + name + "' is not there", "adapter.merge_rounding",
                    "use stochastic, nearest or unmerged");
}

struct SvdAdapter::Impl {
  /// What belongs to one module beside its public part.
  struct Slot {
    Tensor active_OI;                     ///< what forward multiplies by: base, merged, or the merged leaf
    std::shared_ptr<Tensor> gradient_OI;  ///< the dense sum while collecting; undefined until a backward arrives
    std::unique_ptr<UnmergedDelta> unmerged;
  };

  Impl(Decoder& owner, MergeRounding mode)
      : decoder(owner), rounding(mode), dtype(owner.dtype() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32) {}

  void add_module(Linear* linear, const SvdBasis& basis, const std::string& content_hash);
  void finish();
  void place();
  void stop_collecting();
  void update_weight_hash(uint64_t seed, uint32_t step, bool all_zero);
  bool is_unmerged() const { return rounding == MergeRounding::kUnmerged; }
  AdapterIdentity identity() const;

  Decoder& decoder;
  const MergeRounding rounding;
  const torch::ScalarType dtype;  ///< of bases, deltas and gradients
  std::vector<Module> modules;
  std::vector<Slot> slots;
  std::map<std::string, size_t> index;
  std::map<std::string, std::string> content_hashes;
  std::map<std::string, Tensor> probes;
  std::string basis_hash, weight_hash;
};

void SvdAdapter::Impl::add_module(Linear* linear, const SvdBasis& basis, const std::string& content_hash) {
  const auto place_on = [&](const Tensor& tensor) { return tensor.to(decoder.device(), dtype).contiguous(); };
  const SvdBasis own{place_on(basis.u_OR), place_on(basis.s_R), place_on(basis.vh_RI)};
  index[linear->name] = modules.size();
  content_hashes[linear->name] = content_hash;
  probes[linear->name] = basis_probe(linear->name, own);
  modules.push_back({linear, own, torch::zeros({linear->rank()}, own.s_R.options())});
  slots.push_back({linear->base_OI, nullptr, is_unmerged() ? std::make_unique<UnmergedDelta>(own) : nullptr});
}

void SvdAdapter::Impl::finish() {
  Sha256 hash;
  for (const auto& [module, content_hash] : content_hashes) hash.update(module + " " + content_hash + "\n");
  basis_hash = hash.hex();
}

/// Points the decoder at what is active.
void SvdAdapter::Impl::place() {
  for (size_t i = 0; i < modules.size(); ++i) {
    modules[i].linear->weight_OI = slots[i].active_OI;
    modules[i].linear->delta = slots[i].unmerged.get();
  }
}

void SvdAdapter::Impl::stop_collecting() {
  for (Slot& slot : slots) {
    slot.active_OI = slot.active_OI.detach();
    slot.gradient_OI.reset();
    if (slot.unmerged && slot.unmerged->delta_R.defined()) slot.unmerged->delta_R = slot.unmerged->delta_R.detach();
  }
}

void SvdAdapter::Impl::update_weight_hash(uint64_t seed, uint32_t step, bool all_zero) {
  Sha256 hash;
  hash.update(decoder.weight_hash() + "\n" + name_of_dtype(decoder.dtype()) + "\n");
  if (!all_zero) {
    hash.update(basis_hash + "\n" + name_of_rounding(rounding) + "\n");
    if (rounding == MergeRounding::kStochastic) hash.update(std::to_string(seed) + " " + std::to_string(step) + "\n");
    for (const Module& module : modules) {
      const Tensor delta_R = module.delta_R.to(torch::kCPU).contiguous();
      hash.update(module.linear->name + "\n").update(raw_from_tensor("delta", delta_R).bytes);
    }
  }
  weight_hash = hash.hex();
}

AdapterIdentity SvdAdapter::Impl::identity() const {
  std::vector<std::string> names;
  for (const Module& module : modules) names.push_back(module.linear->name);
  return {"svd", decoder.weight_hash(), basis_hash, name_of_dtype(decoder.dtype()), names, probes};
}

SvdAdapter::SvdAdapter(Decoder& decoder, const std::vector<std::string>& target_modules, MergeRounding rounding,
                       bool use_cache)
    : impl_(std::make_unique<Impl>(decoder, rounding)) {
  const std::vector<std::string> names = match_target_modules(names_of(decoder.linears()), target_modules);
  Progress progress("basis", static_cast<int64_t>(names.size()), "modules");
  for (const std::string& name : names) {
    if (interrupt_requested())
      throw Interrupted("stopped while computing the basis; what is done is cached, run again");
    Linear* linear = find_linear(decoder, name);
    const CachedBasis cached = cached_basis(linear->base_OI, use_cache);
    impl_->add_module(linear, cached.basis, cached.content_hash);
    progress.advance(1, cached.computed ? "computed" : "from the cache");
  }
  impl_->finish();
  log_info("adapter: " + describe_modules(names) + "; " + std::to_string(num_parameters()) + " parameters");
  merge(0, 0);
}

SvdAdapter::SvdAdapter(Decoder& decoder, std::map<std::string, SvdBasis> bases, MergeRounding rounding)
    : impl_(std::make_unique<Impl>(decoder, rounding)) {
  for (Linear* linear : decoder.linears()) {
    const auto found = bases.find(linear->name);
    if (found != bases.end()) impl_->add_module(linear, found->second, hash_of_basis(found->second));
  }
  PL_CHECK(impl_->modules.size() == bases.size(), "every given basis belongs to a linear of the decoder");
  impl_->finish();
  merge(0, 0);
}

SvdAdapter::~SvdAdapter() {
  disable();
}

const std::vector<SvdAdapter::Module>& SvdAdapter::modules() const {
  return impl_->modules;
}

Decoder& SvdAdapter::decoder() const {
  return impl_->decoder;
}

int64_t SvdAdapter::num_parameters() const {
  int64_t count = 0;
  for (const Module& module : impl_->modules) count += module.delta_R.numel();
  return count;
}

void SvdAdapter::merge(uint64_t seed, uint32_t step) {
  const torch::NoGradGuard no_grad;
  impl_->stop_collecting();
  bool all_zero = true;
  for (size_t i = 0; i < impl_->modules.size(); ++i) {
    const Module& module = impl_->modules[i];
    Impl::Slot& slot = impl_->slots[i];
    const bool zero = !module.delta_R.any().item<bool>();
    all_zero = all_zero && zero;
    if (slot.unmerged) {
      slot.unmerged->delta_R = module.delta_R.clone();
    } else {
      slot.active_OI = zero ? module.linear->base_OI
                            : merged_weight(module, impl_->rounding, rounding_key(seed, step, module.linear->name));
    }
  }
  impl_->place();
  impl_->update_weight_hash(seed, step, all_zero);
}

void SvdAdapter::disable() {
  for (Module& module : impl_->modules) {
    module.linear->weight_OI = module.linear->base_OI;
    module.linear->delta = nullptr;
  }
}

void SvdAdapter::enable() {
  impl_->place();
}

void SvdAdapter::begin_gradients() {
  impl_->stop_collecting();
  for (Impl::Slot& slot : impl_->slots) {
    if (slot.unmerged) {
      slot.unmerged->delta_R = slot.unmerged->delta_R.detach().clone().requires_grad_(true);
      continue;
    }
    slot.active_OI = slot.active_OI.detach().requires_grad_(true);
    slot.gradient_OI = std::make_shared<Tensor>();
    torch::autograd::impl::set_post_acc_grad_hooks(slot.active_OI,
                                                   std::make_unique<WideAccumulator>(slot.gradient_OI, impl_->dtype));
  }
  impl_->place();
}

std::map<std::string, Tensor> SvdAdapter::take_gradients() {
  const torch::NoGradGuard no_grad;
  std::map<std::string, Tensor> gradients;
  for (size_t i = 0; i < impl_->modules.size(); ++i) {
    const Module& module = impl_->modules[i];
    const Impl::Slot& slot = impl_->slots[i];
    Tensor gradient_R = torch::zeros_like(module.delta_R);
    if (slot.unmerged) {
      if (slot.unmerged->delta_R.grad().defined()) gradient_R = slot.unmerged->delta_R.grad();
    } else if (slot.gradient_OI && slot.gradient_OI->defined()) {
      gradient_R = contract(module.basis, *slot.gradient_OI);
    }
    gradients.emplace(module.linear->name, gradient_R);
  }
  impl_->stop_collecting();
  impl_->place();
  return gradients;
}

void SvdAdapter::set_delta(const std::string& module, const Tensor& delta_R) {
  const auto found = impl_->index.find(module);
  PL_CHECK(found != impl_->index.end(), "no adapter on " + module);
  Tensor& own_R = impl_->modules[found->second].delta_R;
  PL_CHECK(delta_R.sizes() == own_R.sizes(), "the delta of " + module + " has another length");
  own_R = delta_R.detach().to(own_R.options(), /*non_blocking=*/false, /*copy=*/true);
}

void SvdAdapter::reset() {
  for (const Module& module : modules()) set_delta(module.linear->name, torch::zeros_like(module.delta_R));
}

double SvdAdapter::merge_residual() const {
  const torch::NoGradGuard no_grad;
  if (impl_->is_unmerged()) return 0;
  double residual = 0, norm = 0;
  for (size_t i = 0; i < impl_->modules.size(); ++i) {
    const Module& module = impl_->modules[i];
    const Tensor change_OI =
        impl_->slots[i].active_OI.detach().to(impl_->dtype) - module.linear->base_OI.to(impl_->dtype);
    const Tensor missed_R = contract(module.basis, change_OI) - module.delta_R;
    residual += missed_R.to(torch::kFloat64).square().sum().item<double>();
    norm += module.delta_R.to(torch::kFloat64).square().sum().item<double>();
  }
  return norm == 0 ? 0 : std::sqrt(residual / norm);
}

const std::string& SvdAdapter::weight_hash() const {
  return impl_->weight_hash;
}

const std::string& SvdAdapter::basis_hash() const {
  return impl_->basis_hash;
}

const std::map<std::string, Tensor>& SvdAdapter::basis_probes() const {
  return impl_->probes;
}

void SvdAdapter::save(const std::string& folder) const {
  std::map<std::string, Tensor> deltas;
  for (const Module& module : impl_->modules) deltas.emplace(module.linear->name, module.delta_R);
  write_adapter(folder, impl_->identity(), deltas);
}

void SvdAdapter::load(const std::string& folder) {
  for (const auto& [module, delta_R] : read_adapter(folder, impl_->identity())) set_delta(module, delta_R);
}

}  // namespace plumbline
