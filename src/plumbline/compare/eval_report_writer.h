/// eval.v1 as `eval` writes it: the other half of eval_report.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/pins.h"
#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"

namespace plumbline {

/// A completion and how it came about, beside its verdict.
struct GradedCompletion {
  std::string prompt_hash, completion,
      finish_reason;  ///< finish_reason: "stop", "length", or what a provider says else
  int64_t num_tokens = 0;
};

/// One row of an arm. Everything that `compare` and the doctor look at is in it, the completion text always.
Json eval_row(const Problem& problem, const GradedCompletion& completion, const Verdict& verdict);

/// The items of a report, and what they share with training.
struct ReportSplit {
  uint64_t seed = 0;  ///< of the candidate
  std::string hash;   ///< over the items
  int64_t num_items = 0;
  int64_t num_left_out = 0;  ///< problems whose prompts did not fit
  bool is_sealed = false;
  std::vector<std::string> family_overlap, prompt_overlap;  ///< families; ids of items
};

/// What one report is about. Rows are those of eval_row.
struct ReportParts {
  std::string task, model, adapter;
  std::optional<std::string> candidate_hash;  ///< of the candidate's weights; unset for a served model
  Pins pins;
  ReportSplit split;
  std::vector<Json> base, candidate;                  ///< greedy: the same items in the same order
  std::vector<Json> base_sampled, candidate_sampled;  ///< several rows an item; empty = not asked for
  double sampled_temperature = 0;
  std::optional<Preregistration> preregistration;
};

/// The whole report: means of each arm, the paired difference, the gates of `compare` over this report alone and its
/// decision. What a single report cannot show (seeds) fails there and is left to `compare`. Throws what
/// parse_eval_report and judge throw.
Json make_eval_report(const ReportParts& parts);

/// Means and counts of one arm. Rates divide by the arm's rows; what has no rows to divide by is null.
Json arm_summary(const std::string& task, const std::vector<Json>& rows);

/// {"1": ..., "2": ..., ..., "n": ...}: the unbiased estimate, mean over items, for k = 1, 2, 4, ... and the number of
/// samples an item. Throws DataError(data.no_rows) for no rows, DataError(data.unpaired) when items have different
/// numbers of samples.
Json pass_at_k_json(const std::vector<Json>& rows);

}  // namespace plumbline
