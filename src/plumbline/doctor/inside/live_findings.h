/// Findings of a training while it runs, each raised once: `train` asks after every step.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plumbline/doctor/follow/onset_detector.h"

namespace plumbline::doctor {

/// What one step showed. Rates are shares of the completions that have a verdict.
struct LiveStep {
  int64_t step = 0;
  int64_t num_completions = 0, num_groups = 0;
  int64_t num_without_verdict = 0;  ///< by a failure of ours or of a judge
  double pass_rate = 0, hack_rate = 0, truncated_rate = 0;
  int64_t num_zero_spread_groups = 0;
};

struct LiveFinding {
  const char* id;        ///< docs/doctor/<id>.md
  const char* severity;  ///< "error", "warning"
  std::string text;      ///< its numbers and what to do, one line
};

/// Not thread-safe. A resumed training starts with a new one: its baseline is then the first steps after the resume.
class LiveFindings {
 public:
  /// reward_hacking_onset (OnsetDetector over groups, with the strict hack rate), dead_gradient (most groups have equal
  /// rewards in kDeadSteps steps on end, and the task is not simply solved), token_cap_suspected (most completions are
  /// cut in kCutSteps on end), judge_outage (more than kOutageShare of the completions of kOutageSteps have no verdict;
  /// only where `has_own_rewards`).
  explicit LiveFindings(bool has_own_rewards) : has_own_rewards_(has_own_rewards) {}
  std::vector<LiveFinding> take(const LiveStep& step);

  static constexpr int64_t kDeadSteps = 8, kCutSteps = 4, kOutageSteps = 4;
  static constexpr double kMostly = 0.5, kSolved = 0.9, kOutageShare = 0.02;

 private:
  void raise(const char* id, const char* severity, const std::string& text, std::vector<LiveFinding>& out);
  void look_for_onset(const LiveStep& step, std::vector<LiveFinding>& out);
  void look_at_rates(const LiveStep& step, std::vector<LiveFinding>& out);
  void look_for_outage(const LiveStep& step, std::vector<LiveFinding>& out);

  const bool has_own_rewards_;
  OnsetDetector onset_;
  std::set<std::string> raised_;
  int64_t num_dead_ = 0, num_cut_ = 0;  ///< steps on end
  std::vector<LiveStep> last_;
};

}  // namespace plumbline::doctor
