#include "plumbline/adapter/svd_adapter.h"

#include "plumbline/adapter/basis_cache.h"
#include "plumbline/adapter/basis_probe.h"
#include "plumbline/adapter/target_modules.h"
#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/base/progress.h"
#include "plumbline/base/sha256.h"
#include "plumbline/tensor/dtype.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// y += U [delta * (Vh x)], computed in the basis's dtype and rounded once.
class UnmergedSvd final : public UnmergedDelta {
 public:
  UnmergedSvd(std::string module, const SvdBasis& basis) : module_(std::move(module)), basis_(basis) {}
  Tensor forward(const Tensor& x_NI) const override {
    const Tensor inner_NR = torch::matmul(x_NI.to(basis_.vh_RI.scalar_type()), basis_.vh_RI.t()) * parameter(module_);
    return torch::matmul(inner_NR, basis_.u_OR.t()).to(x_NI.scalar_type());
  }

 private:
  std::string module_;
  SvdBasis basis_;
};

/// diag(U^T G V).
Tensor contracted(const SvdBasis& basis, const Tensor& dense_OI) {
  return (basis.u_OR * torch::matmul(dense_OI, basis.vh_RI.t())).sum(0);
}

}  // namespace

void SvdAdapter::add(Linear* linear, const SvdBasis& basis, const std::string& content_hash) {
  const auto place_on = [&](const Tensor& tensor) { return tensor.to(decoder().device(), dtype()).contiguous(); };
  const SvdBasis own{place_on(basis.u_OR), place_on(basis.s_R), place_on(basis.vh_RI)};
  index_[linear->name] = modules_.size();
  content_hashes_[linear->name] = content_hash;
  probes_[linear->name] = basis_probe(linear->name, own);
  modules_.push_back({linear, own, torch::zeros({linear->rank()}, own.s_R.options())});
  add_module(linear, std::make_unique<UnmergedSvd>(linear->name, own));
}

void SvdAdapter::finish() {
  Sha256 hash;
  for (const auto& [module, content_hash] : content_hashes_) hash.update(module + " " + content_hash + "\n");
  basis_hash_ = hash.hex();
}

AdapterIdentity SvdAdapter::identity() const {
  std::vector<std::string> names;
  for (const Module& module : modules_) names.push_back(module.linear->name);
  return {"svd", decoder().weight_hash(), basis_hash_, name_of_dtype(decoder().dtype()), names, probes_};
}

SvdAdapter::SvdAdapter(Decoder& decoder, const std::vector<std::string>& target_modules, MergeRounding rounding,
                       bool use_cache)
    : MergedAdapter(decoder, rounding) {
  const std::vector<Linear*> targets = match_targets(decoder, target_modules);
  std::vector<std::string> names;
  Progress progress("basis", static_cast<int64_t>(targets.size()), "modules");
  for (Linear* linear : targets) {
    if (interrupt_requested())
      throw Interrupted("stopped while computing the basis; what is done is cached, run again");
    const CachedBasis cached = cached_basis(linear->base_OI, use_cache);
    add(linear, cached.basis, cached.content_hash);
    names.push_back(linear->name);
    progress.advance(1, cached.computed ? "computed" : "from the cache");
  }
  finish();
  log_info("adapter: " + describe_modules(names) + "; " + std::to_string(num_parameters()) + " parameters");
  merge(0, 0);
}

SvdAdapter::SvdAdapter(Decoder& decoder, std::map<std::string, SvdBasis> bases, MergeRounding rounding)
    : MergedAdapter(decoder, rounding) {
  for (Linear* linear : decoder.linears()) {
    const auto found = bases.find(linear->name);
    if (found != bases.end()) add(linear, found->second, hash_of_basis(found->second));
  }
  PL_CHECK(modules_.size() == bases.size(), "every given basis belongs to a linear of the decoder");
  finish();
  merge(0, 0);
}

std::map<std::string, Tensor> SvdAdapter::parameters() const {
  std::map<std::string, Tensor> deltas;
  for (const Module& module : modules_) deltas.emplace(module.linear->name, module.delta_R);
  return deltas;
}

void SvdAdapter::set_delta(const std::string& module, const Tensor& delta_R) {
  const auto found = index_.find(module);
  PL_CHECK(found != index_.end(), "no adapter on " + module);
  Tensor& own_R = modules_[found->second].delta_R;
  PL_CHECK(delta_R.sizes() == own_R.sizes(), "the delta of " + module + " has another length");
  own_R = delta_R.detach().to(own_R.options(), /*non_blocking=*/false, /*copy=*/true);
}

void SvdAdapter::reset(uint64_t /*seed*/) {
  for (const Module& module : modules_) set_delta(module.linear->name, torch::zeros_like(module.delta_R));
}

bool SvdAdapter::is_zero(size_t module) const {
  return !modules_[module].delta_R.any().item<bool>();
}

Tensor SvdAdapter::change_OI(size_t module) const {
  const Module& own = modules_[module];
  return torch::matmul(own.basis.u_OR * own.delta_R, own.basis.vh_RI);
}

std::map<std::string, Tensor> SvdAdapter::parameters_of(size_t module) const {
  return {{modules_[module].linear->name, modules_[module].delta_R}};
}

std::map<std::string, Tensor> SvdAdapter::contract(size_t module, const Tensor& dense_OI) const {
  return {{modules_[module].linear->name, contracted(modules_[module].basis, dense_OI)}};
}

Tensor SvdAdapter::coordinates(size_t module, const Tensor& change_OI) const {
  return contracted(modules_[module].basis, change_OI);
}

void SvdAdapter::save(const std::string& folder) const {
  write_adapter(folder, identity(), parameters());
}

void SvdAdapter::load(const std::string& folder) {
  for (const auto& [module, delta_R] : read_adapter(folder, identity())) set_delta(module, delta_R);
}

}  // namespace plumbline
