#include "plumbline/compare/to_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/stats/paired_binary.h"

namespace plumbline {
namespace {

/// A threshold counts when it was there before the results.
constexpr const char* kInAPlan = "in a plan committed before the evaluation (eval --plan FILE)";

/// The interval that `factor` times as many prompts with the same rates would have; shrinks with the root for real
/// scores.
Interval scaled_interval(const Effect& effect, double factor) {
  if (effect.is_binary) {
    const double scale = factor / effect.design_effect;
    return tango_interval(static_cast<double>(effect.num_lost) * scale, static_cast<double>(effect.num_gained) * scale,
                          static_cast<double>(effect.num_rows) * scale);
  }
  const double root = std::sqrt(factor);
  return {effect.delta - (effect.delta - effect.interval->low) / root,
          effect.delta + (effect.interval->high - effect.delta) / root};
}

/// All prompts gain alike, so that the exact test decides: p = 2 / 2^n is below .05 from six on.
std::string without_spread_to_pass(const Effect& effect) {
  constexpr int64_t kLeastPrompts = 6;
  if (effect.effective_n < 2) return "evaluate at least two distinct prompts: one has no interval";
  // The bootstrap-t of two or three prompts has no ends though they differ.
  const bool differ = effect.confidence_sequence && effect.confidence_sequence->low < effect.confidence_sequence->high;
  if (!effect.interval && differ) {
    return fmt::format("evaluate more distinct prompts: {} are too few for an interval", effect.effective_n);
  }
  return fmt::format(
      "where all differences are equal the exact test needs at least {} distinct prompts that all gain, and there are "
      "{}",
      kLeastPrompts, effect.effective_n);
}

/// The seeds whose delta is too small: "seed 21, seed 22".
std::string seeds_below(const Effect& effect, double min_effect) {
  std::string seeds;
  for (const SeedEffect& seed : effect.seeds) {
    if (seed.delta < min_effect) seeds += fmt::format("{}seed {}", seeds.empty() ? "" : ", ", seed.seed);
  }
  return seeds;
}

/// Checkpoints and served models; adapters are of a kind.
bool has_no_training_of_its_own(const TaskEvidence& evidence) {
  return evidence.reports.front()->pins.find("adapter_kind") == "\"none\"";
}

}  // namespace

std::string effect_reading(const Effect& effect, double min_effect) {
  if (!effect.interval) return "";
  const Interval& interval = *effect.interval;
  if (interval.high < 0) return "the candidate is worse";
  if (interval.high < min_effect) return fmt::format("a gain of {:.4f} is ruled out", min_effect);
  if (interval.low > 0) return effect.delta >= min_effect ? "" : "the candidate is better, but by less than is wanted";
  if (effect.delta <= 0) {
    return fmt::format("the candidate may well be worse or unchanged, and {} prompts are too few to rule out {:+.4f}",
                       effect.effective_n, min_effect);
  }
  return effect.delta >= min_effect
             ? fmt::format("large enough, but {} prompts are too few to tell it from 0", effect.effective_n)
             : fmt::format("{} prompts are too few to tell it from 0 or from {:+.4f}", effect.effective_n, min_effect);
}

std::optional<double> prompts_to_exclude(const Effect& effect, double bound) {
  constexpr double kMostTimes = 1e5;
  if (!effect.interval) return std::nullopt;
  const auto decides = [&](double factor) { return scaled_interval(effect, factor).excludes(bound); };
  if (!decides(kMostTimes)) return std::nullopt;
  double low = 1, high = kMostTimes;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (decides(middle) ? high : low) = middle;
  }
  return std::ceil(static_cast<double>(effect.effective_n) * high);
}

