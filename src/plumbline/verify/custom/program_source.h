/// The two ways of talking to a reward's program.
///
/// Batch protocol (our own runners, descriptor 3): one line {"id", "rows": [...]} a call, one line {"id", "answers":
/// [...]} or {"id", "error"[, "final"]} back (final: not to be asked again); the first line is {"ready": true} or
/// {"error"}. Line protocol (any program): one line {"id", ...} a completion on standard input; one line {"id",
/// "reward", ...} back on standard output or on descriptor 3, in any order. Lines of standard output that are no answer
/// are chatter; ids are random, so that a completion that a program prints is never taken for its answer.
///
/// An answer is {"reward": finite number or null[, "passed": bool][, "detail": text]}, or {"error": text}.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumbline/verify/custom/reward_process.h"
#include "plumbline/verify/custom/reward_source.h"

namespace plumbline {

struct ProgramLimits {
  double call_s = 60;  ///< one call, or one answer
  double start_s = 300;
};

class BatchProgram : public RewardSource {
 public:
  /// Starts the program. `is_whole`: a call is not to be split.
  BatchProgram(std::vector<std::string> words, ProgramLimits limits, bool is_whole);
  std::vector<RewardAnswer> answer(std::span<const RewardQuestion> questions) override;
  bool may_split() const override { return !is_whole_; }

 private:
  void start();

  const std::vector<std::string> words_;
  const ProgramLimits limits_;
  const bool is_whole_;
  std::unique_ptr<RewardProcess> process_;
};

class LineProgram : public RewardSource {
 public:
  LineProgram(std::vector<std::string> words, ProgramLimits limits);
  std::vector<RewardAnswer> answer(std::span<const RewardQuestion> questions) override;
  bool may_split() const override { return true; }

 private:
  class Call;

  const std::vector<std::string> words_;
  const ProgramLimits limits_;
  std::unique_ptr<RewardProcess> process_;
  bool is_warm_ = false;  ///< it has answered since it was started
};

}  // namespace plumbline
