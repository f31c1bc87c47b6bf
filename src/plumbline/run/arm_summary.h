/// From a run's steps.tsv to what the gates look at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/report/step_table.h"
#include "plumbline/run/gates.h"

namespace plumbline {

/// "final" = mean of the last five steps (all of them when there are fewer).
ArmSummary summarize_steps(const StepTable& table, const std::string& arm, uint64_t seed, int64_t steps_planned);

/// For the terminal: one row an arm and seed, then what the figures rest on. results_table.md has error bars and is
/// report/results_table's.
std::string results_table(const std::vector<ArmSummary>& arms);

}  // namespace plumbline
