#include "plumbline/steer/extraction.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/progress.h"
#include "plumbline/model/token_logprob.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// Mean NLL of a completion behind a prompt, [] under autograd.
Tensor completion_nll(const Decoder& decoder, const std::vector<int64_t>& prompt_ids,
                      const std::vector<int64_t>& completion_ids) {
  if (prompt_ids.empty() || completion_ids.empty()) {
    throw DataError("data.pairs", "a prompt or a completion has no token", "", "check the pair file and the template");
  }
  std::vector<int64_t> ids = prompt_ids;
  ids.insert(ids.end(), completion_ids.begin(), completion_ids.end());
  const auto num_prompt = static_cast<int64_t>(prompt_ids.size()), num_tokens = static_cast<int64_t>(ids.size());
  ForwardBatch batch;
  batch.ids_BT = torch::tensor(ids, torch::kInt64).unsqueeze(0).to(decoder.device());
  batch.positions_BT = torch::arange(num_tokens, batch.ids_BT.options()).unsqueeze(0);
  // The state at a position predicts the token after it.
  const Tensor hidden_ND = decoder.hidden(batch)[0].slice(0, num_prompt - 1, num_tokens - 1);
  return -token_logprobs(hidden_ND, decoder.head_VD(), batch.ids_BT[0].slice(0, num_prompt), 1.0).mean();
}

/// Adds factor * gradient of the completion's NLL to what the adapter is collecting; returns the NLL.
double backward_nll(const Decoder& decoder, const std::vector<int64_t>& prompt_ids,
                    const std::vector<int64_t>& completion_ids, double factor) {
  const Tensor nll = completion_nll(decoder, prompt_ids, completion_ids);
  const double value = nll.item<double>();
  if (!std::isfinite(value)) {
    throw NumericError("numeric.non_finite_loss", "the loss of a contrast completion is not finite", "extraction",
                       "use float32, or check the checkpoint");
  }
  (factor * nll).backward();
  return value;
}

std::map<std::string, Tensor> take_finite_gradients(SvdAdapter& adapter) {
  std::map<std::string, Tensor> gradients = adapter.take_gradients();
  for (const auto& [module, gradient_R] : gradients) {
    if (gradient_R.isfinite().all().item<bool>()) continue;
    throw NumericError("numeric.non_finite_gradient", "the gradient of a contrast completion is not finite", module,
                       "use float32, or check the checkpoint");
  }
  return gradients;
}

/// vector / ||vector||, or zeros where the norm is at most kZeroNorm.
Tensor unit(const Tensor& vector_R) {
  const double norm = vector_R.norm().item<double>();
  return norm <= kZeroNorm ? torch::zeros_like(vector_R) : vector_R / norm;
}

Tensor mean_of_units(const Tensor& differences_PR) {
  std::vector<Tensor> units;
  for (int64_t pair = 0; pair < differences_PR.size(0); ++pair) units.push_back(unit(differences_PR[pair]));
  return torch::stack(units).mean(0);
}

/// One axis: the direction of a mean.
HackDirection::Module axis_of(const Tensor& mean_R) {
  return {unit(mean_R).unsqueeze(0), mean_R.norm().to(torch::kFloat64).reshape({1})};
}

/// A flavor's mean that lies in the span of those before it, up to rounding, adds no axis.
constexpr double kNothingNew = 1e-9;

HackDirection::Module flavor_span(const Tensor& differences_PR, const std::vector<std::string>& flavors) {
  std::map<std::string, std::vector<Tensor>> rows_of;
  for (size_t pair = 0; pair < flavors.size(); ++pair) {
    rows_of[flavors[pair]].push_back(differences_PR[static_cast<int64_t>(pair)]);
  }
  std::vector<Tensor> axes, strengths;
  for (const auto& [flavor, rows] : rows_of) {
    const Tensor mean_R = mean_of_units(torch::stack(rows));
    Tensor rest_R = mean_R;
    // Twice, so that rounding leaves the axes orthogonal.
    for (int pass = 0; pass < 2; ++pass) {
      for (const Tensor& axis_R : axes) rest_R = rest_R - axis_R.dot(rest_R) * axis_R;
    }
    const double norm = rest_R.norm().item<double>();
    const bool is_new = norm > kZeroNorm && norm > kNothingNew * mean_R.norm().item<double>();
    axes.push_back(is_new ? rest_R / norm : torch::zeros_like(rest_R));
    strengths.push_back(mean_R.norm());
  }
  return {torch::stack(axes), torch::stack(strengths)};
}

/// +1 or -1: the majority of sign(<D_i, v>), a tie by the sign of their mean.
double sign_of_axis(const Tensor& along_P) {
  const double votes = along_P.sign().sum().item<double>();
  return (votes != 0 ? votes : along_P.mean().item<double>()) < 0 ? -1 : 1;
}

