/// Figures that several findings need, from stated numbers or from rows. Unset where there is nothing to compute from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/doctor/evidence.h"

namespace plumbline::doctor {

/// Items of an arm: stated, else its rows.
int64_t num_items(const Arm& arm);
/// Passes of an arm: stated, else counted when every row says.
std::optional<double> pass_rate(const Arm& arm);
std::optional<double> mean_reward(const Arm& arm);
/// Stated, else the rows' mean where rows have it.
std::optional<double> mean_vsc(const Arm& arm);

/// A row that ended at its limit: stated, else an open code fence where nothing is stated.
bool is_cut(const ItemRow& row);

struct FailureCounts {
  int64_t passes = 0, failures = 0;
  int64_t passes_cut = 0, failures_cut = 0;
  int64_t passes_unfenced = 0, failures_unfenced = 0;  ///< without a closed fence, with a text
  int64_t failures_ran = 0;                            ///< judged by results, not by syntax
  int64_t with_text = 0, prose = 0;                    ///< prose: no fence at all, and no code outside of one
};
FailureCounts count_failures(const Arm& arm);

/// Whether an arm's zero is a measured one: the step verifier engaged (vsc above 0), or most of its code ran and gave
/// wrong results.
bool verifier_engaged(const Arm& arm);

/// Code: named so, or rows of which a fifth hold a code fence.
bool is_code_task(const Evaluation& report);

/// Pairs of rows of the same item (and sample).
using RowPairs = std::vector<std::pair<const ItemRow*, const ItemRow*>>;
RowPairs paired_rows(const Comparison& comparison);

/// Mean of candidate minus base passes; unset for no pair.
std::optional<double> paired_delta(const RowPairs& pairs);
/// The difference that a comparison shows: from pairs, else from the two rates, else as stated.
std::optional<double> shown_delta(const Comparison& comparison);

/// Distinct prompts among the items of an arm: by text, else by stated hash, else by completions that two arms share
/// item by item (greedy copies), else by id.
struct EffectiveN {
  int64_t num_rows = 0, num_distinct = 0;
  std::string by;  ///< "prompts", "prompt hashes", "completions", "ids"; empty = nothing to tell by
};
EffectiveN effective_n(const Arm& arm, const Arm* other);

/// Mean and median of the values in [begin, end) of a series; at least one.
double window_mean(const std::vector<std::pair<double, double>>& points, size_t begin, size_t end);
double window_median(const std::vector<std::pair<double, double>>& points, size_t begin, size_t end);

/// Evaluations of one sweep: the same task and model, several seeds or runs. Groups of one are left out.
std::vector<std::vector<const Evaluation*>> sweeps(const Evidence& evidence);

/// Whether a verdict says that something is claimed: GO, promote, promoted, accept, pass.
bool is_claim(const std::string& decision);

}  // namespace plumbline::doctor
