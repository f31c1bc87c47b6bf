/// `grade.reward = "custom"`: the weighted sum of several rewards, beside the trusted grade of code problems.
#pragma once

#include <memory>
#include <vector>

#include "plumbline/preset/options.h"
#include "plumbline/preset/reward_spec.h"
#include "plumbline/verify/custom/reward_pool.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// reward = sum over the rewards that apply of weight x value; the weights are not renormalised when some do not apply
/// (as TRL does). When none applies there is no reward (infra). A code problem keeps the trusted grade's outcome, label
/// and everything else, whatever the rewards say; a problem of another kind passes when every program that says
/// "passed" says true, or, when none says it, when the reward is at least grade.pass_reward.
/// Thread-safe.
class CustomVerifier : public Verifier {
 public:
  /// `code` grades code problems (null when there are none) under any scheme. Starts every reward's first program.
  /// Throws ConfigError as parse_rewards does, SandboxError(sandbox.reward_program).
  CustomVerifier(const GradeOptions& options, std::unique_ptr<Verifier> code);
  ~CustomVerifier() override;

  void submit(GradeRequest request, OnAnswer on_answer) override;
  void flush() override;
  size_t capacity() const override;

 private:
  class Pending;

  const GradeOptions options_;
  const std::vector<RewardSpec> specs_;
  std::unique_ptr<Verifier> code_;
  std::vector<std::unique_ptr<RewardPool>> pools_;  ///< one a spec; null for schemes
};

}  // namespace plumbline