HackDirection::Module singular_axes(const Tensor& differences_PR, int64_t k) {
  const auto [u, singular_K, vh_KR] = torch::linalg_svd(differences_PR, /*full_matrices=*/false);
  const int64_t num_axes = std::min(k, singular_K.numel());  // a module may be narrower than k
  Tensor axes_KR = torch::zeros({k, differences_PR.size(1)}, torch::kFloat64);
  Tensor strength_K = torch::zeros({k}, torch::kFloat64);
  for (int64_t axis = 0; axis < num_axes; ++axis) {
    strength_K[axis] = singular_K[axis];
    if (strength_K[axis].item<double>() <= kZeroNorm) continue;
    axes_KR[axis] = vh_KR[axis] * sign_of_axis(differences_PR.mv(vh_KR[axis]));
  }
  return {axes_KR, strength_K};
}

/// Axes of a module from its D_i, in float64.
HackDirection::Module axes_of(const Tensor& differences_PR, const std::vector<std::string>& flavors,
                              const DirectionRecipe& recipe) {
  switch (recipe.method) {
    case DirectionMethod::kMeanDiff:
      return axis_of(differences_PR.mean(0));
    case DirectionMethod::kUnitMean:
      return axis_of(mean_of_units(differences_PR));
    case DirectionMethod::kFlavorSpan:
      return flavor_span(differences_PR, flavors);
    case DirectionMethod::kSvd:
      break;
  }
  return singular_axes(differences_PR, recipe.k);
}

/// Zeroes the axes strictly below the (linearly interpolated) quantile of all modules' strengths.
void drop_weak_axes(std::map<std::string, HackDirection::Module>& modules, double quantile) {
  std::vector<Tensor> pooled;
  for (const auto& [name, module] : modules) pooled.push_back(module.strength_K);
  const double threshold = torch::quantile(torch::cat(pooled), quantile).item<double>();
  for (auto& [name, module] : modules) {
    module.axes_KR *= (module.strength_K >= threshold).to(module.axes_KR.scalar_type()).unsqueeze(1);
  }
}

/// The axis of rank 1 (as stored, not made unit again), the unit sum of several; zero without any.
Tensor middle_of(const HackDirection::Module& module) {
  const Tensor axes_KR = module.axes_KR.to(torch::kFloat64);
  return axes_KR.size(0) == 1 ? axes_KR[0] : unit(axes_KR.sum(0));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t count = values.size();
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/// sum_m <D_m, v_m> / (|D| sqrt(M)) for one difference a module; 0 for a zero difference.
double flat_cosine(const std::map<std::string, Tensor>& difference_R, const std::map<std::string, Tensor>& vectors) {
  double along = 0, squares = 0;
  for (const auto& [module, vector_R] : vectors) {
    const Tensor& own_R = difference_R.at(module);
    along += own_R.dot(vector_R).item<double>();
    squares += own_R.square().sum().item<double>();
  }
  return squares == 0 ? 0 : along / (std::sqrt(squares) * std::sqrt(static_cast<double>(vectors.size())));
}

}  // namespace

DirectionRecipe direction_recipe(const SteerOptions& options) {
  static const std::map<std::string, DirectionMethod> methods = {{"mean_diff", DirectionMethod::kMeanDiff},
                                                                 {"unit_mean", DirectionMethod::kUnitMean},
                                                                 {"flavor_span", DirectionMethod::kFlavorSpan},
                                                                 {"svd", DirectionMethod::kSvd}};
  const auto found = methods.find(options.method);
  if (found == methods.end()) {
    throw ConfigError("config.not_allowed", "the method '" + options.method + "' is not there", "steer.method",
                      "use mean_diff, unit_mean, flavor_span or svd");
  }
  const DirectionRecipe recipe{found->second, options.k, options.noise_floor};
  if (recipe.method != DirectionMethod::kSvd && (recipe.k != 1 || recipe.noise_floor != 0)) {
    throw ConfigError("config.conflict", "k and noise_floor belong to the method svd, not to " + options.method,
                      recipe.k != 1 ? "steer.k" : "steer.noise_floor", "leave it out, or set steer.method to \"svd\"");
  }
  return recipe;
}

std::vector<TokenizedPair> pairs_of(std::span<const TokenizedPair> pairs, bool held_out) {
  std::vector<TokenizedPair> chosen;
  for (const TokenizedPair& pair : pairs) {
    if (pair.held_out == held_out) chosen.push_back(pair);
  }
  if (chosen.empty()) {
    throw DataError("data.pairs",
                    held_out ? "no pair is held out" : "every pair is held out: none is left to extract from",
                    "steer.pairs", "check held_out in the pair file, and steer.flavors");
  }
  return chosen;
}

