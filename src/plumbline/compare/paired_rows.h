/// The rows of both arms side by side, over any number of seeds, with items that are one prompt put together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/compare/eval_report.h"

namespace plumbline {

/// One item under one seed.
struct PairedRow {
  std::string item;
  std::string cluster;  ///< rows of one cluster are one observation repeated: seeds of an item, items of one prompt
  int64_t seed = 0;
  double base = 0, candidate = 0;
  std::optional<bool> truncated;  ///< in either arm; unset when one arm does not say
};

/// How items were put together.
enum class PromptKnowledge {
  kHashes,       ///< by the hash of the rendered prompt
  kCompletions,  ///< hashes are missing: items whose base completions are the same long text are one prompt too
  kIds           ///< completions are missing as well: an id without a hash counts as a prompt
};

struct PairedRows {
  std::vector<PairedRow> rows;  ///< report by report, each in its own order
  PromptKnowledge knowledge = PromptKnowledge::kIds;
};

/// Reports of one task, one a seed. Borrows nothing.
PairedRows pair_reports(std::span<const EvalReport* const> reports);

/// Rows of one axis that the task protects (`protected_passed`), paired likewise; empty when there are none.
PairedRows pair_protected(std::span<const EvalReport* const> reports);

/// `compare --items`: two JSON-lines files of {"id", "score"[, "seed"][, "cluster"]}, or samples of
/// lm-evaluation-harness (documents by doc_id, prompts as clusters, the one metric as the score).
struct ItemFiles {
  PairedRows pairs;
  int64_t num_base_only = 0, num_candidate_only = 0;  ///< left out under `allow_missing`
  bool are_copies = false;                            ///< the same bytes twice
};
/// Pairs by (id, seed). Throws DataError(data.unpaired) for an id that is in one file only unless `allow_missing`,
/// DataError(data.items_differ) when the two files say another prompt, metric or cluster of one item,
/// DataError(data.duplicate_id), DataError(data.no_rows), DataError(data.not_items) for a report, and what the JSON
/// readers throw.
/// `filter`: of samples, only the lines of that filter; without one they must all be of one
/// (DataError(data.several_filters)).
ItemFiles pair_item_files(const std::string& base_path, const std::string& candidate_path, bool allow_missing,
                          const std::string& filter = "");

}  // namespace plumbline
