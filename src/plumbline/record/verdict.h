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

enum class Outcome { kPass, kWrong, kError, kTimeout, kMemory, kNoCode, kSyntaxError, kInfra };
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
  std::optional<double> reward;      ///< unset when outcome is infra: never 0
  std::vector<NamedReward> rewards;  ///< with grade.reward = custom, in the order of grade.rewards; empty for infra
  std::vector<std::string> integrity;
  std::optional<FreshReport> fresh = {};  ///< unset when no fresh tests ran
  std::string method;                     ///< "data", "code_tests" or "custom"
  std::string detail;                     ///< first failing test or error, escaped, short; for people
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
