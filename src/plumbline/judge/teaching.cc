#include "plumbline/judge/teaching.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/base/progress.h"
#include "plumbline/base/sha256.h"
#include "plumbline/judge/in_flight.h"
#include "plumbline/judge/out_folder.h"
#include "plumbline/judge/planned_rows.h"
#include "plumbline/judge/preflight.h"
#include "plumbline/judge/reply_cache.h"
#include "plumbline/judge/teacher_row.h"
#include "plumbline/record/completion_reader.h"
#include "plumbline/record/problem_reader.h"

namespace plumbline {
namespace {

std::map<std::string, std::string> settings_of(const TeachOptions& options, const std::vector<Problem>& problems,
                                               const ChatClients& teachers,
                                               std::map<std::string, std::string> settings) {
  settings["samples"] = std::to_string(options.samples);
  settings["calls"] = std::to_string(static_cast<int64_t>(problems.size() * teachers.size()) * options.samples);
  settings["temperature"] = fmt::format("{}", options.temperature);
  settings["max_tokens"] = std::to_string(options.max_tokens);
  for (size_t i = 0; i < teachers.size(); ++i) {
    settings[fmt::format("teacher {}", i)] = teachers[i]->spec().text + " at " + teachers[i]->spec().base_url;
  }
  Sha256 hash;
  for (const Problem& problem : problems) {
    hash.update(to_string(problem.id)).update("\n").update(grading_hash(problem)).update(problem.row);
    for (const Message& message : problem.prompt) hash.update(message.role).update("\n").update(message.content);
  }
  settings["problems"] = hash.hex();
  return settings;
}

std::string text_of(const std::map<std::string, std::string>& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += key + " = " + value + "\n";
  return text;
}

constexpr const char* kRowsName = "rows.jsonl";

struct Job {
  size_t problem = 0, teacher = 0;
  ChatRequest request;
  std::optional<TeacherRow> row;  ///< set: the completion is there and only its grade is missing
};

class Teaching {
 public:
  Teaching(const TeachOptions& options, const std::vector<Problem>& problems, Verifier& verifier,
           std::map<std::string, std::string> settings, const std::string& out)
      : options_(options),
        problems_(problems),
        verifier_(verifier),
        out_(out),
        cache_(options.cache.empty() ? nullptr : std::make_unique<ReplyCache>(options.cache)),
        teachers_(make_clients(options.teachers, options, cache_.get(), "teach.teachers")),
        grader_(text_of(settings)),
        num_planned_(static_cast<int64_t>(problems.size() * teachers_.size()) * options.samples) {
    warn_of_greedy_samples();
    made_folder_ =
        open_out_folder(out_, "teach_settings.v1", settings_of(options_, problems_, teachers_, std::move(settings)));
    rows_ = std::make_unique<PlannedRows>(
        out_ + "/" + kRowsName, [this](const Json& row) { return key_of_stored(row); }, num_planned_,
        options_.max_failed_share);
  }

  TeachRun run() {
    int64_t num_left = 0;
    bool will_ask = false;
    for (int64_t number = 0; number < num_planned_; ++number) {
      rows_->plan(key_of(row_of(job_of(number))));
      const std::optional<Job> job = job_left(number);
      num_left += job.has_value();
      will_ask |= job && !job->row;
    }
    if (will_ask) preflight();
    Progress progress("teaching", num_left, "completions");
    run_in_flight<Job>(
        options_.in_flight, [&] { return next_job(); },
        [&](Job job) {
          work(std::move(job));
          progress.advance(1, fmt::format("{} kept", num_kept_.load()));
        });
    const TeachRun run = summarise(rows_->finish());
    write_file(out_ + "/summary.json", to_json(run).dump(2) + "\n");
    if (interrupt_requested()) {
      throw Interrupted(fmt::format("teaching was stopped; {} of {} completions are in {}; run it again to go on",
                                    rows_->num_there(), num_planned_, out_));
    }
    return run;
  }

