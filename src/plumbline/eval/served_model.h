/// A model behind an OpenAI-compatible endpoint as the candidate of an evaluation. It is asked by a `plumbline` process
/// (the engine has no HTTP), whose words and lines are internal.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plumbline/record/problem.h"
#include "plumbline/verify/custom/reward_process.h"

namespace plumbline {

/// First word of that process (cli/core/served_candidate.h). After the pre-flight it says {"ready": true}; a request is
/// {"id", "messages", "draw"}, its answer {"id", "content", "finish_reason", "num_tokens"} or {"id", "error"}.
inline constexpr const char* kServedCandidateWord = "served-candidate";

struct ServedQuestion {
  std::vector<Message> messages;
  int64_t draw = 0;  ///< tells samples of one problem apart
};

struct ServedAnswer {
  std::string error;  ///< why there is no completion; nothing else counts then
  std::string completion;
  std::string finish_reason;  ///< "stop", "length", or what else the server says; empty: nothing
  int64_t num_tokens = 0;     ///< as the server counts them; 0 when it does not say
};

/// Not thread-safe.
class ServedModel {
 public:
  /// `spec`: provider:model[@base_url]. One small call is made at once. Throws RemoteError(remote.preflight) in the
  /// provider's own words, SandboxError(sandbox.served_model) when the process cannot be started.
  ServedModel(const std::string& spec, int64_t max_new_tokens, double temperature);

  /// Asks everything, a few at a time; `on_answer` gets the index of a question and its answer, in any order, on this
  /// thread. A call that fails after all attempts is an answer with an error. Throws RemoteError(remote.candidate)
  /// when more than a fiftieth have failed, so that a dead server is not asked a thousand times; Interrupted;
  /// SandboxError(sandbox.served_model) when the process ends.
  void ask(std::span<const ServedQuestion> questions,
           const std::function<void(size_t, const ServedAnswer&)>& on_answer);

 private:
  const std::string spec_;
  std::unique_ptr<RewardProcess> process_;
};

}  // namespace plumbline
