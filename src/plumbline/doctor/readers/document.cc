#include "plumbline/doctor/readers/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/doctor/hash.h"
#include "plumbline/doctor/readers/completion_text.h"
#include "plumbline/doctor/readers/judge_rows.h"
#include "plumbline/doctor/readers/series.h"

namespace plumbline::doctor {
namespace {

/// What the long lists of a document hold, taken row by row while it is read.
class RowTaker {
 public:
  RowTaker(const std::string& path, Collector& out) : out_(out), series_(path), judges_(path) { modules_.where = path; }

  void take(const std::string& list, const FlatRow& row) {
    if (list == "data") return take_cells(row);
    if (row.has("name") && row.has("adapted")) return take_module(row);
    if (judges_.take(row)) {
      has_judges_ = true;
    } else if (is_item_row(row, out_.map)) {
      ReadItem item = item_of(row, out_.map);
      if (nonfinite.empty()) nonfinite = item.nonfinite;
      lists[list].push_back(item.row);
    } else if (is_step_row(row)) {
      series_.add_row(row);
    }
  }

  /// What needs nothing from the rest of the document. True when there was something.
  bool finish(const std::string& path, const Json& tree) {
    bool found = has_judges_;
    if (has_judges_) judges_.finish(out_);
    if (!series_.empty()) {
      out_.evidence.logs.push_back(series_.take());
      found = true;
    }
    if (num_modules_ > 0) {
      out_.evidence.modules.push_back(modules_);
      found = true;
    }
    return finish_table(path, tree) || found;
  }

  RowLists lists;
  std::string nonfinite;  ///< the first figure of a row that is NaN or infinite; empty = none

 private:
  void take_module(const FlatRow& row) {
    ++num_modules_;
    const bool is_expert = row.word("name").find("expert") != std::string::npos;
    const bool adapted = row.flag("adapted").value_or(false);
    modules_.num_experts += is_expert;
    modules_.experts_adapted += is_expert && adapted;
    modules_.others_adapted += !is_expert && adapted;
  }

  /// A row of a table: which column is the prompt is known only at its end.
  void take_cells(const FlatRow& row) {
    ++num_cells_;
    columns_.resize(std::min<size_t>(std::max<size_t>(columns_.size(), row.leaves().size()), 16));
    for (size_t column = 0; column < columns_.size(); ++column) {
      const auto cell = row.text(fmt::format("[{}]", column));
      if (!cell) continue;
      TrainingRows& rows = columns_[column];
      ++rows.num_prompts;
      rows.num_marked += has_chat_markers(*cell);
      rows.prompt_texts.insert(hash_of(*cell));
    }
  }

  bool finish_table(const std::string& path, const Json& tree) {
    if (num_cells_ == 0) return false;
    const std::vector<std::string> names = words_at(tree, "columns");
    const auto found = std::find(names.begin(), names.end(), "prompt");
    const auto column = static_cast<size_t>(found - names.begin());
    if (found == names.end() || column >= columns_.size()) {
      out_.not_checked(path, "table", "it has no column \"prompt\"");
      return true;
    }
    TrainingRows rows = std::move(columns_[column]);
    rows.where = path;
    rows.num_rows = num_cells_;
    out_.evidence.training_rows.push_back(std::move(rows));
    return true;
  }

