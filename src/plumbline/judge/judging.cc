#include "plumbline/judge/judging.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/base/progress.h"
#include "plumbline/base/sha256.h"
#include "plumbline/judge/answer_files.h"
#include "plumbline/judge/in_flight.h"
#include "plumbline/judge/out_folder.h"
#include "plumbline/judge/planned_rows.h"
#include "plumbline/judge/preflight.h"
#include "plumbline/judge/reply_cache.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {
namespace {

JudgeMode mode_of(const JudgeOptions& options) {
  return options.mode == "pair" ? JudgeMode::kPair : JudgeMode::kSupport;
}

/// Which answer stands first, by the item's hash: neither chance nor the file's order decides.
bool base_stands_first(const JudgeItem& item) {
  const std::string hash = sha256_hex(fmt::format("{}\n{}", to_string(item.problem->id), item.sample));
  return std::stoi(hash.substr(0, 2), nullptr, 16) % 2 == 0;
}

std::map<std::string, std::string> settings_of(const JudgeOptions& options, const std::vector<AnswerFile>& files,
                                               const std::vector<Problem>& problems, const Question& question,
                                               const ChatClients& judges) {
  std::map<std::string, std::string> settings = {{"mode", options.mode},
                                                 {"question", question.hash()},
                                                 {"temperature", fmt::format("{}", options.temperature)},
                                                 {"max_tokens", std::to_string(options.max_tokens)}};
  for (size_t i = 0; i < judges.size(); ++i) {
    settings[fmt::format("judge {}", i)] = judges[i]->spec().text + " at " + judges[i]->spec().base_url;
  }
  for (size_t i = 0; i < files.size(); ++i) {
    settings[fmt::format("answers {} {}", i, files[i].arm)] = sha256_file(files[i].path);
  }
  Sha256 hash;
  for (const Problem& problem : problems) {
    hash.update(to_string(problem.id)).update("\n").update(text_of_messages(problem.prompt)).update("\n");
    hash.update(problem.reference).update("\n");
  }
  settings["problems"] = hash.hex();
  return settings;
}

constexpr const char* kRowsName = "verdicts.jsonl";

/// A call to make: which judge, about what.
struct Job {
  int64_t item_number = 0;
  size_t judge = 0;
  std::shared_ptr<const JudgeItem> item;
  ChatRequest request;
};

class Judging {
 public:
  Judging(const JudgeOptions& options, const std::vector<Problem>& problems, const std::string& out)
      : options_(options),
        problems_(problems),
        out_(out),
        files_(parse_answer_files(options)),
        question_(mode_of(options), options.prompt),
        cache_(options.cache.empty() ? nullptr : std::make_unique<ReplyCache>(options.cache)),
        judges_(make_clients(options.judges, options, cache_.get(), "judge.judges")),
        num_planned_(JudgeItems::count(files_, mode_of(options), problems) * static_cast<int64_t>(judges_.size())) {}

  JudgeRun run() {
    if (num_planned_ == 0) {
      throw DataError("data.empty_file", "there are no answers to judge", files_[0].path, "check judge.answers");
    }
    auto settings = settings_of(options_, files_, problems_, question_, judges_);
    settings["calls"] = std::to_string(num_planned_);
    made_folder_ = open_out_folder(out_, "judge_settings.v1", settings);
    rows_ = std::make_unique<PlannedRows>(
        out_ + "/" + kRowsName, [this](const Json& row) { return key_of_stored(row); }, num_planned_,
        options_.max_failed_share);
    ask_all();
    const bool is_whole = rows_->finish();
    const PanelSummary summary = summarise(is_whole);
    write_file(out_ + "/summary.json", to_json(summary).dump(2) + "\n");
    if (interrupt_requested()) {
      throw Interrupted(fmt::format("judging was stopped; {} of {} verdicts are in {}; run it again to go on",
                                    rows_->num_there(), num_planned_, out_));
    }
    return {summary, rows_->failed_too_often() ? failure(summary) : ""};
  }

 private:
  /// A call that failed is made again.
  std::optional<std::string> key_of_stored(const Json& row) const {
    const JudgeRow judged = parse_judge_row(row, out_ + "/" + kRowsName);
    if (judged.outcome == "transport_error") return std::nullopt;
    return key_of(judged);
  }

  void ask_all() {
    JudgeItems items(files_, mode_of(options_), problems_);
    std::optional<Job> first = next_job(items);
    if (first) preflight();
    Progress progress("judging", rows_->num_left(), "calls");
    run_in_flight<Job>(
        options_.in_flight, [&] { return first ? std::exchange(first, std::nullopt) : next_job(items); },
        [&](Job job) {
          ask(job);
          progress.advance(1, fmt::format("{} failed", rows_->num_failed()));
        });
  }

  void preflight() {
    try {
      preflight_judges(judges_, question_);
    } catch (const Error&) {
      rows_.reset();
      leave_out_folder(out_, kRowsName, made_folder_);
      throw;
    }
  }

