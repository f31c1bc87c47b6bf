/// Where `grade` writes its verdicts: in input order, or each as it is made; and what it says at the end.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/base/progress.h"
#include "plumbline/record/completion.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// Mean and spread of one named reward.
struct RewardStatistics {
  std::string name;
  int64_t num_values = 0, num_not_applicable = 0;
  double mean = 0, sum_of_squares = 0;  ///< of deviations from the mean

  void add(const std::optional<double>& value);
  std::string text() const;
};

/// Counts for the last lines on stderr.
struct GradeSummary {
  std::map<Outcome, int64_t> outcomes;
  std::map<Label, int64_t> labels;
  int64_t num_written = 0, num_skipped = 0, num_hacked = 0, num_infra = 0;
  std::vector<RewardStatistics> rewards;

  void add(const Verdict& verdict);
  std::vector<std::string> lines() const;
};

enum class AnswerOrder {
  kInput,      ///< for files: the same bytes whoever was quicker
  kAsTheyCome  ///< for streams: nobody waits for a slower neighbour
};

/// Thread-safe towards the verifier's workers; begin() and finish() belong to one thread.
class GradeOutput {
 public:
  /// `keep_infra_out`: rows that could not be graded are left out, so that a rerun grades them. Everything is borrowed.
  GradeOutput(JsonlWriter& rows, Progress& progress, Verifier& verifier, AnswerOrder order, bool keep_infra_out);
  /// Waits for what is outstanding.
  ~GradeOutput();
  GradeOutput(const GradeOutput&) = delete;
  GradeOutput& operator=(const GradeOutput&) = delete;

  /// Hands one completion to the verifier. Blocks while too many answers are outstanding. False once grading or
  /// writing has failed.
  bool grade(const Problem& problem, Completion completion);
  bool has_failed();
  /// Waits for the last answer and throws what went wrong.
  GradeSummary finish();

 private:
  struct Slot {
    GradeAnswer answer;
    std::optional<ProblemId> request_id;
  };
  void take(int64_t number, Slot slot);
  void write(const Slot& slot);
  void fail(std::exception_ptr error);
  void wait_for_answers();

  JsonlWriter& rows_;
  Progress& progress_;
  Verifier& verifier_;
  const AnswerOrder order_;
  const bool keep_infra_out_;
  const int64_t most_outstanding_;
  std::atomic<bool> abandoned_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int64_t, Slot> waiting_;  ///< answered before their turn
  int64_t num_asked_ = 0, num_answered_ = 0, next_ = 0;
  std::exception_ptr error_;
  GradeSummary summary_;
};

}  // namespace plumbline
