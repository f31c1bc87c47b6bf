/// The SVD adapter: W' = U diag(S + delta) Vh = W + U diag(delta) Vh, one trainable vector delta a module, float32,
/// initialised to exactly 0. Source: AntiPaSTO's SVD parametrisation in the full-rank diagonal form
/// (docs/method/svd_adapter.md); ours merges once a step and contracts the dense gradient.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plumbline/adapter/thin_svd.h"
#include "plumbline/model/decoder.h"

namespace plumbline {

/// How merged weights are rounded to the model's dtype (float32 models merge exactly; all modes are then the same).
enum class MergeRounding { kNearest, kStochastic, kUnmerged };

/// The adapter of one decoder: every targeted linear with its basis and its delta. Owns the deltas and the merged
/// weights; the decoder is borrowed and points at them until the adapter is destroyed, which restores the base weights.
class SvdAdapter {
 public:
  struct Module {
    Linear* linear;         ///< borrowed from the decoder
    SvdBasis basis;         ///< on the decoder's device
    torch::Tensor delta_R;  ///< float32 master
  };

  /// Bases come from the cache (cache_folder()/basis/<hash>.safetensors) or are computed and stored there.
  /// Throws ConfigError(config.target_modules) listing what there is when a pattern matches nothing.
  SvdAdapter(Decoder& decoder, const std::vector<std::string>& target_modules, MergeRounding rounding,
             bool use_cache = true);
  /// For tests: bases are given, by module name.
  SvdAdapter(Decoder& decoder, std::map<std::string, SvdBasis> bases, MergeRounding rounding);
  ~SvdAdapter();
  SvdAdapter(const SvdAdapter&) = delete;
  SvdAdapter& operator=(const SvdAdapter&) = delete;

  const std::vector<Module>& modules() const;
  int64_t num_parameters() const;

  /// Puts W' of the current deltas into the decoder. With kStochastic the rounding is seeded by (seed, step, module).
  /// A zero delta gives the base weights exactly, whatever the rounding.
  void merge(uint64_t seed, uint32_t step);
  /// Puts the base weights in place (the KL reference). merge() undoes it.
  void disable();
  /// Makes the merged weights (or, unmerged, the deltas) leaves that collect gradients.
  void begin_gradients();
  /// dL/ddelta of every module since begin_gradients(), float32 [R]: diag(U^T G V) of the accumulated dense G.
  std::map<std::string, torch::Tensor> take_gradients();
  /// Sets one module's delta ([R] float32, copied).
  void set_delta(const std::string& module, const torch::Tensor& delta_R);
  /// ||diag(U^T (W' - W) V) - delta|| / ||delta|| over all modules; 0 for a zero delta.
  double merge_residual() const;
  /// SHA-256 over the merged weights' identity: base hash, deltas, rounding seed. Changes with every delta.
  std::string weight_hash() const;
  /// SHA-256 over the basis (bases of the weights in the run's dtype).
  const std::string& basis_hash() const;

  /// adapter/{delta.safetensors, adapter.json} in `folder`, aside and renamed.
  void save(const std::string& folder) const;
  /// Throws DataError(data.adapter_mismatch) naming field and both values; nothing is loaded then.
  void load(const std::string& folder);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline
