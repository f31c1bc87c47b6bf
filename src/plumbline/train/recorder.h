/// The rows of a run: steps.tsv, metrics.jsonl, rollouts.jsonl, eval.jsonl, and the figures of metrics and evaluations
/// once more as TensorBoard reads them. Every row is written whole and flushed; a resumed run first removes what lies
/// after its checkpoint, so that the files end up as an uninterrupted run's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/record/event_file.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"
#include "plumbline/train/step_row.h"

namespace plumbline {

/// rollout.v1: one completion of one step (docs/reference/formats.md).
struct RolloutRow {
  int64_t step = 0;
  int64_t group_id = 0;  ///< unique in the run
  ProblemId problem_id;
  int64_t sample = 0;
  std::string prompt_hash;  ///< SHA-256 of the rendered prompt
  std::vector<int64_t> token_ids;
  std::string completion;  ///< what the grader saw: prefill and completion, without the stop token
  std::string finish_reason;
  double logprob_sum = 0;          ///< of the sampler, untruncated distribution
  double sampled_logprob_sum = 0;  ///< under the distribution drawn from; differs with top_p or top_k
  Verdict verdict;
  std::optional<double> reward;  ///< what training used; unset without a verdict and for what a monitor screened out
  bool is_teacher = false;       ///< from the stored pool: no sampler, so no log-probability of one
  double advantage = 0;
  int64_t weight_version = 0;
  std::string weight_hash;
};

std::string rollout_line(const RolloutRow& row);

/// Not thread-safe.
class RunRecorder {
 public:
  /// Opens the files in `folder` (which exists) for a run that has `resume_step` steps behind it: rows of later steps
  /// are removed, 0 starts empty. Evaluations of `resume_step` itself are removed too, because they are made after the
  /// checkpoint. Throws DataError(data.run_rows) when a row before `resume_step` is missing or a file is malformed,
  /// DataError(data.unwritable), ConfigError(config.run_in_use) while another process has the run open.
  /// `reward_names` are the columns that steps.tsv has for named rewards. `has_rollouts` is false for supervised runs,
  /// whose rollouts.jsonl stays empty.
  RunRecorder(const std::string& folder, int64_t resume_step, std::span<const std::string> reward_names = {},
              bool has_rollouts = true);

  void record(const StepRow& row, std::span<const RolloutRow> rollouts);
  /// `row` is an object; `step` is put in front.
  void record_evaluation(int64_t step, const Json& row);
  /// Forces all rows to disk; call before a checkpoint is written.
  void sync() const;

 private:
  /// Held while the recorder lives: a second process on the same run would mix its rows with ours.
  class Lock {
   public:
    explicit Lock(const std::string& folder);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    int fd_ = -1;
  };

  std::string folder_;
  Lock lock_;
  JsonlWriter steps_, metrics_, rollouts_, evaluations_;
  EventFile events_;
};

/// Cuts `path` after its last row with step <= `last_step` (rows are in order; each begins with its step, in tab
/// separated or JSON form; a last line without its end is cut too). Returns the step of the last row that stays, or -1.
/// An absent file has no rows. Throws DataError(data.run_rows) naming the line when a row has no step, goes back, or,
/// when `each_step`, is not the one after its predecessor (the first is 1).
int64_t keep_rows_until(const std::string& path, int64_t last_step, bool each_step = false);

}  // namespace plumbline
