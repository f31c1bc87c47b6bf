/// From a run's steps.tsv to what the gates look at. Reads the file rather than the trainer's memory, so that a
/// resumed, a finished and a foreign run are summarised by the same code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/run/gates.h"

namespace plumbline {

/// steps.tsv by column name. Every row has every column; a missing value is NaN.
struct StepTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  /// The column's values; DataError(data.steps_column) when there is no such column.
  std::vector<double> column(const std::string& name) const;
};

/// Throws DataError(data.steps_table) with path and line for a ragged or non-numeric row.
StepTable read_step_table(const std::string& path);

/// "final" = mean of the last five steps (all of them when there are fewer).
ArmSummary summarize_steps(const StepTable& table, const std::string& arm, uint64_t seed, int64_t steps_planned);

/// results_table.md: one row an arm and seed, then what the figures rest on.
std::string results_table(const std::vector<ArmSummary>& arms);

}  // namespace plumbline
