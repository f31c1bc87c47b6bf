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
#include <memory>
#include <string>
#include <vector>

#include "plumbline/adapter/thin_svd.h"
#include "plumbline/model/decoder.h"

namespace plumbline {

/// How merged weights are rounded to the model's dtype (float32 models merge exactly; both modes are then the same).
/// kUnmerged is the plain reference: weights stay, each linear adds U[delta * (Vh x)].
enum class MergeRounding { kNearest, kStochastic, kUnmerged };

/// adapter.merge_rounding: "stochastic", "nearest", "unmerged".
/// Throws ConfigError(config.not_supported) for anything else, naming what there is.
MergeRounding merge_rounding_of_name(const std::string& name);

/// The adapter of one decoder: every targeted linear with its basis and its delta. Owns the deltas and the merged
/// weights; the decoder is borrowed and points at them until the adapter is destroyed, which restores the base weights.
/// One step of training:
///
///     merge(seed, step); rollouts; begin_gradients(); { forward, backward } per micro-batch,
///     disable() ... enable() around the reference's forward; take_gradients(); set_delta(...) a module
///
/// Not thread-safe. Draws no random numbers but the counter-based ones of stochastic rounding.
class SvdAdapter {
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
  ~SvdAdapter();
  SvdAdapter(const SvdAdapter&) = delete;
  SvdAdapter& operator=(const SvdAdapter&) = delete;

  /// In the decoder's order.
  const std::vector<Module>& modules() const;
  int64_t num_parameters() const;
  Decoder& decoder() const;

  /// Puts W' of the current deltas into the decoder. With kStochastic the rounding is seeded by (seed, step, module).
  /// A zero delta gives the base weights exactly, whatever the rounding; elements to which delta adds exactly 0 keep
  /// their bits. Drops gradients that were being collected.
  void merge(uint64_t seed, uint32_t step);
  /// Puts the base weights in place (the KL reference). enable() or merge() undoes it.
  void disable();
  /// Puts back what the last merge() or begin_gradients() had in place; gradients go on collecting.
  void enable();
  /// Makes the merged weights (or, unmerged, the deltas) leaves that collect gradients, from zero.
  void begin_gradients();
  /// dL/ddelta of every module since begin_gradients(), float32 [R]: diag(U^T G V) of the dense G, which accumulates in
  /// float32 over any number of backward passes. A module that no backward reached has zeros. Ends the collecting.
  std::map<std::string, torch::Tensor> take_gradients();
  /// Sets one module's delta ([R], copied). The decoder sees it at the next merge().
  void set_delta(const std::string& module, const torch::Tensor& delta_R);
  /// Every delta to exactly 0, the base model; the decoder sees it at the next merge().
  void reset();
  /// ||diag(U^T (W' - W) V) - delta|| / ||delta|| over all modules, of the last merge; 0 for a zero delta and unmerged.
  double merge_residual() const;
  /// SHA-256 over what merge() put in place: base hash, dtype, deltas and, where it matters, rounding and its seed.
  /// Changes with every delta; set_delta() alone does not change it, since the decoder does not see it yet.
  const std::string& weight_hash() const;
  /// SHA-256 over the bases (of the weights in the run's dtype), by module.
  const std::string& basis_hash() const;
  /// By module, [R] float32 on the CPU: what artifacts store to recognise a basis (basis_probe.h).
  const std::map<std::string, torch::Tensor>& basis_probes() const;

  /// adapter/{delta.safetensors, adapter.json} in `folder`, aside and renamed.
  void save(const std::string& folder) const;
  /// Reads the deltas of `folder`/adapter; merge() puts them in place. Throws DataError(data.adapter_mismatch) naming
  /// field and both values, or data.basis_mismatch; nothing is loaded then.
  void load(const std::string& folder);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline
