/// One training step as numbers: the row of steps.tsv, the object of metrics.jsonl and the line on the console.
/// One table decides what each of them shows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

/// One named reward in one step (grade.reward = custom), over the completions it applies to. TRL's rewards/<name>/mean
/// and /std (n - 1).
struct NamedRewardSummary {
  std::string name;
  std::optional<double> mean, std;
  int64_t num_not_applicable = 0;
};

/// Seconds a phase took. Timing columns are exempt wherever bytes must be equal.
struct PhaseTimes {
  double sample_s = 0, grade_s = 0, advantage_s = 0, gradient_s = 0, transform_s = 0, optimizer_s = 0, record_s = 0;
  double total_s() const {
    return sample_s + grade_s + advantage_s + gradient_s + transform_s + optimizer_s + record_s;
  }
};

/// `step` counts from 1: the row of step n belongs to weight version n - 1, and after it n updates are made.
/// Rates are shares of the completions that have a verdict. Unset = not measured in this step.
struct StepRow {
  int64_t step = 0;
  bool is_sampled = true;  ///< false in supervised steps: rewards, rates, groups, ratios and kl were not measured
  double reward_mean = 0;
  double reward_std = 0;  ///< mean over groups of the group's standard deviation (n - 1), as TRL has it
  bool has_spread = false;
  int64_t num_completions = 0;
  double pass_rate = 0, hack_rate = 0, vacuous_rate = 0;
  double loss = 0;
  std::optional<double> cos_in, cos_out, fired, leak;
  double length_mean = 0, length_min = 0, length_max = 0;  ///< tokens of a completion, stop token included
  double truncated_rate = 0;
  std::optional<double> kl;  ///< mean of train.kl over counting tokens; unset when beta is 0
  double entropy = 0;
  double ratio_mean = 0, clip_fraction = 0;
  double grad_norm = 0;        ///< before transform and clip
  double grad_norm_after = 0;  ///< after the transform
  double lr = 0;
  std::optional<double> mismatch_mean, mismatch_max;  ///< |log-probability of the sampler - of the trainer|
  int64_t num_groups = 0, num_skipped_groups = 0, num_zero_spread_groups = 0;
  int64_t num_infra = 0;       ///< completions without a verdict, by our own failure
  bool update_applied = true;  ///< false: the gradient was not finite
  std::optional<double> residual;
  int64_t num_prompts_over_context = 0;     ///< problems of the whole run left out for their length
  int64_t num_tokens = 0;                   ///< counting in the loss
  std::vector<NamedRewardSummary> rewards;  ///< the same names in every step of a run
  std::string weight_hash;
  std::map<std::string, double> transform;  ///< all that the gradient transform reports
  std::map<std::string, double> monitor;    ///< all that the reward transform reports
  std::optional<double> alignment;    ///< cosine of the direction and the gradient of own hacks minus other completions
  int64_t num_resampled_groups = 0;   ///< drawn in the place of groups without spread
  int64_t num_teacher = 0;            ///< completions from the stored pool
  std::optional<int64_t> onset_step;  ///< where hacks began to outnumber right answers; unset while they have not
  PhaseTimes times;
  std::optional<double> resident_mib;  ///< of this process at the end of the step; exempt like times
};

/// "step\trew\tstd\t..." without a line end; three columns rewards/<name>/{mean,std,none} for each name at the right.
std::string steps_header(std::span<const std::string> reward_names = {});
/// The same columns; a value that was not measured is "nan"; sprd is T or F.
std::string steps_line(const StepRow& row);
/// One object, `step` first, TRL's names where TRL has one; unmeasured values are left out.
Json metrics_of(const StepRow& row);
/// Aligned for people; `eta_s` < 0 hides the time left.
std::string console_header();
std::string console_line(const StepRow& row, double eta_s);
/// The same for supervised steps.
std::string supervised_header();
std::string supervised_line(const StepRow& row, double eta_s);
/// What to know before reading the first row.
std::string console_note();

}  // namespace plumbline