 private:
  void warn_of_greedy_samples() const {
    const bool is_greedy = std::any_of(teachers_.begin(), teachers_.end(),
                                       [](const auto& teacher) { return !teacher->spec().is_reasoning; });
    if (options_.samples < 2 || options_.temperature > 0 || !is_greedy) return;
    log_warning(
        fmt::format("teach.samples = {} at teach.temperature = 0: a teacher that decodes greedily says the same "
                    "text each time; set teach.temperature, such as 0.8",
                    options_.samples));
  }

  void preflight() {
    try {
      preflight_teachers(teachers_);
    } catch (const Error&) {
      rows_.reset();
      leave_out_folder(out_, kRowsName, made_folder_);
      throw;
    }
  }

  /// A call that failed is made again.
  std::optional<std::string> key_of_stored(const Json& json) const {
    const TeacherRow row = parse_teacher_row(json, out_ + "/" + kRowsName);
    if (row.is_failed_call()) return std::nullopt;
    return key_of(row);
  }

  Job job_of(int64_t number) const {
    const int64_t per_problem = static_cast<int64_t>(teachers_.size()) * options_.samples;
    Job job;
    job.problem = static_cast<size_t>(number / per_problem);
    job.teacher = static_cast<size_t>(number % per_problem / options_.samples);
    job.request.messages = problems_[job.problem].prompt;
    job.request.draw = number % options_.samples;
    return job;
  }

  /// What is to be done for a planned row: nothing, all of it, or its grade.
  std::optional<Job> job_left(int64_t number) const {
    Job job = job_of(number);
    const std::optional<Json> stored = rows_->row(static_cast<size_t>(number));
    if (!stored) return job;
    TeacherRow row = parse_teacher_row(*stored, rows_->path());
    if (row.outcome != "infra") return std::nullopt;
    job.row = std::move(row);
    return job;
  }

  /// Serialised by run_in_flight.
  std::optional<Job> next_job() {
    while (!rows_->is_stopping() && next_ < num_planned_) {
      if (std::optional<Job> job = job_left(next_++)) return job;
    }
    return std::nullopt;
  }

  TeacherRow row_of(const Job& job) const {
    TeacherRow row;
    row.problem_id = problems_[job.problem].id;
    row.sample = static_cast<int64_t>(job.teacher) * options_.samples + job.request.draw;
    row.teacher = teachers_[job.teacher]->spec().text;
    const Problem& problem = problems_[job.problem];
    row.asked = sha256_hex(teachers_[job.teacher]->hash_of(job.request) + "\n" + grading_hash(problem) + "\n" +
                           problem.row + "\n" + grader_)
                    .substr(0, 16);
    return row;
  }

  void work(Job job) {
    TeacherRow row = job.row ? *job.row : ask(job);
    if (row.kind == to_string(CallKind::kInterrupted)) return;
    if (row.ok) grade(problems_[job.problem], row);
    rows_->append(key_of(row), to_json_line(row), row.is_failed_call());
    num_kept_ += row.kept.value_or(false);
  }

  TeacherRow ask(const Job& job) const {
    const ChatReply reply = teachers_[job.teacher]->ask(job.request);
    TeacherRow row = row_of(job);
    row.kind = to_string(reply.kind);
    row.http_status = reply.http_status;
    row.finish_reason = reply.finish_reason;
    row.model = reply.model;
    row.usage = reply.usage;
    row.num_attempts = reply.num_attempts;
    row.cached = reply.cached;
    row.error = reply.detail;
    if (reply.kind != CallKind::kReply) return row;
    if (!reply.refusal.empty() || reply.finish_reason == "content_filter") {
      row.kind = "refusal";
      row.error = reply.refusal.empty() ? "stopped by the provider's content filter" : reply.refusal;
    } else if (reply.content.find_first_not_of(" \t\r\n") == std::string::npos) {
      row.kind = "empty";
      row.error = "the reply is empty";
    } else {
      row.ok = true;
      row.text = reply.content;
    }
    return row;
  }

