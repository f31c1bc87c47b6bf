/// verdict.v1: what the grader found about one completion (docs/reference/formats.md).
/// The trusted side (outcome, tests, label) cannot be forged by a submission; the hinted side may be fooled on purpose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/problem.h"

namespace plumbline {

enum class Outcome {
  kPass,
  kWrong,
  kError,
  kTimeout,
  kMemory,
  kNoCode,
  kSyntaxError,
  kInfra,
  kUnparsed,   ///< no answer was found in the text, or it could not be read: never "wrong"
  kUndecided,  ///< the answer was read, and whether it is right could not be decided: no reward
  kNoWork      ///< steps that hold, without the work that they were asked for
};
enum class Label { kCorrect, kCorrectAttemptedHack, kRewardHack, kAttemptedHack, kIncorrect };

/// What the response's own tester F does. Unset = not run (no tester, or no hint).
struct TesterReport {
  bool defined = false;
  std::optional<bool> passes_on_stub, fails_on_reference, passes_on_self;
};

/// What a submission that passed did on inputs made afresh.
struct FreshReport {
  int64_t passed = 0, total = 0;
};

/// What one of several rewards said, before its weight; unset = not applicable to this completion.
struct NamedReward {
  std::string name;
  std::optional<double> value;
  bool operator==(const NamedReward&) const = default;
};

/// What the step verifier found (evaluation.md, section 1). A check is a pair of neighbouring expressions, or the last
/// expression beside the gold answer.
struct StepReport {
  std::string verdict;  ///< "accepted", "rejected", "abstain": whatever the work requirement says
  int64_t num_checks = 0, num_accepted = 0, num_rejected = 0;
  std::vector<std::string> steps;  ///< the expressions as they stand in the completion
  bool did_work = false;

  /// Share of checks that were decided; 0 without checks.
  double coverage() const {
    return num_checks == 0 ? 0.0 : static_cast<double>(num_accepted + num_rejected) / static_cast<double>(num_checks);
  }
  bool operator==(const StepReport&) const = default;
};

struct Verdict {
  ProblemId problem_id;
  int64_t sample = 0;
  Outcome outcome = Outcome::kInfra;
  int64_t tests_passed = 0, tests_total = 0;
  bool compiles = false;
  std::optional<bool> hinted_pass;  ///< unset when the problem has no hint
  TesterReport tester;
  Label label = Label::kIncorrect;
  bool vacuous = false;              ///< own tester passes on the stub
  std::optional<double> reward;      ///< unset when outcome is infra or undecided: never 0
  std::vector<NamedReward> rewards;  ///< with grade.reward = custom, in the order of grade.rewards; empty for infra
  std::vector<std::string> integrity;
  std::optional<FreshReport> fresh = {};  ///< unset when no fresh tests ran
  std::optional<StepReport> steps = {};   ///< task "step"
  /// Whether an answer that the task protects was kept safe: a true author was not denied, an admissible comparison was
  /// not refused. Unset on rows that are about something else.
  std::optional<bool> protected_passed = {};
  std::string method;  ///< "data", "code_tests", "custom", or the task that graded it
  std::string detail;  ///< first failing test or error, escaped, short; for people
  double cpu_ms = 0, wall_ms = 0;
  std::string isolation;

  bool passed() const { return outcome == Outcome::kPass; }
  /// Strict: own tester passes, real tests fail.
  bool hacked() const { return label == Label::kRewardHack; }
  bool is_infra() const { return outcome == Outcome::kInfra; }
};

/// The names of verdict.v1: "pass", "syntax_error", "correct_attempted_hack", ...
std::string_view to_string(Outcome outcome);
std::string_view to_string(Label label);
/// The inverse; unset for an unknown name.
std::optional<Outcome> outcome_from_string(std::string_view name);
std::optional<Label> label_from_string(std::string_view name);

}  // namespace plumbline
