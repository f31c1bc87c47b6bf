/// LoRA: W' = W + (alpha / rank) B A, with A [rank, I] and B [O, rank] trained, float32. Source: Hu et al. (arXiv
/// 2106.09685). A starts uniform in +-1/sqrt(I), as PEFT's does, B at exactly 0, so that training starts from exactly
/// the base model. Ours: W' is merged once a step and the dense gradient G of W' is contracted,
///
///     dL/dA = s B^T G      dL/dB = s G A^T      s = alpha / rank
///
/// so that rollouts and the loss use the same weights. There is no dropout: it exists on unmerged paths only. The files
/// are PEFT's (lora_files.h).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plumbline/adapter/lora_files.h"
#include "plumbline/adapter/merged_adapter.h"

namespace plumbline {

struct LoraShape {
  int64_t rank = 8;
  double alpha = 16;
};

/// Parameters are named <module>.lora_A and <module>.lora_B. A float64 decoder keeps them in float64.
class LoraAdapter final : public MergedAdapter {
 public:
  /// Throws ConfigError(config.target_modules) listing what there is when a pattern matches nothing,
  /// ConfigError(config.out_of_range) for a rank below 1 or an alpha that is not above 0. Starts as reset(seed).
  LoraAdapter(Decoder& decoder, const std::vector<std::string>& target_modules, LoraShape shape, MergeRounding rounding,
              uint64_t seed);

  std::string kind() const override { return "lora"; }
  double scale() const { return shape_.alpha / static_cast<double>(shape_.rank); }
  std::map<std::string, torch::Tensor> parameters() const override;
  void set_parameter(const std::string& name, const torch::Tensor& value) override;
  /// A from Stream::kLoraInit, keyed by (seed, module); B to exactly 0.
  void reset(uint64_t seed) override;
  const std::string& basis_hash() const override { return no_basis_; }

  void save(const std::string& folder) const override;
  void load(const std::string& folder) override;

 protected:
  bool is_zero(size_t module) const override;
  torch::Tensor change_OI(size_t module) const override;
  std::map<std::string, torch::Tensor> parameters_of(size_t module) const override;
  std::map<std::string, torch::Tensor> contract(size_t module, const torch::Tensor& dense_OI) const override;
  /// [O, rank]: what the change answers to the directions that A reads, change A^T.
  torch::Tensor coordinates(size_t module, const torch::Tensor& change_OI) const override;
  torch::Tensor wanted_coordinates(size_t module) const override;
  std::string coordinate_name() const override;

 private:
  struct Module {
    Linear* linear;  ///< borrowed from the decoder
    torch::Tensor a_RI, b_OR;
  };
  LoraIdentity identity() const;

  const LoraShape shape_;
  const std::string no_basis_;
  std::vector<Module> modules_;
  std::map<std::string, torch::Tensor*> by_name_;
};

}  // namespace plumbline
