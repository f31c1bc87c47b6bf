#include "plumbline/rollout/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"
#include "plumbline/rollout/kv_cache.h"
#include "plumbline/rollout/sampler.h"

namespace plumbline {
namespace {

constexpr int64_t kSmallestBucket = 4;  // below it float32 matrix products round differently
constexpr int64_t kSpanTokens = 64;

int64_t bucket_of(int64_t num_rows) {
  int64_t bucket = kSmallestBucket;
  while (bucket < num_rows) bucket *= 2;
  return bucket;
}

int64_t round_up(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

/// One sequence that is being continued.
struct Sequence {
  size_t index;  ///< of its prompt
  int64_t next_position;
  CounterRng rng;
  Rollout rollout;
};

/// What a decode step brings to the host, in one transfer.
struct HostTokens {
  explicit HostTokens(const SampledTokens& tokens)
      : values(at::stack({tokens.ids_B.to(torch::kFloat64), tokens.logprobs_B.to(torch::kFloat64),
                          tokens.sampled_logprobs_B.to(torch::kFloat64), tokens.finite_B.to(torch::kFloat64)})
                   .cpu()) {}
  double at(int64_t kind, int64_t row) const { return values.const_data_ptr<double>()[kind * values.size(1) + row]; }
  torch::Tensor values;  ///< [4, B] float64
};

/// The last prompt that was prefilled: the samples of a group share it.
struct Prefix {
  std::vector<int64_t> token_ids;
  KvCache cache;
  torch::Tensor logits_1V;
};

/// One call of generate(): slots, cache and the loop over them.
class Generation {
 public:
  Generation(const Decoder& decoder, int64_t max_batch, std::span<const Prompt> prompts,
             const SamplingOptions& sampling, const std::function<void(size_t, const Rollout&)>& on_finished,
             const std::function<void(size_t, int64_t)>& on_token)
      : decoder_(decoder),
        max_active_(max_batch),
        prompts_(prompts),
        sampling_(sampling),
        on_finished_(on_finished),
        on_token_(on_token),
        results_(prompts.size()) {}

  std::vector<Rollout> run(const std::function<void(int64_t)>& on_tokens) {
    if (prompts_.empty()) return {};
    size_t longest = 0;
    for (const Prompt& prompt : prompts_) longest = std::max(longest, prompt.token_ids.size());
    const int64_t num_rows = bucket_of(std::min(max_active_, static_cast<int64_t>(prompts_.size())));
    const int64_t num_tokens = round_up(static_cast<int64_t>(longest) + sampling_.max_new_tokens, kSpanTokens);
    cache_.emplace(decoder_, num_rows, num_tokens);
    slots_.resize(static_cast<size_t>(num_rows));
    for (;;) {
      int64_t num_made = admit();
      if (num_active_ == 0 && next_prompt_ == prompts_.size()) {
        if (on_tokens && num_made > 0) on_tokens(num_made);
        return std::move(results_);
      }
      if (num_active_ > 0) {
        shrink();
        num_made += decode();
      }
      if (on_tokens) on_tokens(num_made);
    }
  }

 private:
  /// Fills free slots with waiting prompts and chooses each one's first token. Returns the number of tokens made.
  int64_t admit() {
    int64_t num_made = 0;
    while (num_active_ < max_active_ && next_prompt_ < prompts_.size()) num_made += start_group();
    return num_made;
  }

  /// The next prompt and those behind it that are the same, as many as have a slot: one prefill, one choice of tokens.
  int64_t start_group() {
    const Prompt& first = prompts_[next_prompt_];
    if (!prefix_ || prefix_->token_ids != first.token_ids) prefill(first);
    std::vector<int64_t> rows;
    std::vector<double> uniforms;
    for (size_t row = 0; row < slots_.size() && num_active_ < max_active_ && next_prompt_ < prompts_.size(); ++row) {
      const Prompt& prompt = prompts_[next_prompt_];
      if (prompt.token_ids != first.token_ids) break;
      if (slots_[row]) continue;
      const StreamKey key{sampling_.seed, Stream::kSampling, sampling_.step, prompt.prompt, prompt.sample};
      slots_[row] = Sequence{next_prompt_++, static_cast<int64_t>(prompt.token_ids.size()), CounterRng(key), {}};
      ++num_active_;
      rows.push_back(static_cast<int64_t>(row));
      uniforms.push_back(draw(*slots_[row]));
    }
    const auto num_rows = static_cast<int64_t>(rows.size());
    cache_->put_prefix(rows, prefix_->cache, static_cast<int64_t>(first.token_ids.size()));
    const torch::Tensor uniforms_B = torch::tensor(uniforms, torch::kFloat64).to(decoder_.device());
    const HostTokens tokens(sample_tokens(prefix_->logits_1V.expand({num_rows, -1}), uniforms_B, sampling_));
    for (int64_t i = 0; i < num_rows; ++i) take(static_cast<size_t>(rows[static_cast<size_t>(i)]), tokens, i);
    return num_rows;
  }

  /// Each prompt alone and at its own length, so that its numbers never depend on other prompts.
  void prefill(const Prompt& prompt) {
    const auto num_tokens = static_cast<int64_t>(prompt.token_ids.size());
    prefix_.reset();
    prefix_.emplace(Prefix{prompt.token_ids, KvCache(decoder_, 1, num_tokens), {}});
    const c10::InferenceMode inference;
    ForwardBatch batch;
    batch.ids_BT = torch::tensor(prompt.token_ids).unsqueeze(0).to(decoder_.device());
    batch.positions_BT = at::arange(num_tokens, batch.ids_BT.options()).unsqueeze(0);
    batch.cache = &prefix_->cache.layers();
    batch.cache_tokens = num_tokens;
    prefix_->logits_1V = decoder_.logits(decoder_.hidden(batch).select(1, num_tokens - 1));
  }

  double draw(Sequence& sequence) const { return sampling_.temperature == 0 ? 0.5 : sequence.rng.next_unit(); }

  /// One token for every active sequence. Idle rows compute something that nobody reads.
  int64_t decode() {
    const auto num_rows = static_cast<int64_t>(slots_.size());
    std::vector<int64_t> ids(slots_.size(), 0), positions(slots_.size(), 0);
    std::vector<double> uniforms(slots_.size(), 0.5);
    int64_t last_position = 0;
    for (size_t row = 0; row < slots_.size(); ++row) {
      if (!slots_[row]) continue;
      Sequence& sequence = *slots_[row];
      ids[row] = sequence.rollout.token_ids.back();
      positions[row] = sequence.next_position++;
      uniforms[row] = draw(sequence);
      last_position = std::max(last_position, positions[row]);
    }
    const HostTokens tokens = [&] {
      const c10::InferenceMode inference;
      ForwardBatch batch;
      batch.ids_BT = torch::tensor(ids).view({num_rows, 1}).to(decoder_.device());
      batch.positions_BT = torch::tensor(positions).view({num_rows, 1}).to(decoder_.device());
      batch.cache = &cache_->layers();
      batch.cache_tokens = std::min(round_up(last_position + 1, kSpanTokens), cache_->num_tokens());
      const torch::Tensor logits_BV = decoder_.logits(decoder_.hidden(batch).select(1, 0));
      return HostTokens(sample_tokens(logits_BV, torch::tensor(uniforms).to(decoder_.device()), sampling_));
    }();
    const int64_t num_made = num_active_;
    for (size_t row = 0; row < slots_.size(); ++row) {
      if (slots_[row]) take(row, tokens, static_cast<int64_t>(row));
    }
    return num_made;
  }

  /// Appends a chosen token to the sequence in `row` and ends it when it is time.
  void take(size_t row, const HostTokens& tokens, int64_t token_row) {
    Sequence& sequence = *slots_[row];
    Rollout& rollout = sequence.rollout;
    if (tokens.at(3, token_row) == 0) {
      const Prompt& prompt = prompts_[sequence.index];
      throw NumericError("numeric.logits", "the logits are not finite",
                         fmt::format("step {}, prompt {}, sample {}, token {}", sampling_.step, prompt.prompt,
                                     prompt.sample, rollout.token_ids.size()),
                         "look at the loss and the learning rate, or use float32");
    }
    const auto id = static_cast<int64_t>(tokens.at(0, token_row));
    rollout.token_ids.push_back(id);
    rollout.logprobs.push_back(static_cast<float>(tokens.at(1, token_row)));
    rollout.sampled_logprobs.push_back(static_cast<float>(tokens.at(2, token_row)));
    if (on_token_) on_token_(sequence.index, id);
    const bool stopped =
        std::find(sampling_.stop_ids.begin(), sampling_.stop_ids.end(), id) != sampling_.stop_ids.end();
    if (!stopped && static_cast<int64_t>(rollout.token_ids.size()) < sampling_.max_new_tokens) return;
    rollout.finish_reason = stopped ? FinishReason::kStop : FinishReason::kLength;
    const size_t index = sequence.index;
    results_[index] = std::move(rollout);
    slots_[row].reset();
    --num_active_;
    if (on_finished_) on_finished_(index, results_[index]);
  }

  /// When nobody waits and a smaller bucket suffices, the active rows move there.
  void shrink() {
    const int64_t bucket = bucket_of(num_active_);
    if (next_prompt_ < prompts_.size() || bucket >= static_cast<int64_t>(slots_.size())) return;
    std::vector<int64_t> rows;
    for (const bool active : {true, false}) {
      for (size_t row = 0; row < slots_.size() && static_cast<int64_t>(rows.size()) < bucket; ++row) {
        if (slots_[row].has_value() == active) rows.push_back(static_cast<int64_t>(row));
      }
    }
    std::vector<std::optional<Sequence>> kept;
    for (const int64_t row : rows) kept.push_back(std::move(slots_[static_cast<size_t>(row)]));
    cache_->keep_rows(rows);
    slots_ = std::move(kept);
  }

  const Decoder& decoder_;
  const int64_t max_active_;
  const std::span<const Prompt> prompts_;
  const SamplingOptions& sampling_;
  const std::function<void(size_t, const Rollout&)>& on_finished_;
  const std::function<void(size_t, int64_t)>& on_token_;
  std::vector<Rollout> results_;
  std::vector<std::optional<Sequence>> slots_;  ///< row of the batch -> its sequence, none where idle
  std::optional<KvCache> cache_;
  std::optional<Prefix> prefix_;
  size_t next_prompt_ = 0;
  int64_t num_active_ = 0;
};

}  // namespace

LocalEngine::LocalEngine(const Decoder& decoder, int64_t max_batch) : decoder_(decoder), max_batch_(max_batch) {
  PL_CHECK(max_batch >= 1, "a batch holds at least one sequence");
}

std::vector<Rollout> LocalEngine::generate(std::span<const Prompt> prompts, const SamplingOptions& sampling,
                                           const std::function<void(size_t, const Rollout&)>& on_finished,
                                           const std::function<void(int64_t)>& on_tokens) {
  check_sampling(sampling);
  for (const Prompt& prompt : prompts) {
    PL_CHECK(!prompt.token_ids.empty(), "a prompt has at least one token");
    const auto [smallest, largest] = std::minmax_element(prompt.token_ids.begin(), prompt.token_ids.end());
    PL_CHECK(*smallest >= 0 && *largest < decoder_.config().vocab_size, "a token id is outside the vocabulary");
  }
  const torch::NoGradGuard no_grad;
  return Generation(decoder_, max_batch_, prompts, sampling, on_finished, on_token_).run(on_tokens);
}

}  // namespace plumbline
