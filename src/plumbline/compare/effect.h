/// The paired difference of two arms with everything that is said about it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/compare/paired_rows.h"
#include "plumbline/stats/interval.h"
#include "plumbline/stats/paired_test.h"

namespace plumbline {

struct SeedEffect {
  int64_t seed = 0, num_rows = 0;
  double delta = 0;
  std::optional<double> mcnemar_p;  ///< unset for scores that are not 0 or 1
};

struct Effect {
  int64_t num_rows = 0;
  int64_t effective_n = 0;  ///< distinct prompts
  bool is_binary = false;   ///< all scores are 0 or 1
  double base_mean = 0, candidate_mean = 0;
  std::optional<Interval> base_interval, candidate_interval;  ///< Wilson, over prompts; unset for real scores
  double delta = 0;
  std::optional<Interval> interval;  ///< the headline; unset for one prompt, and for real differences that are all
                                     ///< equal or too few for any end
  std::string method;                ///< of the headline, in words
  double design_effect = 1;
  int64_t num_gained = 0, num_lost = 0;       ///< rows above and below 0
  double p = 1;                               ///< two-sided, of no difference; prompts are the unit
  double exact_p = 1;                         ///< McNemar's or the sign test over prompts
  Interval published;                         ///< percentile bootstrap of rows: 4000 resamples, seed 0
  std::optional<Interval> published_by_item;  ///< the same over items, when rows share them
  std::vector<SeedEffect> seeds;
  std::optional<SeedTest> over_seeds;           ///< with three seeds
  std::optional<Interval> confidence_sequence;  ///< over prompts; unset for one
  double lowest_score = 0, highest_score = 1;   ///< of both arms; 0 and 1 for pass or fail whatever occurred
  std::optional<double> mde;                    ///< at effective_n, correlation 0; unset when all scores are equal
  std::optional<int64_t> required_n;            ///< prompts that would show a difference of this size

  bool has_spread() const { return num_gained + num_lost > 0 && interval && interval->low < interval->high; }
};

/// Throws DataError(data.no_values), DataError(data.too_few_values) for a single row; `where` goes into them.
Effect effect_of(std::span<const PairedRow> rows, const std::string& where = "");

/// Prompts whose minimum detectable effect is at most `difference` (> 0), at the variance of variance_words(); unset
/// when no number within reason is enough, or all scores are equal.
std::optional<int64_t> prompts_to_detect(const Effect& effect, double difference);

/// What `mde` and `required_n` assume: "the largest variance that pass or fail can have".
std::string variance_words(const Effect& effect);

/// Rows that neither arm truncated; unset when a row does not say.
std::optional<std::vector<PairedRow>> untruncated_rows(std::span<const PairedRow> rows);

}  // namespace plumbline
