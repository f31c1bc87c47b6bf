/// The verb `eval`: base and candidate on the same items, item by item, into reports that `compare` reads.
#pragma once

#include <string>

#include "plumbline/preset/options.h"

namespace plumbline {

/// Files that an evaluation is held to; empty: none.
struct EvaluationFiles {
  std::string pin;  ///< a report that the run must be comparable with
  /// A plan of compare (compare/plan.h): its hash and its repository's commit go into the reports, its roles and
  /// thresholds count. It is kept in the folder; resuming takes that one and no other.
  std::string plan;
};

/// OUT/{resolved.toml, provenance.json, pins.json, plan.{toml, json}, rows/*.jsonl, <task>-s<seed>.eval.json,
/// lm_eval/ARM/TASK, COMPLETE}: one eval.v1 report a task of eval.tasks and a candidate of find_candidates. The
/// headline is greedy; eval.samples at eval.temperature are drawn beside it when that is above 0. The base is evaluated
/// once. `pin_file` (empty: none) is a report that this one must be comparable with. Prints what `compare` says of the
/// reports, and what the doctor finds in them; exit code 0 whatever they say. Throws what find_candidates,
/// read_eval_sets and load_model_bench throw; ConfigError(config.pin_mismatch) before any completion is made;
/// ConfigError(config.conflict) for samples that would not be drawn; ConfigError(config.prompts_differ) for a
/// checkpoint whose prompts are rendered otherwise; SandboxError(sandbox.no_verdicts) when completions could not be
/// graded; Interrupted. All but the first few leave a folder that --resume goes on with.
int evaluate(const Preset& preset, const std::string& out, const EvaluationFiles& files);
/// What --dry-run does beside printing the preset: with a pin or a plan everything up to the first completion, without
/// asking a served candidate. Throws as evaluate does.
void check_evaluation(const Preset& preset, const EvaluationFiles& files);
/// Goes on where an evaluation stopped. Throws ConfigError(config.run_complete); ConfigError(config.pin_mismatch) when
/// the program, the weights or the problems are no longer those that it began with; ConfigError(config.plan_differs)
/// for a plan that it did not begin under.
int resume_evaluation(const Preset& preset, const std::string& folder, const EvaluationFiles& files);

}  // namespace plumbline
