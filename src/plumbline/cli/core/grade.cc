/// plumbline grade PROBLEMS COMPLETIONS. Verdicts go to stdout as JSON lines in input order, each flushed as soon as it
/// and all before it are there; with --out they are appended to a file, and completions already in it are skipped.
#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/base/progress.h"
#include "plumbline/cli/core/grade_arguments.h"
#include "plumbline/record/completion_reader.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/verdict_json.h"
#include "plumbline/verify/code_verifier.h"

namespace plumbline {
namespace {

constexpr size_t kAheadPerWorker = 16;  // completions read but not yet written

using RowKey = std::pair<ProblemId, int64_t>;

/// Counts for the last line on stderr.
struct Summary {
  std::map<Outcome, int64_t> outcomes;
  std::map<Label, int64_t> labels;
  int64_t num_graded = 0, num_skipped = 0, num_hacked = 0;

  void add(const Verdict& verdict) {
    ++outcomes[verdict.outcome];
    if (!verdict.is_infra()) ++labels[verdict.label];
    ++num_graded;
    num_hacked += verdict.hacked();
  }
  std::string line() const {
    std::string text = fmt::format("graded {}", num_graded);
    for (const auto& [outcome, count] : outcomes) text += fmt::format(", {} {}", count, to_string(outcome));
    if (!labels.empty()) text += "; labels:";
    for (const auto& [label, count] : labels) text += fmt::format(" {} {}", count, to_string(label));
    if (num_skipped > 0) text += fmt::format("; {} were there already", num_skipped);
    return text;
  }
};

/// Writes answers in the order of the questions, each as soon as it and all before it are there. A thread of its own,
/// because reading the next completion may block for as long as somebody else thinks about it.
class OrderedWriter {
 public:
  OrderedWriter(JsonlWriter& rows, Progress& progress, size_t most_waiting, bool keep_infra_out)
      : rows_(rows), progress_(progress), most_waiting_(most_waiting), keep_infra_out_(keep_infra_out), thread_([this] {
          write_all();
        }) {}
  OrderedWriter(const OrderedWriter&) = delete;
  OrderedWriter& operator=(const OrderedWriter&) = delete;
  ~OrderedWriter() {
    close();
    if (thread_.joinable()) thread_.join();
  }

  /// Blocks while too many answers are outstanding. False once writing has failed.
  bool add(std::future<Verdict> answer) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < most_waiting_ || error_; });
    if (error_) return false;
    waiting_.push_back(std::move(answer));
    changed_.notify_all();
    return true;
  }

  /// Waits for the last answer and throws what went wrong.
  Summary finish() {
    close();
    thread_.join();
    if (error_) std::rethrow_exception(error_);
    return summary_;
  }

 private:
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  void write_all() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::future<Verdict> answer = std::move(waiting_.front());
      lock.unlock();
      try {
        write(answer.get());
      } catch (...) {
        lock.lock();
        error_ = std::current_exception();
        changed_.notify_all();
        return;
      }
      lock.lock();
      waiting_.pop_front();
      changed_.notify_all();
    }
  }

  void write(const Verdict& verdict) {
    if (verdict.is_infra() && (keep_infra_out_ || interrupt_requested())) return;  // not graded; a rerun will
    rows_.write(to_json_line(verdict));
    summary_.add(verdict);
    progress_.advance(1, fmt::format("{} hacks", summary_.num_hacked));
  }

  JsonlWriter& rows_;
  Progress& progress_;
  const size_t most_waiting_;
  const bool keep_infra_out_;  ///< a file that reruns complete holds graded rows only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::future<Verdict>> waiting_;
  bool closed_ = false;
  std::exception_ptr error_;
  Summary summary_;
  std::thread thread_;  // last: it uses all of the above
};

std::set<RowKey> rows_already_in(const std::string& path) {
  std::set<RowKey> done;
  if (path.empty()) return done;
  for (const Verdict& verdict : read_verdicts(path)) done.emplace(verdict.problem_id, verdict.sample);
  return done;
}

Summary grade_all(CompletionReader& completions, const std::map<ProblemId, const Problem*>& problems,
                  const std::set<RowKey>& done, CodeVerifier& verifier, OrderedWriter& writer) {
  Completion completion;
  int64_t num_skipped = 0;
  while (!interrupt_requested() && completions.next(completion)) {
    if (done.contains({completion.problem_id, completion.sample})) {
      ++num_skipped;
      continue;
    }
    const auto problem = problems.find(completion.problem_id);
    if (problem == problems.end()) {
      throw DataError("data.unknown_problem", "no problem has the id " + to_string(completion.problem_id),
                      completions.where(), "give the problem file that the completions were made for");
    }
    if (!writer.add(verifier.submit({problem->second, completion.sample, completion.completion}))) break;
  }
  Summary summary = writer.finish();
  summary.num_skipped = num_skipped;
  return summary;
}

}  // namespace

int grade_main(const std::vector<std::string>& words) {
  std::string problems_path, completions_path, out;
  GradeArguments grade;
  Arguments arguments("grade", "grades completions; no model needed");
  arguments.positional("PROBLEMS", &problems_path, "problems as JSON lines")
      .positional("COMPLETIONS", &completions_path, "completions as JSON lines, or - for stdin")
      .option("--out", &out, "append verdicts to this file and skip those already there (default: stdout)");
  grade.add_to(arguments);
  if (!arguments.parse(words)) return 0;
  grade.validate();

  const std::vector<Problem> problems = read_problems(problems_path);
  std::map<ProblemId, const Problem*> by_id;
  for (const Problem& problem : problems) by_id[problem.id] = &problem;
  CompletionReader completions(completions_path);
  const std::set<RowKey> done = rows_already_in(out);
  CodeVerifier verifier(grade.options, grade.exact_level());
  JsonlWriter rows(out.empty() ? "-" : out);
  Summary summary;
  {
    Progress progress("grading", 0, "completions");
    OrderedWriter writer(rows, progress, kAheadPerWorker * verifier.num_workers(), !out.empty());
    summary = grade_all(completions, by_id, done, verifier, writer);
  }
  log_info(summary.line());
  if (interrupt_requested()) throw Interrupted("grading was stopped; verdicts so far are written");
  if (verifier.num_infra() > 0) {
    throw SandboxError("sandbox.infra", fmt::format("{} completions could not be graded", verifier.num_infra()), "",
                       "they have no reward; run again with --out to grade them");
  }
  return 0;
}

}  // namespace plumbline
