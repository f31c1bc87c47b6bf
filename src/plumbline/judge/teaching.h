/// The whole of `plumbline teach`: completions of teachers over problems, kept when the trusted grade passes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/judge/cost_sum.h"
#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

struct TeacherCount {
  std::string teacher;
  int64_t attempted = 0;
  int64_t calls_ok = 0;  ///< the model said something
  int64_t graded = 0;    ///< of those, graded (a failure of the grader is none)
  int64_t kept = 0;
  int64_t kept_distinct = 0;                ///< kept texts that differ, problem by problem
  int64_t failed_calls = 0;                 ///< that the next run makes again
  std::map<std::string, int64_t> errors;    ///< kinds of calls that brought no text, refusals and empty ones too
  std::map<std::string, int64_t> outcomes;  ///< of the grade
  std::map<std::string, int64_t> labels;
  std::string last_error;
  int64_t prompt_tokens = 0, completion_tokens = 0;
  CostSum cost;

  /// kept / graded; unset without any: a teacher that never answered has no keep rate.
  std::optional<double> keep_rate() const;
};

struct TeachRun {
  std::vector<TeacherCount> teachers;
  int64_t num_kept = 0, num_infra = 0;
  int64_t num_planned_calls = 0, num_missing_calls = 0;  ///< missing: without a row, since the run was stopped
  bool complete = false;
  /// Why it stopped, that a teacher never answered, or how many calls of which teacher failed; empty when all is well.
  std::string failure;
};

/// Asks options.teachers for options.samples completions of every problem and grades them with `verifier`. Writes into
/// `out`: `rows.jsonl` (a row a call, flushed as it arrives, in order at the end), `pool.jsonl` (kept completions, as
/// `grade`, SFT and teacher_mix read them), `summary.json` (teachers.v1), `settings.json`. A folder of the same run is
/// gone on with; a completion that could not be graded is graded again without asking for it again.
/// `settings`: further settings that decide the result (of the grader), compared on going on.
///
/// Throws RemoteError(remote.preflight), Interrupted, ConfigError, DataError, and what the verifier throws.
TeachRun teach_problems(const TeachOptions& options, const std::vector<Problem>& problems, Verifier& verifier,
                        std::map<std::string, std::string> settings, const std::string& out);

/// summary.json.
Json to_json(const TeachRun& run);
/// For the terminal; lines escaped.
std::string to_text(const TeachRun& run);

}  // namespace plumbline
