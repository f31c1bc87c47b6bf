#include "plumbline/compare/effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/stats/bootstrap.h"
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

std::vector<Cluster> clustered(std::span<const PairedRow> rows, std::string PairedRow::*key) {
  std::vector<std::string> keys;
  for (const PairedRow& row : rows) keys.push_back(row.*key);
  return clusters_of(keys, differences_of(rows));
}

void set_means(Effect& effect, std::span<const PairedRow> rows) {
  for (const PairedRow& row : rows) {
    effect.base_mean += row.base;
    effect.candidate_mean += row.candidate;
    effect.num_gained += row.candidate > row.base;
    effect.num_lost += row.candidate < row.base;
  }
  if (effect.is_binary) {
    effect.base_interval = wilson_interval(std::llround(effect.base_mean), effect.num_rows);
    effect.candidate_interval = wilson_interval(std::llround(effect.candidate_mean), effect.num_rows);
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

}  // namespace

Effect effect_of(std::span<const PairedRow> rows, const std::string& where) {
  if (rows.size() < 2) {
    throw DataError(rows.empty() ? "data.no_values" : "data.too_few_values",
                    fmt::format("a paired comparison needs at least 2 rows in each arm, and there are {}", rows.size()),
                    where, "evaluate more items (eval.limit, eval.problems)");
  }
  Effect effect;
  effect.num_rows = static_cast<int64_t>(rows.size());
  effect.is_binary = is_binary(rows);
  const std::vector<Cluster> prompts = clustered(rows, &PairedRow::cluster), items = clustered(rows, &PairedRow::item);
  effect.effective_n = static_cast<int64_t>(prompts.size());
  set_means(effect, rows);
  set_headline(effect, prompts);
  const std::vector<double> differences = differences_of(rows);
  effect.published = percentile_bootstrap(differences);
  if (items.size() < rows.size() && items.size() > 1) effect.published_by_item = percentile_bootstrap(items);
  set_seeds(effect, rows);
  effect.confidence_sequence = confidence_sequence(differences);
  effect.mde = minimum_detectable_effect(effect.effective_n);
  if (std::abs(effect.delta) > 1e-6) effect.required_n = required_n(std::min(2.0, std::abs(effect.delta)));
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
