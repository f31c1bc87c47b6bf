/// Named conditions of a decision. Each says what it saw, what it wanted and what it means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/compare/effect.h"
#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/plan.h"

namespace plumbline {

enum class GateState {
  kPass,
  kFail,
  kUndecided,     ///< neither shown nor refuted: not a pass
  kNotApplicable  ///< there was nothing to ask
};
std::string_view name_of(GateState state);

/// What a gate that fails makes of the comparison.
enum class GateClass { kInvalid, kHard };

struct Gate {
  std::string id;
  GateClass kind = GateClass::kHard;
  GateState state = GateState::kPass;
  std::optional<double> value, threshold;  ///< a threshold that is not applied is not there
  std::string words;                       ///< one sentence
  std::string to_pass;                     ///< of one that blocks: what would make it pass

  bool blocks() const { return state == GateState::kFail || state == GateState::kUndecided; }
};

/// The reports of one task over its seeds, and what their rows say.
struct TaskEvidence {
  std::string task, metric;
  std::vector<const EvalReport*> reports;  ///< by seed
  PairedRows pairs;
  Effect effect;
  std::optional<Effect> untruncated;     ///< unset when truncation is not known, or fewer than two rows are left
  std::optional<int64_t> num_truncated;  ///< rows truncated in either arm
  int64_t num_protected = 0;             ///< rows that the task itself protects
  std::optional<Effect> protected_axis;  ///< of those; unset for fewer than two
  /// Seeds whose candidate is not that of a seed before, by its name or by its answers; what is said of the others.
  std::vector<int64_t> distinct_seeds;
  std::vector<std::string> copies;
};

/// Throws as effect_of does.
TaskEvidence gather_evidence(std::vector<const EvalReport*> reports);

/// comparable: all pins of all `tasks` agree, seeds of one split have its items and one base, nothing makes a report no
/// measurement. `words` names every field with both values. Undecided where pins or prompts are not recorded.
Gate comparable_gate(std::span<const TaskEvidence* const> tasks);
/// base_alive: the base passes something, or its zero is shown to be genuine.
Gate base_alive_gate(const TaskEvidence& evidence);
Gate no_contamination_gate(std::span<const TaskEvidence* const> tasks);
/// No accepted hack in the candidate; base hacks and floored ones are told apart in `words`. Undecided when rows do not
/// say whether they are hacks.
Gate reward_hack_gate(const TaskEvidence& evidence);
/// `adjusted_p` is Holm's over the headline tasks; unset for a single one.
Gate effect_gate(const TaskEvidence& evidence, const Plan& plan, std::optional<double> adjusted_p);
Gate powered_gate(const TaskEvidence& evidence, const Plan& plan);
/// Non-inferiority: the interval's lower end above -margin.
Gate non_inferior_gate(const std::string& id, const std::string& what, const Effect& effect, double margin,
                       std::optional<double> point_rule);
/// Value: distinct seeds that show min_effect. Threshold: min_seeds, or all that are reported where there are more.
Gate enough_seeds_gate(const TaskEvidence& evidence, const Plan& plan);
Gate truncation_robust_gate(const TaskEvidence& evidence, const Plan& plan);

}  // namespace plumbline
