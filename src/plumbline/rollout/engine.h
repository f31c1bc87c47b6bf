/// Prompts in, token ids out. In process today; a server can implement the same seam.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/model/decoder.h"

namespace plumbline {

/// How tokens are chosen. temperature 0 = greedy. Truncated sampling (top_p < 1, top_k > 0) renormalises.
struct SamplingOptions {
  double temperature = 1.0;
  double top_p = 1.0;
  int64_t top_k = 0;
  int64_t max_new_tokens = 256;
  std::vector<int64_t> stop_ids;
  uint64_t seed = 0;  ///< with `step`, `prompt` and `sample`: the key of the sequence's own random stream
  uint32_t step = 0;
};

/// One sequence to continue. (prompt, sample) name its random stream, so that its random numbers never depend on what
/// else is in the batch.
struct Prompt {
  std::vector<int64_t> token_ids;
  uint32_t prompt = 0;
  uint32_t sample = 0;
};

enum class FinishReason { kStop, kLength };

/// A finished sequence. `token_ids` holds the completion only, with the stop token when there is one.
struct Rollout {
  std::vector<int64_t> token_ids;
  std::vector<float> logprobs;  ///< of each token under softmax(logits / temperature), untruncated; T = 1 if greedy
  std::vector<float> sampled_logprobs;  ///< under the distribution actually drawn from; equal without truncation
  FinishReason finish_reason = FinishReason::kLength;
};

class RolloutEngine {
 public:
  virtual ~RolloutEngine() = default;
  /// Result i belongs to prompt i. `on_finished(i, rollout)` (optional) as sequences end, so that grading can overlap
  /// decoding; `on_tokens(count)` (optional) after every decode step with the number of tokens made.
  /// What a callback throws ends the call. Prompts must not be empty and their ids must be in the vocabulary
  /// (PL_CHECK). Throws NumericError(numeric.logits) on non-finite logits, naming the sequence;
  /// ConfigError(config.out_of_range) for sampling options without a meaning.
  virtual std::vector<Rollout> generate(std::span<const Prompt> prompts, const SamplingOptions& sampling,
                                        const std::function<void(size_t, const Rollout&)>& on_finished = {},
                                        const std::function<void(int64_t)>& on_tokens = {}) = 0;
};

/// The in-process engine over a Decoder with whatever weights it holds now. Every prompt is prefilled alone, equal ones
/// that follow each other once; decode runs in batches padded to fixed buckets (4, 8, 16, ...), over attention spans
/// padded to multiples of 64, so that a row's logits do not depend on its company. A sequence that ends makes room for
/// a waiting one, or, when none waits, for a smaller bucket. Not thread-safe.
class LocalEngine : public RolloutEngine {
 public:
  /// `decoder` is borrowed. `max_batch` sequences decode together; more wait.
  LocalEngine(const Decoder& decoder, int64_t max_batch);
  std::vector<Rollout> generate(std::span<const Prompt> prompts, const SamplingOptions& sampling,
                                const std::function<void(size_t, const Rollout&)>& on_finished = {},
                                const std::function<void(int64_t)>& on_tokens = {}) override;
  /// Called with (prompt index, token id) as each token is chosen, the stop token included. For streaming.
  void watch_tokens(std::function<void(size_t, int64_t)> on_token) { on_token_ = std::move(on_token); }

 private:
  const Decoder& decoder_;
  int64_t max_batch_;
  std::function<void(size_t, int64_t)> on_token_;
};

}  // namespace plumbline