CompletionGradient completion_gradient(SvdAdapter& adapter, const std::vector<int64_t>& prompt_ids,
                                       const std::vector<int64_t>& completion_ids) {
  adapter.begin_gradients();
  const double nll = backward_nll(adapter.decoder(), prompt_ids, completion_ids, 1);
  return {nll, take_finite_gradients(adapter)};
}

PairDifferences pair_differences(SvdAdapter& adapter, std::span<const TokenizedPair> pairs) {
  PairDifferences result;
  std::map<std::string, std::vector<Tensor>> rows;
  Progress progress("gradients of contrast pairs", static_cast<int64_t>(pairs.size()), "pairs");
  for (const TokenizedPair& pair : pairs) {
    if (interrupt_requested()) throw Interrupted("stopped during the extraction; nothing was written, run it again");
    // One collection a pair: the contraction is linear, so D_i costs one of them instead of two.
    adapter.begin_gradients();
    result.flavors.push_back(pair.flavor);
    result.nll_hack.push_back(backward_nll(adapter.decoder(), pair.prompt_ids, pair.hack_ids, 1));
    result.nll_clean.push_back(backward_nll(adapter.decoder(), pair.prompt_ids, pair.clean_ids, -1));
    for (const auto& [module, difference_R] : take_finite_gradients(adapter)) {
      rows[module].push_back(difference_R.to(torch::kCPU));
    }
    progress.advance(1, "flavor " + pair.flavor);
  }
  for (const auto& [module, differences] : rows) result.differences_PR[module] = torch::stack(differences);
  return result;
}

HackDirection make_direction(const SvdAdapter& adapter, const PairDifferences& differences,
                             const DirectionRecipe& recipe, const DirectionMetadata& metadata) {
  const auto num_pairs = static_cast<int64_t>(differences.flavors.size());
  if (recipe.k > num_pairs) {
    throw ConfigError("config.out_of_range", fmt::format("{} pairs do not span {} axes", num_pairs, recipe.k),
                      "steer.k", fmt::format("set it to {} or less", num_pairs));
  }
  HackDirection direction{metadata, {}, adapter.basis_probes()};
  for (const auto& [name, differences_PR] : differences.differences_PR) {
    direction.modules[name] = axes_of(differences_PR.to(torch::kFloat64), differences.flavors, recipe);
  }
  if (recipe.noise_floor > 0) drop_weak_axes(direction.modules, recipe.noise_floor);
  for (auto& [name, module] : direction.modules) {
    module.axes_KR = module.axes_KR.to(differences.differences_PR.at(name).scalar_type());
    direction.metadata.k = module.axes_KR.size(0);
  }
  return direction;
}

GateA gate_a_of(const HackDirection& direction) {
  GateA gate;
  for (const auto& [name, module] : direction.modules) {
    ++gate.num_modules;
    gate.num_zero_norm += module.strength_K.max().item<double>() <= kZeroNorm ? 1 : 0;
  }
  return gate;
}

HeldOutCheck check_differences(const HackDirection& direction, const PairDifferences& held_out) {
  PL_CHECK(!direction.modules.empty() && !held_out.nll_hack.empty(), "a check needs modules and pairs");
  HeldOutCheck check;
  std::map<std::string, Tensor> vectors, means;
  std::vector<std::map<std::string, Tensor>> pairs(held_out.nll_hack.size());
  std::vector<double> cosines;
  for (const auto& [name, module] : direction.modules) {
    const Tensor differences_PR = held_out.differences_PR.at(name).to(torch::kFloat64);
    const Tensor v_R = vectors[name] = middle_of(module);
    const Tensor mean_R = means[name] = differences_PR.mean(0);
    for (size_t pair = 0; pair < pairs.size(); ++pair) pairs[pair][name] = differences_PR[static_cast<int64_t>(pair)];
    const double norms = mean_R.norm().item<double>() * v_R.norm().item<double>();
    const double cosine = norms == 0 ? 0 : mean_R.dot(v_R).item<double>() / norms;
    check.module_cosines[name] = cosine;
    cosines.push_back(cosine);
    check.mean += cosine;
    check.frac_positive += cosine > 0 ? 1 : 0;
  }
  const auto num_modules = static_cast<double>(cosines.size());
  check.mean /= num_modules;
  check.frac_positive /= num_modules;
  check.median = median_of(cosines);
  check.flat = flat_cosine(means, vectors);
  for (const auto& pair : pairs) check.pair_flats.push_back(flat_cosine(pair, vectors));
  return check;
}

double direction_overlap(const HackDirection& one, const HackDirection& other) {
  double sum = 0;
  for (const auto& [name, module] : one.modules) {
    sum += std::abs(middle_of(module).dot(middle_of(other.modules.at(name))).item<double>());
  }
  return one.modules.empty() ? 0 : sum / static_cast<double>(one.modules.size());
}

}  // namespace plumbline
