/// From contrast pairs to a hack direction, and the check on pairs that were held out.
///
///     g = d(mean NLL of a completion) / d delta;   D_i = g_hack,i - g_clean,i;   v = unit(mean_i D_i)  a module
///
/// Source: the projected-GRPO notes (docs/method/hack_direction.md). D_i is the gradient for advantages (+1, -1). Ours:
/// the sign of a singular axis that the vote leaves open is that of mean_i <D_i, v>, not the SVD routine's.
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

/// How the D_i of a module become axes.
enum class DirectionMethod {
  kMeanDiff,    ///< their mean
  kUnitMean,    ///< each scaled to norm 1 in its module first, so that one flavor's large gradients do not own it
  kFlavorSpan,  ///< the unit mean of every flavor, made orthonormal in the order of the names; signs kept
  kSvd,         ///< first k right singular vectors of D, signed by the majority of sign(<D_i, v>)
};

struct DirectionRecipe {
  DirectionMethod method = DirectionMethod::kMeanDiff;
  int64_t k = 1;           ///< axes, svd only
  double noise_floor = 0;  ///< svd: drops axes strictly below this quantile of all modules' first k singular values
};

/// steer.method, steer.k, steer.noise_floor. Throws ConfigError: config.not_allowed (a method that there is not),
/// config.conflict (k or noise_floor without svd).
DirectionRecipe direction_recipe(const SteerOptions& options);

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
  std::vector<std::string> flavors;                     ///< a pair
  std::vector<double> nll_hack, nll_clean;              ///< a pair
  std::map<std::string, torch::Tensor> differences_PR;  ///< on the CPU, in the adapter's dtype
};

/// One forward and backward a side, with progress on stderr. The adapter's delta stays; gradients that were being
/// collected are dropped. Throws what completion_gradient throws, naming the pair; Interrupted between two pairs.
PairDifferences pair_differences(SvdAdapter& adapter, std::span<const TokenizedPair> pairs);

/// The direction of these differences. Fills modules and basis_probes; metadata is the caller's, with k as it came out.
/// Throws ConfigError(config.out_of_range) for an svd with more axes than pairs.
HackDirection make_direction(const SvdAdapter& adapter, const PairDifferences& differences,
                             const DirectionRecipe& recipe, const DirectionMetadata& metadata);

/// The pairs to extract from, or those that were held out. Throws DataError(data.pairs) when there is none.
std::vector<TokenizedPair> pairs_of(std::span<const TokenizedPair> pairs, bool held_out);

/// Gate A: what the extraction must show.
struct GateA {
  int64_t num_modules = 0;
  int64_t num_zero_norm = 0;  ///< modules in which no axis is stronger than kZeroNorm
};
GateA gate_a_of(const HackDirection& direction);

/// Gate B: how the direction fares on pairs it has not seen. The same function on placebo pairs gives the placebo's
/// figure; it shows self-consistency and nothing about hacking.
/// A module's direction is its axis, or the unit sum of its axes: the middle of what a one-sided gate removes.
struct HeldOutCheck {
  double frac_positive = 0;                      ///< share of modules with a positive cosine
  double mean = 0, median = 0;                   ///< of the module cosines; the two middle values are averaged
  double flat = 0;                               ///< sum_m <D_m, v_m> / (|D| sqrt(M)), D the mean held-out difference
  std::map<std::string, double> module_cosines;  ///< cos(mean held-out D, v); 0 where either is zero
  std::vector<double> pair_flats;                ///< `flat` of each pair alone
};

HeldOutCheck check_differences(const HackDirection& direction, const PairDifferences& held_out);

/// Mean over modules of |<v, w>| of two directions' (middle) axes: how far a direction has turned.
double direction_overlap(const HackDirection& one, const HackDirection& other);

}  // namespace plumbline
