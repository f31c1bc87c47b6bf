/// The rows of one arm of an evaluation in their file: written as they come, read back when a run goes on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/eval/item_runner.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/run/eval_set.h"

namespace plumbline {

/// JSON lines {"sample", "row"}; `row` is a row of eval.v1. Completions that could not be graded have no row, so that
/// going on grades them. Borrows the set. Not thread-safe.
class EvalRows {
 public:
  /// Reads what an earlier run wrote. Throws DataError(data.eval_rows) for a row that is of none of the set's items, or
  /// of another prompt.
  EvalRows(const std::string& path, const EvalSet& set);

  /// Of the samples 0 to num_samples - 1 of every item, those without a row, in order.
  std::vector<ItemDraw> missing(int64_t num_samples) const;
  /// Appends the row to the file, unless it could not be graded.
  void add(const ItemRow& row);
  /// All rows, by item and sample.
  std::vector<Json> rows() const;

 private:
  const EvalSet& set_;
  JsonlWriter writer_;
  std::map<ItemDraw, Json> rows_;
};

}  // namespace plumbline
