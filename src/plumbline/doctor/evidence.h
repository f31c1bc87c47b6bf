/// What the inputs say, whoever wrote them: the neutral picture that readers fill and findings look at. Nothing is
/// guessed: what a file does not say stays unset. Rows are kept as hashes and small numbers, so that a large file costs
/// 72 bytes a row.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::doctor {

enum class Known : uint8_t { kUnknown, kNo, kYes };
inline Known known(bool value) {
  return value ? Known::kYes : Known::kNo;
}

/// Code fences in a completion: none, one left open at the end, or at least one closed.
enum class Fence : uint8_t { kNoText, kNone, kOpen, kClosed };
enum class StepVerdict : uint8_t { kUnknown, kAccepted, kRejected, kAbstained };

/// One item of one arm. Hashes are 0 where the row has no such field, figures NaN.
struct ItemRow {
  uint64_t item = 0;         ///< of the id
  uint64_t prompt_hash = 0;  ///< of the hash that the row states
  uint64_t prompt_text = 0;  ///< of the prompt itself
  uint64_t completion = 0;   ///< of the text
  float reward = NAN, vsc = NAN;
  int32_t tokens = -1;        ///< of the completion; -1 = not known
  int32_t num_bytes = -1;     ///< of the completion's text
  int32_t sample = -1;        ///< which of several completions of this item; -1 = not said
  int16_t num_checks = -1;    ///< of the step verifier
  int16_t num_distinct = -1;  ///< distinct expressions of a derivation, after normalising; -1 = not known
  Known passed = Known::kUnknown, hacked = Known::kUnknown, cut = Known::kUnknown;
  Known ran = Known::kUnknown;     ///< code was executed far enough to be judged by its results
  Known parsed = Known::kUnknown;  ///< an answer was found in the text
  Fence fence = Fence::kNoText;
  StepVerdict verdict = StepVerdict::kUnknown;
  bool looks_like_code = false, has_text = false;
};

/// A mean that a file states, with what decides which values are possible.
struct StatedMean {
  std::string name;
  double value = 0;
  int decimals = 9;               ///< that the value is written with, at most 9
  std::optional<double> of_rows;  ///< the mean of the file's own rows, when all of them have the figure
  std::vector<double> possible;   ///< values of one item; empty = not known
  int64_t num_items = 0;          ///< 0 = not known
};

/// One arm: figures as stated, rows as given. `rows` holds one row an item and sample.
struct Arm {
  std::string name;  ///< "base", "candidate", or the model's name
  std::optional<int64_t> n;
  std::optional<double> pass_rate, mean_reward, vsc;
  std::optional<int64_t> num_hacked, num_cut, num_no_code;
  std::deque<ItemRow> rows;
  std::vector<StatedMean> means;
  bool rows_are_foreign_verdicts = false;  ///< verdict.v1: completions stand in another file, by design
  uint64_t train_marked_prompts = 0;
};

struct GateLine {
  std::string id;
  Known passed = Known::kUnknown;
  std::optional<double> value, threshold;
};

/// One report, or the rows of one arm or pair of arms and one seed. `base` is unset for a single arm.
struct Evaluation {
  std::string where;   ///< path, with the task or seed when one file holds several
  std::string format;  ///< "eval.v1", "harness", "lm-eval", "inspect", "rows"
  std::string task, metric, model, adapter;
  std::string candidate_hash;  ///< of the candidate's weights; empty = not said
  std::optional<int64_t> seed;
  std::optional<Arm> base;
  Arm candidate;
  bool is_candidate_base = false;           ///< a single arm that is known to be the unadapted model
  std::map<std::string, std::string> pins;  ///< comparability fields, as text
  Known has_template = Known::kUnknown;     ///< the model has a chat template
  Known wrapped = Known::kUnknown;          ///< prompts went through it
  std::optional<double> temperature;        ///< of the headline; unset = not said
  std::optional<int64_t> max_new_tokens;
  int64_t samples_per_item = 1;
  std::vector<std::string> overlap;  ///< train/eval families, entities or prompts, as the file names them
  Known contamination_free = Known::kUnknown;
  std::vector<GateLine> gates;
  std::string decision;  ///< "GO", "promote", ...; empty = none
  std::optional<double> delta, tolerance, stated_mde;
  Known claims_improvement = Known::kUnknown;
  Known gated_on_mean_reward = Known::kUnknown;
  bool can_claim_agi = false;
  std::string mode;                    ///< "real", "mock", ...
  bool proposer_answers_only = false;  ///< the file says that answers were proposed without derivations

  bool has_rows() const { return !candidate.rows.empty() || (base && !base->rows.empty()); }
};

/// base against candidate, in one file or two.
struct Comparison {
  const Evaluation* base_file = nullptr;
  const Evaluation* candidate_file = nullptr;
  const Arm* base = nullptr;
  const Arm* candidate = nullptr;
  std::string where() const;
  const Evaluation& report() const { return *candidate_file; }
};

/// A figure without which a training cannot go on, and how often it was NaN or infinite.
struct WatchedFigure {
  enum class Kind : uint8_t { kLoss, kKl, kReward, kGradNorm };
  Kind kind = Kind::kLoss;
  int64_t num_logged = 0, num_nonfinite = 0;
  int64_t num_at_end = 0;   ///< of the non-finite ones: those after the last finite one
  double first_step = 0;    ///< of the first non-finite one
  std::string first_value;  ///< "nan", "inf", "-inf"
};