std::string effect_to_pass(const Effect& effect, const Plan& plan, std::optional<double> adjusted_p) {
  const std::string delta = fmt::format("the delta is {:+.4f} and min_effect {:.4f}", effect.delta, plan.min_effect);
  if (effect.delta < plan.min_effect) {
    const bool is_open = !effect.interval || effect.interval->high >= plan.min_effect;
    return is_open ? fmt::format(
                         "{}: a better candidate, or more items if its true gain is larger than measured; more "
                         "items at this delta cannot help",
                         delta)
                   : delta + ": a better candidate; more items cannot help";
  }
  if (!effect.has_spread()) return without_spread_to_pass(effect);
  if (!effect.interval->excludes(0)) {
    const std::optional<double> prompts = prompts_to_exclude(effect, 0);
    if (!prompts) return delta + ", and no number of items within reason takes the interval clear of 0";
    return fmt::format(
        "{}, but the interval includes 0: about {:.0f} distinct prompts would show this delta, if the "
        "rates stay ({} here)",
        delta, std::max(*prompts, static_cast<double>(effect.effective_n + 1)), effect.effective_n);
  }
  return fmt::format(
      "p must be at most .05 after Holm's adjustment and is {:.3g}: more items, or fewer headline tasks {}",
      adjusted_p.value_or(effect.p), kInAPlan);
}

std::string powered_to_pass(const Effect& effect, double threshold) {
  if (!effect.mde) return "scores that differ: of equal ones nobody knows what could be detected";
  const std::optional<int64_t> prompts = prompts_to_detect(effect, threshold);
  std::string text = prompts
                         ? fmt::format("at least {} distinct prompts ({} here)", *prompts, effect.effective_n)
                         : fmt::format("no number of prompts within reason detects a difference of {:.4g}", threshold);
  const double tolerance = std::ceil(*effect.mde * 1e4) / 1e4;
  if (tolerance <= 1) text += fmt::format(", or a tolerance of at least {:.4f} {}", tolerance, kInAPlan);
  return text;
}

std::string non_inferior_to_pass(const std::string& what, const Effect& effect, double margin) {
  if (!effect.interval) return fmt::format("{}: evaluate more distinct prompts; these have no interval", what);
  const std::string end = fmt::format("{}: the lower end of its interval must be above {:+.4f} and is {:+.4f}", what,
                                      -margin, effect.interval->low);
  if (effect.delta <= -margin) return end + ": a candidate that keeps it; more items at this delta cannot help";
  const std::optional<double> prompts = prompts_to_exclude(effect, -margin);
  if (!prompts) return end + "; no number of items within reason would show it";
  return fmt::format("{}: about {:.0f} items, if the rates stay ({} here)", end,
                     std::max(*prompts, static_cast<double>(effect.effective_n + 1)), effect.effective_n);
}

std::string enough_seeds_to_pass(const TaskEvidence& evidence, const Plan& plan) {
  const auto num_distinct = static_cast<int64_t>(evidence.distinct_seeds.size());
  const int64_t num_missing = plan.min_seeds - num_distinct;
  std::string text;
  if (const std::string below = seeds_below(evidence.effect, plan.min_effect); !below.empty()) {
    text = fmt::format("a candidate that reaches {:+.4f} under every seed ({} below it)", plan.min_effect, below);
  }
  if (num_missing <= 0) return text;
  if (!text.empty()) text += ", and ";
  if (has_no_training_of_its_own(evidence)) {
    return text + fmt::format("min_seeds = 1 {}: a checkpoint or a served model is one seed", kInAPlan);
  }
  return text + fmt::format(
                    "evaluations of runs of {} more seed{}, each with a delta of at least {:+.4f}, or min_seeds "
                    "= {} {}; a plan's seeds must be those that are reported, so further ones need a new plan",
                    num_missing, num_missing == 1 ? "" : "s", plan.min_effect, num_distinct, kInAPlan);
}

std::string truncation_to_pass(const TaskEvidence& evidence) {
  if (!evidence.num_truncated) return "reports whose rows say finish_reason (stop, length): plumbline eval writes them";
  return fmt::format(
      "a higher rollout.max_new_tokens, so that fewer rows are cut ({} of {} are, in either arm), and an effect that "
      "does not come from them",
      *evidence.num_truncated, evidence.effect.num_rows);
}

}  // namespace plumbline
