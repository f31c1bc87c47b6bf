#include "plumbline/compare/paired_rows.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/compare/foreign_input.h"
#include "plumbline/compare/lm_eval_files.h"
#include "plumbline/compare/typed_json.h"
#include "plumbline/record/jsonl.h"

namespace plumbline {
namespace {

/// Shorter completions ("x = 2") may be the same for different prompts.
constexpr size_t kTellingLength = 80;

/// Sets of item ids that stand for one prompt (union-find).
class PromptGroups {
 public:
  void join(const std::string& a, const std::string& b) { parents_[root(a)] = root(b); }
  std::string root(const std::string& item) {
    std::string at = item;
    for (auto found = parents_.find(at); found != parents_.end() && found->second != at; found = parents_.find(at)) {
      at = found->second;
    }
    return at;
  }

 private:
  std::unordered_map<std::string, std::string> parents_;
};

bool all_rows(std::span<const EvalReport* const> reports, const std::function<bool(const EvalRow&)>& holds) {
  for (const EvalReport* report : reports) {
    for (const EvalRow& row : report->base.rows) {
      if (!holds(row)) return false;
    }
  }
  return true;
}

PromptKnowledge knowledge_of(std::span<const EvalReport* const> reports) {
  if (all_rows(reports, [](const EvalRow& row) { return !row.prompt_hash.empty(); })) return PromptKnowledge::kHashes;
  if (all_rows(reports, [](const EvalRow& row) { return row.completion.has_value(); })) {
    return PromptKnowledge::kCompletions;
  }
  return PromptKnowledge::kIds;
}

/// What rows of one prompt share: its hash, and where some hashes are missing long completions too.
std::vector<std::string> marks_of(const EvalRow& row, PromptKnowledge knowledge) {
  std::vector<std::string> marks;
  if (!row.prompt_hash.empty()) marks.push_back("hash " + row.prompt_hash);
  const bool is_hashed = knowledge == PromptKnowledge::kHashes;
  if (!is_hashed && row.completion && row.completion->size() >= kTellingLength) {
    marks.push_back("text " + *row.completion);
  }
  return marks;
}

/// Over all reports: seeds that name one prompt differently are no new prompts.
PromptGroups group_prompts(std::span<const EvalReport* const> reports, PromptKnowledge knowledge) {
  PromptGroups groups;
  std::unordered_map<std::string, std::string> first_item;  // of each mark
  for (const EvalReport* report : reports) {
    for (const EvalRow& row : report->base.rows) {
      for (const std::string& mark : marks_of(row, knowledge)) {
        const auto [place, is_new] = first_item.emplace(mark, row.id);
        if (!is_new) groups.join(row.id, place->second);
      }
    }
  }
  return groups;
}

std::optional<bool> either(const std::optional<bool>& a, const std::optional<bool>& b) {
  if ((a && *a) || (b && *b)) return true;
  return a && b ? std::optional<bool>(false) : std::nullopt;
}

/// Rows for which `scores` gives a pair.
PairedRows pair_rows(
    std::span<const EvalReport* const> reports,
    const std::function<std::optional<std::pair<double, double>>(const EvalRow&, const EvalRow&)>& scores) {
  PairedRows pairs;
  pairs.knowledge = knowledge_of(reports);
  PromptGroups groups = group_prompts(reports, pairs.knowledge);
  for (const EvalReport* report : reports) {
    for (size_t i = 0; i < report->base.rows.size(); ++i) {
      const EvalRow &base = report->base.rows[i], &candidate = report->candidate.rows[i];
      const auto pair = scores(base, candidate);
      if (!pair) continue;
      pairs.rows.push_back({base.id, groups.root(base.id), report->seed, pair->first, pair->second,
                            either(base.truncated, candidate.truncated)});
    }
  }
  return pairs;
}

struct ItemRow {
  std::string id, cluster;  ///< as JSON, where 2 and "2" are two
  std::string metric;       ///< of samples; empty for plain scores
  int64_t seed = 0;
  double score = 0;
};

std::string json_id(const TypedObject& in, const std::string& key) {
  in.id(key);  // or it is refused
  return in.json().at(key).dump();
}

/// A line of a samples file of lm-evaluation-harness: its document, clustered by prompt. `filter` is that of the file.
ItemRow read_sample(const TypedObject& in, std::string& filter) {
  const std::string own = in.optional_text("filter").value_or("");
  if (filter.empty()) filter = own;
  if (own != filter) {
    throw DataError("data.several_filters", fmt::format("samples of the filters \"{}\" and \"{}\"", filter, own),
                    in.where(), "name one with --filter");
  }
  ItemRow row{json_id(in, "doc_id"), "", lm_eval_metric(in.json(), in.where()), 0,
              lm_eval_score(in.json(), in.where())};
  // Other documents under the same numbers are other items.
  if (const auto hash = in.optional_text("doc_hash")) row.id += ":" + hash->substr(0, 12);
  row.cluster = in.optional_text("prompt_hash").value_or(row.id);
  return row;
}

/// Of samples with `wanted` set, only those of that filter.
std::vector<ItemRow> read_items(const std::string& path, const std::string& wanted) {
  std::vector<ItemRow> rows;
  std::string filter = wanted;
  JsonlReader reader(path);
  try {
    while (reader.next()) {
      const Json document = reader.parse();
      const TypedObject in(document, reader.where());
      if (in.has("doc_id") && in.has("resps")) {
        if (!wanted.empty() && in.optional_text("filter") != wanted) continue;
        rows.push_back(read_sample(in, filter));
        continue;
      }
      ItemRow row{json_id(in, "id"), "", "", in.optional_integer("seed").value_or(0), in.real("score")};
      row.cluster = in.has("cluster") ? json_id(in, "cluster") : row.id;
      rows.push_back(std::move(row));
    }
  } catch (const DataError&) {
    refuse_report_as_items(path);
    throw;
  }
  if (rows.empty())
    throw DataError("data.no_rows", "the file has no rows", path,
                    "give one line an item: {\"id\": ..., \"score\": ...}");
  return rows;
}

/// One item must be one question, scored one way, in both files.
void require_same_item(const ItemRow& base, const ItemRow& candidate, const std::string& candidate_path) {
  const auto refuse = [&](const std::string& what, const std::string& first, const std::string& second) {
    throw DataError("data.items_differ",
                    fmt::format("item {} (seed {}) has {} {} and {}", base.id, base.seed, what, first, second),
                    candidate_path, "both arms must see the same items, rendered and scored the same way");
  };
  if (base.metric != candidate.metric) {
    refuse("the metric", Json(base.metric).dump(), Json(candidate.metric).dump());
  }
  if (base.cluster == candidate.cluster) return;
  const auto quoted = [](const std::string& name) { return name.starts_with('"') ? name : '"' + name + '"'; };
  const bool look_alike = quoted(base.cluster) == quoted(candidate.cluster);
  if (look_alike) refuse("the prompt or cluster", base.cluster, candidate.cluster);  // a number and a text
  refuse("the prompt or cluster", quoted(base.cluster), quoted(candidate.cluster));
}

}  // namespace

PairedRows pair_reports(std::span<const EvalReport* const> reports) {
  return pair_rows(reports, [](const EvalRow& base, const EvalRow& candidate) {
    return std::optional(std::pair(base.score, candidate.score));
  });
}

PairedRows pair_protected(std::span<const EvalReport* const> reports) {
  return pair_rows(reports,
                   [](const EvalRow& base, const EvalRow& candidate) -> std::optional<std::pair<double, double>> {
                     if (!base.protected_passed || !candidate.protected_passed) return std::nullopt;
                     return std::pair<double, double>(*base.protected_passed, *candidate.protected_passed);
                   });
}

ItemFiles pair_item_files(const std::string& base_path, const std::string& candidate_path, bool allow_missing,
                          const std::string& filter) {
  const auto key_of = [](const ItemRow& row) { return std::pair(row.id, row.seed); };
  std::map<std::pair<std::string, int64_t>, const ItemRow*> candidates;
  const std::vector<ItemRow> base_rows = read_items(base_path, filter),
                             candidate_rows = read_items(candidate_path, filter);
  for (const ItemRow& row : candidate_rows) {
    if (!candidates.emplace(key_of(row), &row).second) {
      throw DataError("data.duplicate_id", fmt::format("item {} stands twice for seed {}", row.id, row.seed),
                      candidate_path, "give repeated items a seed each");
    }
  }
  const auto missing = [&](const ItemRow& row, const std::string& path) {
    if (allow_missing) return;
    throw DataError("data.unpaired", fmt::format("item {} (seed {}) is in one file only", row.id, row.seed), path,
                    "--allow-missing leaves such items out and counts them");
  };
  ItemFiles files;
  files.are_copies = base_path != "-" && candidate_path != "-" && read_file(base_path) == read_file(candidate_path);
  std::map<std::pair<std::string, int64_t>, bool> seen;
  for (const ItemRow& row : base_rows) {
    if (!seen.emplace(key_of(row), true).second) {
      throw DataError("data.duplicate_id", fmt::format("item {} stands twice for seed {}", row.id, row.seed), base_path,
                      "give repeated items a seed each");
    }
    const auto found = candidates.find(key_of(row));
    if (found == candidates.end()) {
      missing(row, base_path);
      ++files.num_base_only;
      continue;
    }
    require_same_item(row, *found->second, candidate_path);
    files.pairs.rows.push_back({row.id, row.cluster, row.seed, row.score, found->second->score, std::nullopt});
  }
  for (const ItemRow& row : candidate_rows) {
    if (seen.count(key_of(row))) continue;
    missing(row, candidate_path);
    ++files.num_candidate_only;
  }
  if (files.pairs.rows.empty())
    throw DataError("data.no_rows", "the files share no item", candidate_path,
                    "give the scores of the same ids and seeds in both files");
  return files;
}

}  // namespace plumbline