  void grade(const Problem& problem, TeacherRow& row) {
    const GradeRequest request{.problem = &problem, .sample = row.sample, .completion = row.text};
    const Verdict verdict = verifier_.grade({&request, 1}).at(0);
    row.outcome = to_string(verdict.outcome);
    row.label = verdict.is_infra() ? "" : std::string(to_string(verdict.label));
    row.kept = verdict.is_infra() ? std::nullopt : std::optional<bool>(verdict.passed());
  }

  TeachRun summarise(bool is_whole) const {
    TeachRun run;
    run.complete = is_whole;
    run.num_planned_calls = run.num_missing_calls = num_planned_;
    std::set<std::string> texts;
    for (const auto& teacher : teachers_) run.teachers.emplace_back().teacher = teacher->spec().text;
    const std::string pool_path = out_ + "/pool.jsonl";
    write_file(pool_path, "");
    JsonlWriter pool(pool_path);
    const int64_t per_problem = static_cast<int64_t>(teachers_.size()) * options_.samples;
    for (size_t i = 0; i < rows_->num_planned_so_far(); ++i) {
      const std::optional<Json> json = rows_->row(i);
      if (!json) continue;
      const TeacherRow row = parse_teacher_row(*json, rows_->path());
      --run.num_missing_calls;
      const int64_t number = static_cast<int64_t>(i) % per_problem / options_.samples;
      TeacherCount& teacher = run.teachers[static_cast<size_t>(number)];
      count(row, teacher);
      run.num_infra += row.outcome == "infra";
      if (!row.kept.value_or(false)) continue;
      ++run.num_kept;
      teacher.kept_distinct +=
          texts.insert(row_key(fmt::format("{} {}\n{}", number, to_string(row.problem_id), row.text))).second;
      Completion completion;
      completion.problem_id = row.problem_id;
      completion.sample = row.sample;
      completion.completion = row.text;
      completion.finish_reason = row.finish_reason;
      pool.write(to_json_line(completion));
    }
    run.failure = failure_of(run);
    return run;
  }

  static void count(const TeacherRow& row, TeacherCount& count) {
    ++count.attempted;
    if (!row.ok) {
      ++count.errors[row.kind];
      if (row.is_failed_call() || count.failed_calls == 0) count.last_error = row.error;
    } else {
      ++count.calls_ok;
      ++count.outcomes[row.outcome];
      if (row.kept) {
        ++count.graded;
        ++count.labels[row.label];
        count.kept += *row.kept;
      }
    }
    if (row.is_failed_call()) {
      ++count.failed_calls;
      return count.cost.add_failure(row.usage, row.kind, row.http_status);
    }
    count.prompt_tokens += row.usage.prompt_tokens.value_or(0);
    count.completion_tokens += row.usage.completion_tokens.value_or(0);
    count.cost.add_reply(row.usage, row.cached);
  }

  std::string failure_of(const TeachRun& run) const {
    std::string last;
    for (const TeacherCount& teacher : run.teachers) {
      if (!teacher.last_error.empty())
        last = fmt::format("; the last one of {}: {}", teacher.teacher, teacher.last_error);
    }
    if (rows_->failed_too_often()) return rows_->failure() + last;
    for (const TeacherCount& teacher : run.teachers) {
      if (!run.complete || teacher.attempted == 0 || teacher.calls_ok > 0) continue;
      return fmt::format("{} never answered in {} calls, so there is no keep rate: {}", teacher.teacher,
                         teacher.attempted, teacher.last_error);
    }
    return run.complete ? outages_of(run) : "";
  }

  /// Calls that failed though most did not: what they would have taught is not in the pool.
  static std::string outages_of(const TeachRun& run) {
    std::string text;
    for (const TeacherCount& teacher : run.teachers) {
      if (teacher.failed_calls == 0) continue;
      text += fmt::format("{}{} of {} calls of {} failed and are not in the pool: {}", text.empty() ? "" : "; ",
                          teacher.failed_calls, teacher.attempted, teacher.teacher, teacher.last_error);
    }
    return text;
  }

