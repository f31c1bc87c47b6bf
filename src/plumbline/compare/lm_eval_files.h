/// Results and samples as lm-evaluation-harness 0.4 writes them, of one arm of an evaluation, for tools that read
/// those. Its samples are read by `compare --items` (paired_rows.h) and by the doctor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/record/problem.h"

namespace plumbline {

/// One item of the arm; both are borrowed.
struct LmEvalItem {
  const Problem* problem = nullptr;
  const Json* row = nullptr;  ///< of eval_row
  std::string prompt;         ///< as the model saw it
};

struct LmEvalArm {
  std::string task, model, adapter;  ///< adapter: empty for the base
  std::string date;                  ///< 2026-01-31T12-00-00.000000: part of the names of the files
  std::string template_hash;         ///< empty when prompts were raw
  int64_t num_problems = 0;          ///< of the split, before a limit and the context left some out
  int64_t max_new_tokens = 0;
  std::vector<LmEvalItem> items;
};

/// Writes FOLDER/results_DATE.json and FOLDER/samples_TASK_DATE.jsonl. The metric is "pass@1", or the task's own; its
/// standard error is that of a mean with n - 1. Throws DataError(data.unwritable).
void write_lm_eval_files(const std::string& folder, const LmEvalArm& arm);

/// The name of the one metric of a line of a samples file. Throws DataError(data.json_missing_key) without one,
/// DataError(data.several_metrics) with more.
std::string lm_eval_metric(const Json& sample, const std::string& where);
/// Its value. Throws as lm_eval_metric does, and DataError(data.json_type).
double lm_eval_score(const Json& sample, const std::string& where);

}  // namespace plumbline
