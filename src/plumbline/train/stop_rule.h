/// When a run ends before train.steps, set down in the preset before it began; and where hacking sets in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumbline/train/checkpoint.h"
#include "plumbline/train/step_row.h"

namespace plumbline {

/// "METRIC >= NUMBER for N steps" or "METRIC <= ...", with METRIC one of hack_rate, vacuous_rate, pass_rate, reward,
/// truncated_rate, entropy, kl, grad_norm, loss; the rule holds when the step's figure does in N steps in a row.
struct StopRule {
  std::string text;  ///< as it was written
  std::string metric;
  bool at_least = true;
  double threshold = 0;
  int64_t num_steps = 1;
};

/// Throws ConfigError(config.stop_rule) with the form that is wanted.
StopRule parse_stop_rule(const std::string& text);

/// Counts, for each rule, the steps in a row in which it held (a figure that was not measured does not hold). Returns
/// the first rule that has held long enough, as it was written; empty = go on.
std::string note_stop_rules(const StepRow& row, std::span<const StopRule> rules, std::vector<int64_t>& counts);

/// The onset of hacking is the first of `num_steps` steps in a row in each of which hacked completions (own tester
/// passes, real tests fail) outnumber those that pass. It is noted once, when the last of them is there.
void note_onset(const StepRow& row, int64_t num_steps, TrainerState& state);

}  // namespace plumbline