  const TeachOptions& options_;
  const std::vector<Problem>& problems_;
  Verifier& verifier_;
  const std::string out_;
  const std::unique_ptr<ReplyCache> cache_;
  const ChatClients teachers_;
  const std::string grader_;  ///< its settings
  const int64_t num_planned_;
  bool made_folder_ = false;
  std::unique_ptr<PlannedRows> rows_;
  int64_t next_ = 0;
  std::atomic<int64_t> num_kept_ = 0;
};

Json counts_json(const std::map<std::string, int64_t>& counts) {
  Json out = Json::object();
  for (const auto& [key, count] : counts) out[key] = count;
  return out;
}

Json count_json(const TeacherCount& count) {
  const std::optional<double> rate = count.keep_rate();
  return {{"schema", "teacher.v1"},
          {"teacher", count.teacher},
          {"attempted", count.attempted},
          {"calls_ok", count.calls_ok},
          {"graded", count.graded},
          {"kept", count.kept},
          {"kept_distinct", count.kept_distinct},
          {"keep_rate", or_null(rate)},
          {"failed_calls", count.failed_calls},
          {"errors", counts_json(count.errors)},
          {"outcomes", counts_json(count.outcomes)},
          {"labels", counts_json(count.labels)},
          {"prompt_tokens", count.prompt_tokens},
          {"completion_tokens", count.completion_tokens},
          {"cost_usd", or_null(count.cost.usd())},
          {"last_error", count.last_error.empty() ? Json(nullptr) : Json(count.last_error)}};
}

}  // namespace

std::optional<double> TeacherCount::keep_rate() const {
  if (graded == 0) return std::nullopt;
  return static_cast<double>(kept) / static_cast<double>(graded);
}

TeachRun teach_problems(const TeachOptions& options, const std::vector<Problem>& problems, Verifier& verifier,
                        std::map<std::string, std::string> settings, const std::string& out) {
  return Teaching(options, problems, verifier, std::move(settings), out).run();
}

Json to_json(const TeachRun& run) {
  Json out = {{"schema", "teachers.v1"},
              {"complete", run.complete},
              {"planned_calls", run.num_planned_calls},
              {"missing_calls", run.num_missing_calls},
              {"kept", run.num_kept}};
  out["teachers"] = Json::array();
  for (const TeacherCount& count : run.teachers) out["teachers"].push_back(count_json(count));
  out["failure"] = run.failure.empty() ? Json(nullptr) : Json(run.failure);
  return out;
}

std::string to_text(const TeachRun& run) {
  std::string text;
  if (!run.complete && run.num_missing_calls > 0) {
    text += fmt::format("unfinished: {} of {} planned calls have no row; run it again to go on\n",
                        run.num_missing_calls, run.num_planned_calls);
  }
  for (const TeacherCount& count : run.teachers) {
    const std::optional<double> rate = count.keep_rate();
    std::string line = fmt::format("{}: {} of {} graded completions kept{}; {} calls, {} without an answer",
                                   count.teacher, count.kept, count.graded, rate ? fmt::format(" ({:.3f})", *rate) : "",
                                   count.attempted, count.attempted - count.calls_ok);
    for (const auto& [kind, number] : count.errors) line += fmt::format(", {} {}", number, kind);
    for (const auto& [label, number] : count.labels) line += fmt::format(", {} {}", number, label);
    if (count.kept_distinct < count.kept) {
      line += fmt::format("; {} of the kept texts repeat another of their problem", count.kept - count.kept_distinct);
    }
    const std::optional<double> usd = count.cost.usd();
    line += usd ? fmt::format("; {:.4f} USD", *usd) : "; cost not known";
    text += escape_control(line) + "\n";
  }
  return text;
}

}  // namespace plumbline
