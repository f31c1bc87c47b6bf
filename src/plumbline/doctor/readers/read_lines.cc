/// JSON lines: per-item results, training steps, rollouts, judges' and teachers' rows, registries.
#include "plumbline/doctor/readers/read_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/doctor/hash.h"
#include "plumbline/doctor/readers/judge_rows.h"
#include "plumbline/doctor/readers/series.h"

namespace plumbline::doctor {
namespace {

namespace fs = std::filesystem;

/// Rows of one seed, task and arm.
struct RowGroup {
  Evaluation evaluation;
  bool has_base = false, has_candidate = false;
};

class LineReader {
 public:
  LineReader(const std::string& path, Collector& out) : path_(path), out_(out), series_(path), judges_(path) {}

  void read(JsonStream& stream) {
    while (true) {
      try {
        if (stream.kind() == JsonStream::Kind::kEnd) break;
        row_.read(stream);
      } catch (const DataError& error) {
        if (error.id() == "data.truncated_file") {
          out_.not_checked(path_, "last row", "it is cut: the writer was stopped, or is still writing");
          break;
        }
        if (error.id() != "data.json") throw;
        if (num_bad_++ == 0) first_bad_ = error.where();
        if (!stream.skip_line()) break;
        continue;
      }
      if (!row_.conflict().empty()) {
        if (num_bad_++ == 0)
          first_bad_ = fmt::format("row {}: the key {} stands twice", num_rows_ + 1, row_.conflict());
        continue;
      }
      ++num_rows_;
      take();
    }
    finish();
  }

  /// That could be read.
  int64_t num_rows() const { return num_rows_; }

 private:
  void take() {
    if (judges_.take(row_)) return;
    if (row_.has("opinions[0].judge")) return;  // judge's disagreements.jsonl: rows of verdicts.jsonl side by side
    if (row_.has("before") && row_.has("after") && row_.has("verdict")) {
      const auto seed = row_.number("seed");
      registry_.entries.emplace_back(row_.word("id"),
                                     seed ? std::optional<int64_t>(static_cast<int64_t>(*seed)) : std::nullopt);
      return;
    }
    if (is_item_row(row_, out_.map)) return take_item();
    if (is_step_row(row_)) return series_.add_row(row_);
    ++num_unknown_;
  }

  void take_item() {
    ReadItem item = item_of(row_, out_.map);
    if (item.is_rollout) {
      training_.num_rows++;
      if (item.row.prompt_text) training_.prompt_texts.insert(item.row.prompt_text);
      if (item.row.prompt_hash) training_.prompt_hashes.insert(item.row.prompt_hash);
      training_.num_prompts += item.has_prompt;
      training_.num_marked += item.prompt_marked;
      return;
    }
    if (!item.nonfinite.empty() && num_nonfinite_++ == 0)
      first_nonfinite_ = fmt::format("{} of row {}", item.nonfinite, num_rows_);
    is_lm_ |= row_.array_size("resps").has_value();
    if (is_lm_) return take_lm_row(item);
    RowGroup& group = groups_[fmt::format("{}|{}", item.seed ? std::to_string(*item.seed) : "", item.task)];
    Evaluation& report = group.evaluation;
    report.seed = item.seed;
    report.task = item.task;
    if (item.temperature && (!report.temperature || *item.temperature > *report.temperature))
      report.temperature = item.temperature;
    if (item.max_new_tokens) report.max_new_tokens = item.max_new_tokens;
    if (item.row.sample > 0) report.samples_per_item = std::max<int64_t>(report.samples_per_item, item.row.sample + 1);
    const bool is_base = item.arm == "base";
    if (is_base && !report.base) report.base.emplace();
    Arm& arm = is_base ? *report.base : report.candidate;
    arm.name = item.arm;
    arm.rows_are_foreign_verdicts |= item.is_verdict;
    arm.train_marked_prompts += item.prompt_marked;
    arm.rows.push_back(item.row);
  }

  /// Every filter writes each document again; the first filter's rows are the items.
  void take_lm_row(const ReadItem& item) {
    if (lm_filter_.empty()) lm_filter_ = item.filter.empty() ? "none" : item.filter;
    const std::string filter = item.filter.empty() ? "none" : item.filter;
    if (item.metric) {
      auto& [sum, count] = lm_sums_[item.metric_name + "," + filter];
      sum += *item.metric;
      ++count;
    }
    if (filter != lm_filter_) return;
    lm_.candidate.train_marked_prompts += item.prompt_marked;
    lm_.candidate.rows.push_back(item.row);
  }

  void finish_lm() {
    LmEvalPart part;
    const fs::path path(path_);
    part.folder = path.parent_path().string();
    const std::string stem = path.stem().string();  // samples_<task>_<date>; the results beside it tell the two apart
    part.task = stem.starts_with("samples_") ? stem.substr(8) : stem;
    part.evaluation = std::move(lm_);
    part.evaluation.where = path_;
    part.evaluation.format = "lm-eval";
    part.evaluation.task = part.task;
    part.row_sums = std::move(lm_sums_);
    out_.lm_samples.push_back(std::move(part));
  }

  void finish() {
    if (is_lm_) finish_lm();
    for (auto& [key, group] : groups_) {
      Evaluation& report = group.evaluation;
      report.where = report.seed && groups_.size() > 1 ? fmt::format("{}, seed {}", path_, *report.seed) : path_;
      report.format = "rows";
      out_.evidence.evaluations.push_back(std::move(report));
    }
    if (!series_.empty()) {
      TrainingLog log = series_.take();
      out_.evidence.logs.push_back(std::move(log));
    }
    if (training_.num_rows > 0) {
      training_.where = path_;
      out_.evidence.training_rows.push_back(std::move(training_));
    }
    if (!registry_.entries.empty()) {
      registry_.where = path_;
      out_.evidence.registries.push_back(std::move(registry_));
    }
    judges_.finish(out_);
    if (num_rows_ == 0 && num_bad_ > 0)
      throw DataError("data.json", "no row of it can be read; the first: " + first_bad_, path_);
    if (num_bad_ > 0) {
      out_.evidence.unreadable.push_back(
          {path_, fmt::format("{} of {} rows could not be read and were left out; the first: {}", num_bad_,
                              num_bad_ + num_rows_, first_bad_)});
    }
    if (num_nonfinite_ > 0) {
      out_.evidence.unreadable.push_back(
          {path_, fmt::format("{} of {} rows have a figure that is NaN or infinite, which was taken as missing; the "
                              "first: {}",
                              num_nonfinite_, num_rows_, first_nonfinite_)});
    }
    if (num_unknown_ > 0) {
      out_.not_checked(path_, fmt::format("{} rows", num_unknown_),
                       "no known kind of row; name its fields with --map (id=PATH, passed=PATH, completion=PATH, ...)");
    }
  }

  const std::string path_;
  Collector& out_;
  FlatRow row_;
  SeriesBuilder series_;
  JudgeRows judges_;
  TrainingRows training_;
  Registry registry_;
  std::map<std::string, RowGroup> groups_;
  bool is_lm_ = false;
  Evaluation lm_;
  std::string lm_filter_;
  std::map<std::string, std::pair<double, int64_t>> lm_sums_;
  int64_t num_rows_ = 0, num_bad_ = 0, num_unknown_ = 0, num_nonfinite_ = 0;
  std::string first_bad_, first_nonfinite_;
};

}  // namespace

int64_t read_lines(const std::string& path, JsonStream& stream, Collector& out) {
  LineReader reader(path, out);
  reader.read(stream);
  return reader.num_rows();
}

}  // namespace plumbline::doctor
