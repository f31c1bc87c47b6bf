#include "plumbline/compare/effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/stats/bootstrap.h"
#include "plumbline/stats/clustered_rate.h"
#include "plumbline/stats/confidence_sequence.h"
#include "plumbline/stats/exact_test.h"
#include "plumbline/stats/moments.h"
#include "plumbline/stats/paired_binary.h"
#include "plumbline/stats/power.h"

namespace plumbline {
namespace {

bool is_binary(std::span<const PairedRow> rows) {
  return std::all_of(rows.begin(), rows.end(), [](const PairedRow& row) {
    return (row.base == 0 || row.base == 1) && (row.candidate == 0 || row.candidate == 1);
  });
}

std::vector<double> differences_of(std::span<const PairedRow> rows) {
  std::vector<double> differences;
  for (const PairedRow& row : rows) differences.push_back(row.candidate - row.base);
  return differences;
}

std::vector<std::string> prompts_of(std::span<const PairedRow> rows) {
  std::vector<std::string> prompts;
  for (const PairedRow& row : rows) prompts.push_back(row.cluster);
  return prompts;
}

std::vector<std::string> items_of(std::span<const PairedRow> rows) {
  std::vector<std::string> items;
  for (const PairedRow& row : rows) items.push_back(row.item);
  return items;
}

/// Generated splits have other prompts under the same id: those are other items.
std::vector<std::string> items_within_prompts_of(std::span<const PairedRow> rows) {
  std::vector<std::string> items;
  for (const PairedRow& row : rows) {
    items.push_back(std::to_string(row.cluster.size()) + ":" + row.cluster + row.item);
  }
  return items;
}

/// Wilson's interval of an arm of passes and fails.
Interval rate_interval(std::span<const PairedRow> rows, double PairedRow::*arm) {
  std::vector<double> scores;
  for (const PairedRow& row : rows) scores.push_back(row.*arm);
  return clustered_wilson_interval(clusters_of(prompts_of(rows), scores),
                                   clusters_of(items_within_prompts_of(rows), scores));
}

void set_means(Effect& effect, std::span<const PairedRow> rows) {
  for (const PairedRow& row : rows) {
    effect.base_mean += row.base;
    effect.candidate_mean += row.candidate;
    effect.num_gained += row.candidate > row.base;
    effect.num_lost += row.candidate < row.base;
  }
  if (effect.is_binary) {
    effect.base_interval = rate_interval(rows, &PairedRow::base);
    effect.candidate_interval = rate_interval(rows, &PairedRow::candidate);
  }
  effect.base_mean /= static_cast<double>(effect.num_rows);
  effect.candidate_mean /= static_cast<double>(effect.num_rows);
  effect.delta = mean_of(differences_of(rows));
}

/// The headline interval and its test, with prompts as the unit.
void set_headline(Effect& effect, std::span<const Cluster> prompts) {
  int64_t above = 0, below = 0;
  for (const Cluster& prompt : prompts) {
    above += prompt.sum > 0;
    below += prompt.sum < 0;
  }
  effect.exact_p = mcnemar_exact(below, above);
  effect.p = effect.exact_p;
  if (prompts.size() < 2) {
    effect.method = "none: one prompt has no interval";
    return;
  }
  if (!effect.is_binary) {
    effect.interval = bootstrap_t(prompts);
    effect.method = effect.interval ? "bootstrap-t over prompts, 1999 resamples" : "none: all differences are equal";
    if (effect.interval && std::isinf(effect.interval->low) && std::isinf(effect.interval->high)) {
      effect.interval.reset();
      effect.method = fmt::format("none: {} prompts are too few for the bootstrap-t", prompts.size());
    }
    return;
  }
  const ClusteredInterval headline = clustered_tango_interval(prompts);
  effect.interval = headline.interval;
  effect.design_effect = headline.design_effect;
  const bool is_plain = static_cast<int64_t>(prompts.size()) == effect.num_rows;
  effect.method = is_plain ? "Tango's score interval" : "Tango's score interval, rows of one prompt as one observation";
  const double discordant = static_cast<double>(effect.num_gained + effect.num_lost) * headline.design_effect;
  // At no difference Tango's statistic is McNemar's.
  if (discordant > 0) {
    effect.p =
        std::erfc(std::abs(static_cast<double>(effect.num_gained - effect.num_lost)) / std::sqrt(2 * discordant));
  }
}

void set_seeds(Effect& effect, std::span<const PairedRow> rows) {
  std::map<int64_t, std::vector<PairedRow>> by_seed;
  for (const PairedRow& row : rows) by_seed[row.seed].push_back(row);
  std::vector<double> deltas;
  for (const auto& [seed, of_seed] : by_seed) {
    SeedEffect summary{seed, static_cast<int64_t>(of_seed.size()), mean_of(differences_of(of_seed)), std::nullopt};
    if (effect.is_binary) {
      int64_t gained = 0, lost = 0;
      for (const PairedRow& row : of_seed) {
        gained += row.candidate > row.base;
        lost += row.candidate < row.base;
      }
      summary.mcnemar_p = mcnemar_exact(lost, gained);
    }
    deltas.push_back(summary.delta);
    effect.seeds.push_back(summary);
  }
  if (deltas.size() >= 3) effect.over_seeds = seed_t_test(deltas);
}

/// The variance of scores is at most a quarter of their range squared, as that of pass or fail is at most .25: the
/// formula for rates holds for scores in units of their range.
void set_power(Effect& effect, std::span<const PairedRow> rows) {
  if (!effect.is_binary) {
    effect.lowest_score = std::min(rows[0].base, rows[0].candidate);
    effect.highest_score = effect.lowest_score;
    for (const PairedRow& row : rows) {
      effect.lowest_score = std::min({effect.lowest_score, row.base, row.candidate});
      effect.highest_score = std::max({effect.highest_score, row.base, row.candidate});
    }
  }
  const double range = effect.highest_score - effect.lowest_score;
  if (range > 0) effect.mde = range * minimum_detectable_effect(effect.effective_n);
  effect.required_n = prompts_to_detect(effect, std::abs(effect.delta));
}

}  // namespace

std::optional<int64_t> prompts_to_detect(const Effect& effect, double difference) {
  constexpr double kLeastShare = 1e-6, kMostShare = 2;  // of the range; the domain of required_n
  const double share = difference / (effect.highest_score - effect.lowest_score);
  if (!(share > kLeastShare)) return std::nullopt;
  return required_n(std::min(kMostShare, share));
}

std::string variance_words(const Effect& effect) {
  if (effect.is_binary) return "the largest variance that pass or fail can have";
  return fmt::format("the largest variance that scores from {:.4g} to {:.4g} can have", effect.lowest_score,
                     effect.highest_score);
}

Effect effect_of(std::span<const PairedRow> rows, const std::string& where) {
  if (rows.size() < 2) {
    throw DataError(rows.empty() ? "data.no_values" : "data.too_few_values",
                    fmt::format("a paired comparison needs at least 2 rows in each arm, and there are {}", rows.size()),
                    where, "evaluate more items (eval.limit, eval.problems)");
  }
  Effect effect;
  effect.num_rows = static_cast<int64_t>(rows.size());
  effect.is_binary = is_binary(rows);
  const std::vector<double> differences = differences_of(rows);
  const std::vector<Cluster> prompts = clusters_of(prompts_of(rows), differences),
                             items = clusters_of(items_of(rows), differences);
  effect.effective_n = static_cast<int64_t>(prompts.size());
  set_means(effect, rows);
  set_headline(effect, prompts);
  effect.published = percentile_bootstrap(differences);
  if (items.size() < rows.size() && items.size() > 1) effect.published_by_item = percentile_bootstrap(items);
  set_seeds(effect, rows);
  if (prompts.size() > 1) {
    effect.confidence_sequence = confidence_sequence(prompts, clusters_of(items_within_prompts_of(rows), differences));
  }
  set_power(effect, rows);
  return effect;
}

std::optional<std::vector<PairedRow>> untruncated_rows(std::span<const PairedRow> rows) {
  std::vector<PairedRow> kept;
  for (const PairedRow& row : rows) {
    if (!row.truncated) return std::nullopt;
    if (!*row.truncated) kept.push_back(row);
  }
  return kept;
}

}  // namespace plumbline
