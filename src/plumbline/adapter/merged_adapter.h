/// The part that all adapters share: merged weights in the decoder, dense gradients of them, and the plain unmerged
/// path that tests compare with. A parametrisation says what it adds to a weight and how a dense gradient becomes its
/// own.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plumbline/adapter/adapter.h"
#include "plumbline/base/sha256.h"

namespace plumbline {

/// How merged weights are rounded to the model's dtype (float32 models merge exactly; all modes are then the same).
/// kSplit keeps two parts, hi = bf16(W') and lo = bf16(W' - hi), and each linear adds both products: twice the
/// arithmetic, 16 bits of mantissa. kUnmerged is the plain reference: weights stay, each linear adds the adapter's own
/// product.
enum class MergeRounding { kNearest, kStochastic, kSplit, kUnmerged };

/// adapter.merge_rounding: "stochastic", "nearest", "split", "unmerged".
/// Throws ConfigError(config.not_supported) for anything else, naming what there is.
MergeRounding merge_rounding_of_name(const std::string& name);

/// What an unmerged linear adds, with its own copy of the parameters, which may be leaves.
class UnmergedDelta : public LinearDelta {
 public:
  /// Parameters by their names; replaces those that there were.
  void set(std::map<std::string, torch::Tensor> parameters) { parameters_ = std::move(parameters); }
  void begin_gradients();
  void stop_collecting();
  /// Adds the gradients of those parameters that a backward reached.
  void take_gradients(std::map<std::string, torch::Tensor>& gradients) const;

 protected:
  const torch::Tensor& parameter(const std::string& name) const { return parameters_.at(name); }

 private:
  std::map<std::string, torch::Tensor> parameters_;
};

/// The low part of a split weight. The gradient of the whole weight is that of its high part.
class LowPart final : public LinearDelta {
 public:
  torch::Tensor forward(const torch::Tensor& x_NI) const override { return torch::matmul(x_NI, low_OI.t()); }
  torch::Tensor low_OI;
};

class MergedAdapter : public Adapter {
 public:
  ~MergedAdapter() override;

  Decoder& decoder() const override { return decoder_; }
  int64_t num_modules() const override { return static_cast<int64_t>(slots_.size()); }
  void merge(uint64_t seed, uint32_t step) override;
  void disable() override;
  void enable() override;
  void begin_gradients() override;
  std::map<std::string, torch::Tensor> take_gradients() override;
  double merge_residual() const override;
  const std::string& weight_hash() const override { return weight_hash_; }

 protected:
  MergedAdapter(Decoder& decoder, MergeRounding rounding);

  /// Adds the next module, number num_modules() until then. `unmerged` is used with kUnmerged only.
  void add_module(Linear* linear, std::unique_ptr<UnmergedDelta> unmerged);
  torch::ScalarType dtype() const { return dtype_; }  ///< of parameters and gradients

  /// Module number `module` adds exactly nothing.
  virtual bool is_zero(size_t module) const = 0;
  /// What it adds to its weight, [O, I] in dtype().
  virtual torch::Tensor change_OI(size_t module) const = 0;
  /// Its parameters by name, for the unmerged path.
  virtual std::map<std::string, torch::Tensor> parameters_of(size_t module) const = 0;
  /// The gradients of its parameters from that of its merged weight, [O, I] in dtype().
  virtual std::map<std::string, torch::Tensor> contract(size_t module, const torch::Tensor& dense_OI) const = 0;
  /// A change of the weight in the adapter's coordinates, for the residual, and what they should be.
  virtual torch::Tensor coordinates(size_t module, const torch::Tensor& change_OI) const = 0;
  virtual torch::Tensor wanted_coordinates(size_t module) const = 0;
  /// What the parameters are coordinates of; part of the weight hash of a changed model.
  virtual std::string coordinate_name() const = 0;

 private:
  struct Slot {
    Linear* linear;                              ///< borrowed from the decoder
    torch::Tensor active_OI;                     ///< what forward multiplies by: base, merged, or the merged leaf
    std::shared_ptr<torch::Tensor> gradient_OI;  ///< the dense sum while collecting; undefined until a backward arrives
    std::unique_ptr<UnmergedDelta> unmerged;
    std::unique_ptr<LowPart> low;  ///< kSplit, where the low part is not zero
  };
  void place();
  void stop_collecting();
  void update_weight_hash(uint64_t seed, uint32_t step, bool all_zero);
  torch::Tensor merged_weight(size_t module, uint64_t key) const;
  void split_weight(size_t module);
  bool is_unmerged() const { return rounding_ == MergeRounding::kUnmerged; }

  Decoder& decoder_;
  const MergeRounding rounding_;
  const torch::ScalarType dtype_;
  std::vector<Slot> slots_;
  std::string weight_hash_;
};

}  // namespace plumbline
