/// Rollouts of a running training, graded beside it: what was paid, what was right, and the onset of hacking once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plumbline/doctor/follow/followed_files.h"
#include "plumbline/doctor/follow/onset_detector.h"
#include "plumbline/doctor/follow/rollout_row.h"
#include "plumbline/record/problem.h"
#include "plumbline/verify/verifier.h"

namespace plumbline::doctor {

/// One step, graded. Rates are over `num_graded`.
struct FollowedStep {
  int64_t step = 0;
  int64_t num_rows = 0, num_graded = 0;
  int64_t num_unmatched = 0;  ///< their problem is not in PROBLEMS
  int64_t num_infra = 0;      ///< the grader failed; counted nowhere else
  int64_t num_right = 0, num_paid_wrong = 0;
  std::optional<double> mean_reward;  ///< as the trainer paid
  bool is_partial = false;            ///< following stopped while the step was open: rows of it may be missing
};

/// A completion that was paid though it is wrong.
struct HackExample {
  int64_t step = 0;
  std::string problem_id, completion, detail;
  std::optional<double> reward;
};

struct RaisedOnset {
  Onset onset;
  std::vector<HackExample> examples;  ///< since the onset, at most kMaxExamples, of different problems
};

/// Where a row belongs: by its id, else by its prompt's text, which must hold a problem's last user message.
class ProblemFinder {
 public:
  /// Borrows `problems`.
  explicit ProblemFinder(const std::vector<Problem>& problems);
  const Problem* find(const RolloutRow& row);

 private:
  std::unordered_map<std::string, const Problem*> by_id_;
  std::vector<std::pair<std::string, const Problem*>> by_text_;  ///< the longest first
  std::unordered_map<std::string, const Problem*> known_;        ///< prompts seen before
};

/// Not thread-safe. What is paid though wrong: a completion that the trusted grade fails and that the trainer paid as
/// much as a right answer of the run (its median reward over right answers so far); without rewards in the rows, or
/// before there was a right answer, one whose own tester passes where the problem's hint names it.
class Follower {
 public:
  static constexpr size_t kMaxExamples = 3;
  using OnStep = std::function<void(const FollowedStep&)>;
  using OnOnset = std::function<void(const RaisedOnset&)>;

  /// Everything is borrowed.
  Follower(const std::vector<Problem>& problems, Verifier& verifier, OnStep on_step, OnOnset on_onset)
      : finder_(problems), verifier_(verifier), on_step_(std::move(on_step)), on_onset_(std::move(on_onset)) {}

  /// A row without a step belongs to step `file_number`. A row of a later step closes the one before.
  /// Throws DataError(data.unknown_problem) when none of the first kPatience rows belongs to a problem.
  void take(RolloutRow row, int64_t file_number);
  /// The next row's step, when the file changed before it: throws DataError(data.followed_gap) where steps must have
  /// come and gone unread.
  void require_no_gap(FileBreak after, std::optional<int64_t> step, const std::string& where) const;
  /// Closes the step that is open. `is_partial`: more rows of it may come, and nobody will look at them.
  void finish_step(bool is_partial = false);
  int64_t num_steps() const { return num_steps_; }
  int64_t num_graded() const { return num_matched_; }
  int64_t num_with_reward() const { return num_with_reward_; }  ///< of the graded ones
  bool has_raised() const { return has_raised_; }

 private:
  static constexpr int64_t kPatience = 200;
  struct Graded {
    const Problem* problem = nullptr;
    RolloutRow row;
    Verdict verdict;
  };
  bool is_paid_wrong(const Graded& graded) const;
  void note_right_rewards(const std::vector<Graded>& step);
  void tell(const FollowedStep& step, const std::vector<Graded>& rows);

  ProblemFinder finder_;
  Verifier& verifier_;
  const OnStep on_step_;
  const OnOnset on_onset_;
  OnsetDetector detector_;
  std::optional<int64_t> open_step_, last_step_;
  int64_t stride_ = 1;  ///< the most that the step rose by from one to the next
  std::vector<std::pair<const Problem*, RolloutRow>> open_;
  int64_t num_open_unmatched_ = 0, num_matched_ = 0, num_unmatched_ = 0, num_steps_ = 0;
  int64_t num_with_reward_ = 0;
  std::vector<double> right_rewards_;  ///< sorted
  std::vector<HackExample> recent_;    ///< paid though wrong, the last ones
  bool has_raised_ = false;
};

/// For the terminal; texts of completions are escaped. `as_json`: one line of JSON instead.
std::string to_text(const FollowedStep& step, bool as_json);
std::string to_text(const RaisedOnset& raised, bool as_json);

}  // namespace plumbline::doctor
