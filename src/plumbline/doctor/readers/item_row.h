/// A row of per-item results, of whatever tool, as an ItemRow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/doctor/evidence.h"
#include "plumbline/doctor/readers/flat_row.h"

namespace plumbline::doctor {

/// What `--map` says: our name of a field -> its path in the rows. Fields that are not named keep their usual paths.
using FieldMap = std::map<std::string, std::string>;

/// Fields that --map may name.
const std::vector<std::string>& mappable_fields();

struct ReadItem {
  ItemRow row;
  std::string arm;  ///< "base", "candidate", "" = not said
  std::string metric_name;
  std::optional<int64_t> seed;
  std::optional<double> temperature, step;
  std::optional<int64_t> max_new_tokens;
  std::string split, task, filter;
  bool prompt_marked = false;  ///< by a chat template
  bool has_prompt = false, is_verdict = false, is_rollout = false;
  std::optional<double> metric;  ///< of a row that names its metric (lm-eval)
  std::string nonfinite;         ///< the path of a figure that is NaN or infinite, and so missing here; empty = none
};

/// Whether the row is one of per-item results: it has an id or a prompt or a completion, and something about how it
/// did.
bool is_item_row(const FlatRow& row, const FieldMap& map);

ReadItem item_of(const FlatRow& row, const FieldMap& map);

}  // namespace plumbline::doctor
