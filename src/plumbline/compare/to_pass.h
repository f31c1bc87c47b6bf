/// What a delta says beside the gates, and what would take a gate that blocks to a pass: sentences for people, from the
/// same figures. Nothing here decides anything.
#pragma once

#include <optional>
#include <string>

#include "plumbline/compare/gates.h"

namespace plumbline {

/// The candidate is worse; it is shown to gain less than `min_effect`; there are too few items to tell. Empty where the
/// interval is clear of 0 in favour of the candidate and the delta is large enough, and where there is no interval.
std::string effect_reading(const Effect& effect, double min_effect);

/// Of a gate that fails or is undecided: one sentence, what to do. `adjusted_p` as effect_gate has it.
std::string effect_to_pass(const Effect& effect, const Plan& plan, std::optional<double> adjusted_p);
/// `threshold`: the tolerance or the difference that the gate held the detectable difference against.
std::string powered_to_pass(const Effect& effect, double threshold);
/// `what`: the task or axis that must not get worse.
std::string non_inferior_to_pass(const std::string& what, const Effect& effect, double margin);
std::string enough_seeds_to_pass(const TaskEvidence& evidence, const Plan& plan);
std::string truncation_to_pass(const TaskEvidence& evidence);

/// About how many prompts with the same rates would take the interval to one side of `bound`; unset where no number
/// within reason would, or there is no interval.
std::optional<double> prompts_to_exclude(const Effect& effect, double bound);

}  // namespace plumbline