  /// The next call that has no row yet. Serialised by run_in_flight.
  std::optional<Job> next_job(JudgeItems& items) {
    while (!rows_->is_stopping()) {
      if (!current_.item || current_.judge + 1 == judges_.size()) {
        auto item = std::make_shared<JudgeItem>();
        if (!items.next(*item)) return std::nullopt;
        current_ = {current_.item ? current_.item_number + 1 : 0, 0, std::move(item)};
      } else {
        ++current_.judge;
      }
      current_.request = question_.request(texts_of(*current_.item));
      if (!rows_->plan(key_of(row_of(current_)))) return current_;
    }
    return std::nullopt;
  }

  bool shows_base_first(const JudgeItem& item) const {
    return question_.mode() == JudgeMode::kSupport || base_stands_first(item);
  }

  JudgedTexts texts_of(const JudgeItem& item) const {
    const bool base_first = shows_base_first(item);
    return {text_of_messages(item.problem->prompt), item.problem->reference, base_first ? item.answer : item.other,
            base_first ? item.other : item.answer};
  }

  /// What is known before the call.
  JudgeRow row_of(const Job& job) const {
    JudgeRow row;
    row.problem_id = job.item->problem->id;
    row.sample = job.item->sample;
    row.arm = job.item->arm;
    if (question_.mode() == JudgeMode::kPair) {
      row.order = base_stands_first(*job.item) ? "base_first" : "candidate_first";
    }
    row.judge = judges_[job.judge]->spec().text;
    row.family = judges_[job.judge]->family();
    row.asked = judges_[job.judge]->hash_of(job.request);
    return row;
  }

  void ask(const Job& job) {
    const ChatReply reply = judges_[job.judge]->ask(job.request);
    if (reply.kind == CallKind::kInterrupted) return;
    const JudgeAnswer answer = read_verdict(reply, question_.mode());
    JudgeRow row = row_of(job);
    row.outcome = outcome_word(answer.outcome, shows_base_first(*job.item));
    row.kind = answer.kind;
    row.http_status = reply.http_status;
    row.reply = reply.content;
    row.reason = answer.reason;
    row.model = reply.model;
    row.usage = reply.usage;
    row.num_attempts = reply.num_attempts;
    row.cached = reply.cached;
    row.wall_ms = std::round(reply.wall_s * 1e4) / 10;
    rows_->append(key_of(row), to_json_line(row), answer.outcome == JudgeOutcome::kTransportError);
  }

  PanelSummary summarise(bool is_whole) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const auto& judge : judges_) names.emplace_back(judge->spec().text, judge->family());
    Panel panel(options_.mode, names, options_.min_kappa);
    for (size_t i = 0; i < rows_->num_planned_so_far(); ++i) {
      const std::optional<Json> row = rows_->row(i);
      if (!row) continue;
      panel.take(static_cast<int64_t>(i / judges_.size()), i % judges_.size(), parse_judge_row(*row, rows_->path()));
    }
    PanelSummary summary = panel.finish(is_whole);
    summary.num_planned_calls = num_planned_;
    if (is_whole && judges_.size() > 1) write_disagreements(summary);
    return summary;
  }

  /// For a person to read: the answer beside what each judge said of it.
  void write_disagreements(const PanelSummary& summary) const {
    const std::string path = out_ + "/disagreements.jsonl";
    write_file(path, "");
    JsonlWriter writer(path);
    JudgeItems items(files_, mode_of(options_), problems_);
    JudgeItem item;
    auto wanted = summary.disagreements.begin();
    for (int64_t number = 0; wanted != summary.disagreements.end() && items.next(item); ++number) {
      if (number != *wanted) continue;
      ++wanted;
      writer.write(to_json_line(disagreement(item, number)));
    }
  }

  Json disagreement(const JudgeItem& item, int64_t number) const {
    Json out = {{"problem_id", to_json(item.problem->id)}, {"sample", item.sample}};
    if (question_.mode() == JudgeMode::kSupport) {
      out["arm"] = item.arm;
      out["answer"] = item.answer;
    } else {
      out["base"] = item.answer;
      out["candidate"] = item.other;
    }
    for (size_t judge = 0; judge < judges_.size(); ++judge) {
      const std::optional<Json> json = rows_->row(static_cast<size_t>(number) * judges_.size() + judge);
      if (!json) continue;
      const JudgeRow row = parse_judge_row(*json, rows_->path());
      out["opinions"].push_back({{"judge", row.judge}, {"outcome", row.outcome}, {"reason", row.reason}});
    }
    out["prompt"] = text_of_messages(item.problem->prompt);
    out["reference"] = item.problem->reference;
    return out;
  }

  std::string failure(const PanelSummary& summary) const {
    std::string last;
    for (const JudgeCount& count : summary.counts) {
      if (count.count("transport_error") > 0) last = fmt::format("{}: {}", count.judge, count.last_error);
    }
    return fmt::format("{}; the last one of {}", rows_->failure(), last);
  }

  const JudgeOptions& options_;
  const std::vector<Problem>& problems_;
  const std::string out_;
  const std::vector<AnswerFile> files_;
  const Question question_;
  const std::unique_ptr<ReplyCache> cache_;
  const ChatClients judges_;
  const int64_t num_planned_;
  bool made_folder_ = false;
  std::unique_ptr<PlannedRows> rows_;
  Job current_;
};

}  // namespace

JudgeRun judge_answers(const JudgeOptions& options, const std::vector<Problem>& problems, const std::string& out) {
  return Judging(options, problems, out).run();
}

}  // namespace plumbline
