/// Where one reward's values come from: a user's function, program or endpoint.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/preset/options.h"
#include "plumbline/preset/reward_spec.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// One completion as a reward sees it: a JSON object's members, without its braces and without "id". Copies share it.
struct RewardQuestion {
  std::shared_ptr<const std::string> members;
};

/// `"problem_id", "sample", "prompt", "completion", "token_ids", "row"`; the prompt in the form it has in the row
/// (string or messages), token_ids null when unknown, row the problem's row as it stands in the file ({} when the
/// reader did not keep it).
RewardQuestion make_question(const GradeRequest& request);

/// What came back for one completion.
struct RewardAnswer {
  bool failed = false;               ///< no answer: infra
  bool may_pass_later = false;       ///< failed, and worth another try
  std::optional<double> value = {};  ///< finite; unset and not failed = not applicable
  std::optional<bool> passed = {};   ///< what the program says of a problem without tests
  std::string detail = {};           ///< why it failed, or what the program wants people to read; escaped
  double wall_ms = 0;                ///< its share of the call
};

/// One worker's connection to a reward. Not thread-safe.
class RewardSource {
 public:
  virtual ~RewardSource() = default;
  /// One call; answer i belongs to question i. Blocks. Throws SandboxError(sandbox.reward_program) when the program
  /// cannot be started.
  virtual std::vector<RewardAnswer> answer(std::span<const RewardQuestion> questions) = 0;
  /// Whether questions that failed together may pass when asked one by one. False where a call is a whole: its values
  /// may depend on each other.
  virtual bool may_split() const = 0;
};

/// The words by which `plumbline` is asked to be the program behind an endpoint (cli/core/reward_endpoint.h) and behind
/// a judge (cli/core/reward_judge.h).
inline constexpr const char* kRewardEndpointWord = "reward-endpoint";
inline constexpr const char* kRewardJudgeWord = "reward-judge";

/// Starts the program of a function or an endpoint and waits until it is ready; a command starts with its first
/// question. Throws SandboxError(sandbox.reward_program) with the program's last words, RemoteError(remote.preflight)
/// for a judge that cannot be asked. `spec` is no scheme.
std::unique_ptr<RewardSource> make_reward_source(const RewardSpec& spec, const GradeOptions& options);

}  // namespace plumbline