  Collector& out_;
  SeriesBuilder series_;
  JudgeRows judges_;
  ModuleList modules_;
  std::vector<TrainingRows> columns_;
  bool has_judges_ = false;
  int64_t num_modules_ = 0, num_cells_ = 0;
};

bool is_report(const Json& tree) {
  return text_at(tree, "schema") == "eval.v1" || (value_at(tree, "pin") && value_at(tree, "candidate"));
}

bool is_harness_report(const Json& tree) {
  if (value_at(tree, "adapterScore") || value_at(tree, "passAt1")) return true;
  const std::string mode = text_at(tree, "mode");
  return value_at(tree, "benchmark") && (!mode.empty() || value_at(tree, "proposer"));
}

bool is_judge_file(const Json& tree) {
  if (value_at(tree, "judge") || value_at(tree, "judges") || value_at(tree, "perJudge")) return true;
  if (text_at(tree, "schema") == "teachers.v1") return true;
  return value_at(tree, "teacher") && value_at(tree, "attempted");
}

bool is_decision(const Json& tree) {
  return value_at(tree, "replications") ||
         (value_at(tree, "verdict") && (value_at(tree, "mappedMetrics") || value_at(tree, "gateVerdicts")));
}

bool read_by_keys(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  const Json* results = value_at(tree, "results");
  if (is_report(tree)) {
    read_eval_report(document, out);
  } else if (results && results->is_object() &&
             (value_at(tree, "configs") || value_at(tree, "lm_eval_version") || value_at(tree, "versions"))) {
    read_lm_eval_results(document, out);
  } else if (value_at(tree, "eval.task") && value_at(tree, "status")) {
    read_inspect_log(document, out);
  } else if (is_decision(tree)) {
    read_decision(document, out);
  } else if (value_at(tree, "mean_kl") || value_at(tree, "top1_agreement")) {
    read_certificate(document, out);
  } else if (value_at(tree, "config.num_generations") || value_at(tree, "collapse.collapsed")) {
    read_harness_training(document, out);
  } else if (is_judge_file(tree)) {
    read_judge_report(document, out);
  } else if (is_harness_report(tree)) {
    read_harness_report(document, out);
  } else if (text_at(tree, "schema") == "provenance.v1") {
    TrainingSetup setup;
    setup.where = document.path;
    read_provenance(tree, setup);
    out.evidence.setups.push_back(std::move(setup));
  } else if (const std::string schema = text_at(tree, "schema");
             schema == "judge_settings.v1" || schema == "teach_settings.v1") {
    read_judge_settings(document, out);
  } else {
    return false;
  }
  return true;
}

/// Rows without a known document around them.
void add_plain_rows(const std::string& path, RowLists& lists, Collector& out) {
  for (auto& [list, rows] : lists) {
    if (rows.empty()) continue;
    Evaluation report;
    report.where = path;
    report.format = "rows";
    report.candidate.rows = std::move(rows);
    out.evidence.evaluations.push_back(std::move(report));
  }
}

}  // namespace

bool read_document(const std::string& path, JsonStream& stream, Collector& out) {
  RowTaker rows(path, out);
  const JsonHead head =
      read_json_head(stream, [&](const std::string& list, const FlatRow& row) { rows.take(list, row); });
  if (!head.conflicts.empty()) {
    throw DataError("data.json", fmt::format("the key {} stands twice with different values", head.conflicts.front()),
                    path);
  }
  if (stream.kind() != JsonStream::Kind::kEnd)
    throw DataError("data.json", "text after the end of the document",
                    fmt::format("{}, byte {}", path, stream.offset()));
  const bool found_rows = rows.finish(path, *head.tree);
  const Document document{path, head, rows.lists};
  const bool found_document = read_by_keys(document, out);
  if (found_document && head.num_nonfinite > 0 && !found_rows) {
    throw DataError("data.json", fmt::format("{} of its figures are NaN or Infinity", head.num_nonfinite), path);
  }
  if (!found_document && !rows.nonfinite.empty()) {
    throw DataError("data.json", fmt::format("{} is NaN or infinite in one of its rows", rows.nonfinite), path);
  }
  if (!found_document) add_plain_rows(path, rows.lists, out);
  const bool has_rows =
      std::any_of(rows.lists.begin(), rows.lists.end(), [](const auto& list) { return !list.second.empty(); });
  if (!found_document && !found_rows && !has_rows) {
    out.not_checked(path, "the whole file", "JSON of no kind that doctor knows");
    return false;
  }
  return true;
}

}  // namespace plumbline::doctor