/// Named figures over the steps of one training log.
struct TrainingLog {
  std::string where;
  std::map<std::string, std::vector<std::pair<double, double>>> series;  ///< canonical name -> (step, finite value)
  std::map<std::string, WatchedFigure> watched;                          ///< by the log's own name
  const std::vector<std::pair<double, double>>* find(const std::string& name) const;
};

/// How a run was set up, from its configuration or report.
struct TrainingSetup {
  std::string where, task, model, data_hash;
  std::string sweep;  ///< of a run folder: the folder around it; runs of another one are another experiment
  std::optional<int64_t> seed, group_size;
  Known wrapped = Known::kUnknown, has_template = Known::kUnknown;
  std::vector<std::string> target_modules;
  Known collapsed = Known::kUnknown;
  std::optional<double> first_std, final_std;
};

/// Prompts of training rollouts.
struct TrainingRows {
  std::string where;
  std::set<uint64_t> prompt_hashes, prompt_texts;
  int64_t num_rows = 0, num_prompts = 0, num_marked = 0;  ///< marked: rendered with chat markers
};

/// A log as text: what the lines that matter say. Line numbers are 1-based; 0 = no such line.
struct TextLog {
  std::string where;
  int64_t num_lines = 0;
  std::string error;  ///< the last error that nothing recovered from; escaped, short
  int64_t error_line = 0;
  std::string number_after;  ///< a figure that was reported after it
  int64_t number_line = 0;
  std::vector<std::string> missing_targets;  ///< of "Target modules {...} not found"
  int64_t targets_line = 0;
  bool is_mixture = false;   ///< speaks of a mixture-of-experts model
  int64_t experts_line = 0;  ///< says that no expert module is adapted
  int64_t num_teacher_failures = 0, num_teacher_successes = 0;
  int64_t teacher_line = 0;  ///< a keep rate or count of 0
  std::string teacher_text;
};

/// Verdicts of one judge on one arm.
struct JudgeCounts {
  std::string where, judge, arm, items_hash;
  int64_t num_items = 0, supported = 0, not_supported = 0, abstained = 0, transport_error = 0, unparsable = 0;
  int64_t reclassified = 0;  ///< unparsable replies that the file counts as a verdict
  std::optional<double> stated_rate;
  bool from_rows = false;
  int64_t num_real() const { return supported + not_supported + abstained; }
};

struct Agreement {
  std::string where, pair;
  double kappa = 0;
  int64_t num_items = 0;  ///< 0 = stated by the file
};

struct TeacherCounts {
  std::string where, teacher;
  int64_t attempted = 0, succeeded = 0, kept = 0;
};

struct Certificate {
  std::string where;
  std::optional<double> mean_kl, top1, protected_kl, protected_top1;
  double most_kl = 0.05, least_top1 = 0.97, most_protected_kl = 0.1, least_protected_top1 = 0.95;
  std::optional<int64_t> num_positions, modules_merged;
  Known passed = Known::kUnknown, incomplete_merge = Known::kUnknown;
  std::string eval_path, eval_hash, eval_split, train_path, train_hash;
};

struct ModuleList {
  std::string where;
  int64_t num_experts = 0, experts_adapted = 0, others_adapted = 0;
};

/// A decision that rests on another file's figures.
struct Decision {
  std::string where, id, task, metric, source, verdict;
  std::optional<double> before, after;
  std::optional<int64_t> seed, n;
  bool contaminated = false, can_claim_agi = false;
};

/// Replications: what a registry lists, and what a summary counts.
struct Registry {
  std::string where;
  std::vector<std::pair<std::string, std::optional<int64_t>>> entries;  ///< id, seed
};
struct ReplicationClaim {
  std::string where;
  std::optional<int64_t> replications;
  std::set<int64_t> seeds;
  bool claims = false;
};

/// A file that is not what its name says, or whose content could not be trusted.
struct Unreadable {
  std::string where, reason;
};

/// Two inputs with the same bytes.
struct SameBytes {
  std::string first, second;
  int64_t num_bytes = 0;
};

struct NotChecked {
  std::string where, what, reason;
};

/// Everything. References inside comparisons point into `evaluations`, which must not change afterwards.
struct Evidence {
  std::vector<std::string> inputs;
  int64_t num_read = 0;  ///< files that something was learned from
  std::deque<Evaluation> evaluations;
  std::vector<Comparison> comparisons;
  std::vector<TrainingLog> logs;
  std::vector<TrainingSetup> setups;
  std::vector<TrainingRows> training_rows;
  std::vector<TextLog> texts;
  std::vector<JudgeCounts> judges;
  std::vector<Agreement> agreements;
  std::vector<TeacherCounts> teachers;
  std::vector<Certificate> certificates;
  std::vector<ModuleList> modules;
  std::vector<Decision> decisions;
  std::vector<Registry> registries;
  std::vector<ReplicationClaim> replications;
  std::vector<Unreadable> unreadable;
  std::vector<SameBytes> same_bytes;
  std::vector<NotChecked> not_checked;
};

}  // namespace plumbline::doctor
