#include "plumbline/steer/extraction.h"

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

Tensor mean_of(const Tensor& differences_PR, DirectionMethod method) {
  const Tensor wide_PR = differences_PR.to(torch::kFloat64);
  if (method == DirectionMethod::kMeanDiff) return wide_PR.mean(0);
  std::vector<Tensor> units;
  for (int64_t pair = 0; pair < wide_PR.size(0); ++pair) units.push_back(unit(wide_PR[pair]));
  return torch::stack(units).mean(0);
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

std::vector<TokenizedPair> select_held_out(std::span<const TokenizedPair> pairs, bool held_out) {
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

}  // namespace

DirectionMethod direction_method(const SteerOptions& options) {
  if (options.k != 1) {
    throw ConfigError("config.not_supported", "k = " + std::to_string(options.k) + " is not there yet", "steer.k",
                      "use k = 1");
  }
  if (options.method == "mean_diff") return DirectionMethod::kMeanDiff;
  if (options.method == "unit_mean") return DirectionMethod::kUnitMean;
  throw ConfigError("config.not_supported", "the method '" + options.method + "' is not there", "steer.method",
                    "use mean_diff or unit_mean");
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

HackDirection make_direction(const SvdAdapter& adapter, const PairDifferences& differences, DirectionMethod method,
                             const DirectionMetadata& metadata) {
  HackDirection direction{metadata, {}, adapter.basis_probes()};
  for (const auto& [module, differences_PR] : differences.differences_PR) {
    const Tensor mean_R = mean_of(differences_PR, method);
    direction.modules[module] = {unit(mean_R).to(differences_PR.scalar_type()), mean_R.norm().item<double>()};
  }
  return direction;
}

HackDirection extract_hack_direction(SvdAdapter& adapter, std::span<const TokenizedPair> pairs, DirectionMethod method,
                                     const DirectionMetadata& metadata) {
  return make_direction(adapter, pair_differences(adapter, select_held_out(pairs, false)), method, metadata);
}

GateA gate_a_of(const HackDirection& direction) {
  GateA gate;
  for (const auto& [name, module] : direction.modules) {
    ++gate.num_modules;
    gate.num_zero_norm += module.norm <= kZeroNorm ? 1 : 0;
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
    const Tensor v_R = vectors[name] = module.v_R.to(torch::kFloat64);
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

HeldOutCheck check_held_out(SvdAdapter& adapter, std::span<const TokenizedPair> pairs, const HackDirection& direction) {
  return check_differences(direction, pair_differences(adapter, select_held_out(pairs, true)));
}

}  // namespace plumbline
