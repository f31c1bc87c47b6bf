/// The SVD adapter: W' = U diag(S + delta) Vh = W + U diag(delta) Vh, one trainable vector delta a module, float32,
/// initialised to exactly 0. Source: AntiPaSTO's SVD parametrisation in the full-rank diagonal form
/// (docs/method/svd_adapter.md); ours merges once a step and contracts the dense gradient.
///
/// A float64 decoder (tests) keeps its bases and deltas in float64, so that nothing here bounds its precision;
/// "float32" below then reads float64.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plumbline/adapter/adapter_files.h"
#include "plumbline/adapter/merged_adapter.h"
#include "plumbline/adapter/thin_svd.h"
#include "plumbline/model/decoder.h"

namespace plumbline {

/// Every targeted linear of one decoder with its basis and its delta. A parameter has its module's name.
class SvdAdapter final : public MergedAdapter {
 public:
  struct Module {
    Linear* linear;         ///< borrowed from the decoder
    SvdBasis basis;         ///< on the decoder's device
    torch::Tensor delta_R;  ///< float32 master, on the decoder's device
  };

  /// Bases come from the cache (basis_cache.h) or are computed and stored there, with progress on stderr.
  /// Throws ConfigError(config.target_modules) listing what there is when a pattern matches nothing, and Interrupted
  /// between two modules (what is computed by then is cached).
  SvdAdapter(Decoder& decoder, const std::vector<std::string>& target_modules, MergeRounding rounding,
             bool use_cache = true);
  /// For tests: bases are given, by module name.
  SvdAdapter(Decoder& decoder, std::map<std::string, SvdBasis> bases, MergeRounding rounding);

  std::string kind() const override { return "svd"; }
  /// In the decoder's order.
  const std::vector<Module>& modules() const { return modules_; }
  /// Sets one module's delta ([R], copied). The decoder sees it at the next merge().
  void set_delta(const std::string& module, const torch::Tensor& delta_R);
  std::map<std::string, torch::Tensor> parameters() const override;
  void set_parameter(const std::string& name, const torch::Tensor& value) override { set_delta(name, value); }
  /// Every delta to exactly 0; no seed enters.
  void reset(uint64_t seed = 0) override;
  /// SHA-256 over the bases (of the weights in the run's dtype), by module.
  const std::string& basis_hash() const override { return basis_hash_; }
  /// By module, [R] float32 on the CPU: what artifacts store to recognise a basis (basis_probe.h).
  const std::map<std::string, torch::Tensor>& basis_probes() const { return probes_; }

  /// adapter/{delta.safetensors, adapter.json} in `folder`, aside and renamed.
  void save(const std::string& folder) const override;
  /// Also throws data.basis_mismatch.
  void load(const std::string& folder) override;

 protected:
  bool is_zero(size_t module) const override;
  torch::Tensor change_OI(size_t module) const override;
  std::map<std::string, torch::Tensor> parameters_of(size_t module) const override;
  /// diag(U^T G V).
  std::map<std::string, torch::Tensor> contract(size_t module, const torch::Tensor& dense_OI) const override;
  torch::Tensor coordinates(size_t module, const torch::Tensor& change_OI) const override;
  torch::Tensor wanted_coordinates(size_t module) const override { return modules_[module].delta_R; }
  std::string coordinate_name() const override { return basis_hash_; }

 private:
  void add(Linear* linear, const SvdBasis& basis, const std::string& content_hash);
  void finish();
  AdapterIdentity identity() const;

  std::vector<Module> modules_;
  std::map<std::string, size_t> index_;
  std::map<std::string, std::string> content_hashes_;
  std::map<std::string, torch::Tensor> probes_;
  std::string basis_hash_;
};

}  // namespace plumbline
