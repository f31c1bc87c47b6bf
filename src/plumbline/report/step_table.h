/// steps.tsv of a run, by column name. Reads the file rather than the trainer's memory, so that a resumed, a finished
/// and a foreign run look the same.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Every row has every column; a missing value is NaN, T and F are 1 and 0.
struct StepTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  /// The column's values; DataError(data.steps_column) when there is no such column.
  std::vector<double> column(const std::string& name) const;
  bool has_column(const std::string& name) const;
};

/// What a last line without its end is: a row that is being written, or a fault.
enum class CutLine { kRefuse, kLeaveOut };

/// Throws DataError(data.steps_table) with path and line for a ragged or non-numeric row.
StepTable read_step_table(const std::string& path, CutLine cut_line = CutLine::kRefuse);

}  // namespace plumbline
