/// Gates A to D: what a probe must show before anybody believes its suppression figure (docs/method/gates.md).
/// Pure: numbers in, judgements out. Each gate prints SHOULD, saw, ELSE.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/preset/options.h"
#include "plumbline/steer/extraction.h"

namespace plumbline {

enum class GateStatus { kPass, kWarning, kFail, kNotReached };

/// One gate's judgement (compare/gates.h has those of an evaluation). `otherwise` says what to conclude, or do, when it
/// fails.
struct RunGate {
  std::string id, title;  ///< "A", "extraction"
  GateStatus status = GateStatus::kNotReached;
  std::string should, saw, otherwise;
};

/// What a finished (or stopped) arm looks like to the gates. Rates are over graded completions; "final" is the mean of
/// the last five steps, or of all steps when there are fewer.
struct ArmSummary {
  std::string arm;
  uint64_t seed = 0;
  int64_t steps_planned = 0, steps_done = 0;
  bool loss_finite = true;
  double share_with_spread = 0;  ///< of steps in which max - min reward > 1e-3
  double first_hack = 0, final_hack = 0, final_vacuous = 0, final_pass = 0, final_reward = 0;
  double mean_fired = 0;         ///< share of modules whose gradient pointed along the direction, mean over steps
  int64_t num_graded_final = 0;  ///< completions behind the final rates
};

RunGate gate_a(const GateA& extraction);
/// `placebo` is the same check for a direction from harmless pairs: it passes just as well, and the gate says so.
RunGate gate_b(const HeldOutCheck& check, const std::optional<HeldOutCheck>& placebo, const GateOptions& options);
/// Looks at every arm named vanilla: each must be sound, and their mean hack rate above gates.min_hack_rate.
RunGate gate_c(std::span<const ArmSummary> arms, const GateOptions& options);
/// Means over seeds: projected against vanilla, and against each kind of control that was run (the mean of its draws
/// and seeds). Without a control arm the gate can only fail or warn: nothing is shown about this direction.
RunGate gate_d(std::span<const ArmSummary> arms, const GateOptions& options);

/// All four in order, those missing from `reached` as not reached.
std::vector<RunGate> complete_gates(std::vector<RunGate> reached);
bool any_failed(std::span<const RunGate> gates);

/// Blocks of SHOULD / saw / ELSE for a terminal; `color` adds ANSI colours to PASS and FAIL.
std::string format_gates(std::span<const RunGate> gates, bool color);
Json gates_json(std::span<const RunGate> gates);

}  // namespace plumbline
