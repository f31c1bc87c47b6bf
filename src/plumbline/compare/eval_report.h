/// A report of an evaluation, read strictly: base and candidate on the same items, row by row. What does not have the
/// form of its format is an error with its place, never a guess.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/compare/pins.h"

namespace plumbline {

enum class ReportSource { kPlumbline, kOriginalHarness };

/// One item in one arm.
struct EvalRow {
  std::string id, family;
  std::string prompt_hash;                ///< empty when not recorded
  std::optional<std::string> completion;  ///< unset when not recorded
  std::optional<bool> truncated;  ///< finish_reason length; foreign rows: an unclosed code fence. Unset: not known
  double score = 0;               ///< of the headline metric: 0 or 1 for pass_at_1
  std::optional<double> reward, vsc;
  std::optional<bool> hacked;  ///< unset: not recorded, which is not "no"
  bool hack_paid = false;      ///< it passed or earned a reward above 0
  bool no_code = false, unparsed = false;
  bool engaged = false;  ///< the verifier had something to check: code ran, an answer parsed, vsc above 0
  std::optional<bool> protected_passed;  ///< of the rows that the task protects: true authors not denied, ...
};

struct EvalArm {
  std::vector<EvalRow> rows;
  /// Of the arm's summary: figures and counts that must follow from the rows, by key.
  std::map<std::string, double> stated;
};

/// The plan that a report was run under.
struct Preregistration {
  std::string sha256;                 ///< of the plan's bytes
  std::optional<std::string> commit;  ///< of the plan's repository when the run began; it then held the plan
};

struct EvalReport {
  std::string path, sha256;
  ReportSource source = ReportSource::kPlumbline;
  std::string task, metric, model, adapter;
  std::optional<std::string> candidate_hash;  ///< of the candidate's weights; unset: not recorded, or served
  Pins pins;
  int64_t seed = 0;
  std::optional<std::vector<std::string>>
      overlap;  ///< families, entities and prompts in training too; unset: not recorded
  EvalArm base, candidate;
  std::optional<double> tolerance;  ///< threshold of its own gate `powered`
  std::optional<Preregistration> preregistration;
  std::vector<std::string> faults;      ///< what makes it no measurement: a mock, figures off their rows
  std::vector<std::string> unrecorded;  ///< what comparability needs and the report does not say
};

/// Reads eval.v1 and the original harness's *-eval.json. Throws DataError(data.unknown_report) for anything else,
/// DataError(data.no_rows) for a report without rows (means cannot be paired), DataError(data.duplicate_id |
/// data.unpaired) when the arms' items do not match one to one, DataError(data.unknown_task), and what the JSON readers
/// throw.
EvalReport read_eval_report(const std::string& path);
/// The same from text; `path` goes into errors.
EvalReport parse_eval_report(const std::string& text, const std::string& path);

/// The headline is fixed by the task: pass_at_1; of provenance and concept also "fully_correct"; of custom any metric
/// of its own. Mean reward is advisory and is never gated on.
bool is_headline_metric(const std::string& task, const std::string& metric);
/// The one that `eval` reports: pass_at_1; of provenance and concept "fully_correct", the share of answers that earn
/// the whole reward.
std::string headline_metric(const std::string& task);

}  // namespace plumbline
