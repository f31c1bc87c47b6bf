#include "plumbline/adapter/lora_adapter.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/adapter/stochastic_round.h"
#include "plumbline/adapter/target_modules.h"
#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/base/rng.h"
#include "plumbline/tensor/dtype.h"

namespace plumbline {
namespace {

using torch::Tensor;

std::string name_a(const Linear& linear) {
  return linear.name + ".lora_A";
}
std::string name_b(const Linear& linear) {
  return linear.name + ".lora_B";
}

/// y += s B (A x), computed in the parameters' dtype and rounded once.
class UnmergedLora final : public UnmergedDelta {
 public:
  UnmergedLora(std::string a, std::string b, double scale) : a_(std::move(a)), b_(std::move(b)), scale_(scale) {}
  Tensor forward(const Tensor& x_NI) const override {
    const Tensor& a_RI = parameter(a_);
    const Tensor inner_NR = torch::matmul(x_NI.to(a_RI.scalar_type()), a_RI.t());
    return (scale_ * torch::matmul(inner_NR, parameter(b_).t())).to(x_NI.scalar_type());
  }

 private:
  std::string a_, b_;
  double scale_;
};

/// Uniform in +-1/sqrt(I): PEFT's kaiming_uniform with a = sqrt(5).
Tensor initial_a(uint64_t seed, const Linear& linear, int64_t rank) {
  const int64_t inputs = linear.base_OI.size(1);
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  CounterRng rng({.seed = seed, .stream = Stream::kLoraInit, .prompt = module_stream(linear.name)});
  Tensor a_RI = torch::empty({rank, inputs}, torch::kFloat64);
  double* values = a_RI.mutable_data_ptr<double>();
  for (int64_t i = 0; i < a_RI.numel(); ++i) values[i] = bound * (2 * rng.next_unit() - 1);
  return a_RI;
}

}  // namespace

LoraAdapter::LoraAdapter(Decoder& decoder, const std::vector<std::string>& target_modules, LoraShape shape,
                         MergeRounding rounding, uint64_t seed)
    : MergedAdapter(decoder, rounding), shape_(shape) {
  if (shape_.rank < 1 || !(shape_.alpha > 0)) {
    throw ConfigError("config.out_of_range", fmt::format("LoRA of rank {} and alpha {}", shape_.rank, shape_.alpha),
                      "adapter.rank", "set adapter.rank to 1 or more and adapter.alpha above 0");
  }
  std::vector<std::string> names;
  for (Linear* linear : match_targets(decoder, target_modules)) {
    const auto options = torch::TensorOptions(dtype()).device(decoder.device());
    modules_.push_back({linear, torch::zeros({shape_.rank, linear->base_OI.size(1)}, options),
                        torch::zeros({linear->base_OI.size(0), shape_.rank}, options)});
    add_module(linear, std::make_unique<UnmergedLora>(name_a(*linear), name_b(*linear), scale()));
    names.push_back(linear->name);
  }
  for (Module& module : modules_) {
    by_name_[name_a(*module.linear)] = &module.a_RI;
    by_name_[name_b(*module.linear)] = &module.b_OR;
  }
  log_info(fmt::format("adapter: LoRA of rank {} on {}; {} parameters", shape_.rank, describe_modules(names),
                       num_parameters()));
  reset(seed);
  merge(seed, 0);
}

std::map<std::string, Tensor> LoraAdapter::parameters() const {
  std::map<std::string, Tensor> values;
  for (const auto& [name, value] : by_name_) values.emplace(name, *value);
  return values;
}

void LoraAdapter::set_parameter(const std::string& name, const Tensor& value) {
  const auto found = by_name_.find(name);
  PL_CHECK(found != by_name_.end(), "no LoRA parameter " + name);
  PL_CHECK(value.sizes() == found->second->sizes(), name + " has another shape");
  *found->second = value.detach().to(found->second->options(), /*non_blocking=*/false, /*copy=*/true);
}

void LoraAdapter::reset(uint64_t seed) {
  for (Module& module : modules_) {
    set_parameter(name_a(*module.linear), initial_a(seed, *module.linear, shape_.rank));
    set_parameter(name_b(*module.linear), torch::zeros_like(module.b_OR));
  }
}

bool LoraAdapter::is_zero(size_t module) const {
  return !modules_[module].b_OR.any().item<bool>();
}

Tensor LoraAdapter::change_OI(size_t module) const {
  return scale() * torch::matmul(modules_[module].b_OR, modules_[module].a_RI);
}

std::map<std::string, Tensor> LoraAdapter::parameters_of(size_t module) const {
  const Module& own = modules_[module];
  return {{name_a(*own.linear), own.a_RI}, {name_b(*own.linear), own.b_OR}};
}

std::map<std::string, Tensor> LoraAdapter::contract(size_t module, const Tensor& dense_OI) const {
  const Module& own = modules_[module];
  return {{name_a(*own.linear), scale() * torch::matmul(own.b_OR.t(), dense_OI)},
          {name_b(*own.linear), scale() * torch::matmul(dense_OI, own.a_RI.t())}};
}

Tensor LoraAdapter::coordinates(size_t module, const Tensor& change_OI) const {
  return torch::matmul(change_OI, modules_[module].a_RI.t());
}

Tensor LoraAdapter::wanted_coordinates(size_t module) const {
  return coordinates(module, change_OI(module));
}

std::string LoraAdapter::coordinate_name() const {
  return fmt::format("lora {} {}", shape_.rank, shape_.alpha);
}

LoraIdentity LoraAdapter::identity() const {
  LoraIdentity identity{decoder().weight_hash(), name_of_dtype(decoder().dtype()), shape_.rank, shape_.alpha, {}};
  for (const Module& module : modules_) identity.modules.push_back(module.linear->name);
  return identity;
}

void LoraAdapter::save(const std::string& folder) const {
  write_lora(folder, identity(), parameters());
}

void LoraAdapter::load(const std::string& folder) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& [name, value] : parameters()) shapes[name] = value.sizes().vec();
  for (const auto& [name, value] : read_lora(folder, identity(), shapes)) set_parameter(name, value);
}

}  // namespace plumbline
