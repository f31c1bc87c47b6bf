/// From contrast pairs to a hack direction, and the check on pairs that were held out.
///
///     g = d(mean NLL of a completion) / d delta;   D_i = g_hack,i - g_clean,i;   v = unit(mean_i D_i)  a module
///
/// Source: the projected-GRPO notes (docs/method/hack_direction.md). D_i is the gradient for advantages (+1, -1).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/preset/options.h"
#include "plumbline/steer/contrast_pairs.h"
#include "plumbline/steer/hack_direction.h"

namespace plumbline {

/// A mean at or below this norm has no direction.
constexpr double kZeroNorm = 1e-12;

/// How the D_i of a module become one direction. kMeanDiff: their mean. kUnitMean: each scaled to norm 1 in its module
/// first, so that one flavor's large gradients do not own the direction.
enum class DirectionMethod { kMeanDiff, kUnitMean };

/// steer.method, and steer.k, which must be 1. Throws ConfigError(config.not_supported) saying which methods there are.
DirectionMethod direction_method(const SteerOptions& options);

/// Mean NLL over one completion's tokens and its gradient by module ([R], on the adapter's device).
struct CompletionGradient {
  double nll = 0;
  std::map<std::string, torch::Tensor> gradients_R;
};

/// At the adapter's current (merged) delta. Throws NumericError(numeric.non_finite_loss | numeric.non_finite_gradient)
/// and DataError(data.pairs) for an empty prompt or completion.
CompletionGradient completion_gradient(SvdAdapter& adapter, const std::vector<int64_t>& prompt_ids,
                                       const std::vector<int64_t>& completion_ids);

/// D_i of several pairs, by module, one row a pair.
struct PairDifferences {
  std::vector<double> nll_hack, nll_clean;              ///< a pair
  std::map<std::string, torch::Tensor> differences_PR;  ///< on the CPU, in the adapter's dtype
};

/// One forward and backward a side, with progress on stderr. The adapter's delta stays; gradients that were being
/// collected are dropped. Throws what completion_gradient throws, naming the pair; Interrupted between two pairs.
PairDifferences pair_differences(SvdAdapter& adapter, std::span<const TokenizedPair> pairs);

/// The direction of these differences. Fills modules and basis_probes; metadata is the caller's argument.
HackDirection make_direction(const SvdAdapter& adapter, const PairDifferences& differences, DirectionMethod method,
                             const DirectionMetadata& metadata);

/// Pairs that are not held out -> differences -> direction.
/// Throws DataError(data.pairs) when none is left for extraction.
HackDirection extract_hack_direction(SvdAdapter& adapter, std::span<const TokenizedPair> pairs, DirectionMethod method,
                                     const DirectionMetadata& metadata);

/// Gate A: what the extraction must show.
struct GateA {
  int64_t num_modules = 0;
  int64_t num_zero_norm = 0;  ///< modules whose mean has a norm of at most kZeroNorm
};
GateA gate_a_of(const HackDirection& direction);

/// Gate B: how the direction fares on pairs it has not seen. The same function on placebo pairs gives the placebo's
/// figure; it shows self-consistency and nothing about hacking.
struct HeldOutCheck {
  double frac_positive = 0;                      ///< share of modules with a positive cosine
  double mean = 0, median = 0;                   ///< of the module cosines; the two middle values are averaged
  double flat = 0;                               ///< sum_m <D_m, v_m> / (|D| sqrt(M)), D the mean held-out difference
  std::map<std::string, double> module_cosines;  ///< cos(mean held-out D, v); 0 where either is zero
  std::vector<double> pair_flats;                ///< `flat` of each pair alone
};

HeldOutCheck check_differences(const HackDirection& direction, const PairDifferences& held_out);
/// Held-out pairs -> differences -> check. Throws DataError(data.pairs) when none is held out.
HeldOutCheck check_held_out(SvdAdapter& adapter, std::span<const TokenizedPair> pairs, const HackDirection& direction);

}  // namespace plumbline
