/// What a step was, as numbers: fills a StepRow from what its phases produced.
#pragma once

#include <optional>
#include <span>

#include "plumbline/record/verdict.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/train/advantage.h"
#include "plumbline/train/policy_update.h"
#include "plumbline/train/step_row.h"

namespace plumbline {

/// Rewards, verdicts, lengths and groups. Entry i of every span belongs to completion i. Rates are over the completions
/// with a reward; 0 when there is none.
void describe_completions(std::span<const Rollout> rollouts, std::span<const Verdict> verdicts,
                          std::span<const std::optional<double>> rewards, const Advantages& advantages, StepRow& row);

/// Mean, spread and count of each named reward, over the completions that have a verdict. A name that no verdict has
/// stays without values.
void describe_rewards(std::span<const Verdict> verdicts, std::span<const std::string> reward_names, StepRow& row);

/// Loss, norms, rate, mismatch, and what the transform reports. `has_reference`: a KL was measured.
void describe_update(const UpdateMetrics& update, bool has_reference, StepRow& row);

}  // namespace plumbline
