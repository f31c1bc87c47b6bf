/// From completions with advantages to new adapter values: accumulate, transform, step. Exactly on-policy: the old
/// log-probabilities are the policy's own, detached, on the merged weights that sampled, so every ratio is 1.
/// The KL reference is the same decoder with the adapter disabled.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/adapter/adapter.h"
#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/model/decoder.h"
#include "plumbline/preset/options.h"
#include "plumbline/train/adamw.h"
#include "plumbline/train/batch.h"
#include "plumbline/train/policy_loss.h"

namespace plumbline {

/// A completion that counts in the loss. Everything is borrowed. `sampler_logprobs` may be empty (unknown).
struct LearningRow {
  std::span<const int64_t> prompt_ids, completion_ids;
  std::span<const float> sampler_logprobs;
  double advantage = 0;  ///< of every token; REINFORCE++: the reward, from which this makes the tokens' own
  double weight = 1;     ///< of every token in the loss (loss_weight.h)
};

/// What one update did.
struct UpdateMetrics {
  LossSums loss;
  double entropy_sum = 0;   ///< nats, over loss.num_tokens
  double mismatch_sum = 0;  ///< |sampler - trainer| log-probability, over num_compared tokens
  double mismatch_max = 0;
  int64_t num_compared = 0;
  double grad_norm = 0;        ///< before the transform
  double grad_norm_after = 0;  ///< after the transform, before the clip
  double clip = 1;             ///< coefficient
  double lr = 0;
  bool applied = false;                     ///< false: the gradient was not finite and nothing changed
  std::optional<double> residual;           ///< of merging in adapter coordinates; unset for exact dtypes
  std::map<std::string, double> transform;  ///< what the GradientTransform reports

  double mean_entropy() const;
  std::optional<double> mean_mismatch() const;
};

/// Borrows all its parts; owns optimizer state and the gradients between phases. Keeps the weights of version v (v
/// updates made) merged between calls. Not thread-safe.
class PolicyUpdate {
 public:
  /// `between_units` (optional) runs between micro-batches and may throw to give the step up; put_weights(version) then
  /// restores a whole state.
  PolicyUpdate(Decoder& decoder, Adapter& adapter, GradientTransform& transform, const TrainOptions& train,
               const RolloutOptions& rollout, const RunOptions& run, std::function<void()> between_units = {});

  /// Merges the current parameters as weight version `version`; the rounding is seeded by (run.seed, version).
  void put_weights(int64_t version);

  /// Starts an update, on the weights that put_weights() merged. Without rows the gradient is exactly 0 and the step is
  /// still a step.
  void accumulate_gradients(std::span<const LearningRow> rows);
  /// Starts a supervised update: of the loss -sum over tokens of weight * logprob, in nats. Advantages are not looked
  /// at; there is no ratio, no clipping and no reference. Without rows as above.
  void accumulate_supervised(std::span<const LearningRow> rows);
  /// Gradient of the mean negative log-likelihood (a mean over each completion's tokens, then over completions) of
  /// `first` minus that of `second`, by parameter, on the weights in place. Leaves no trace in the update.
  TensorMap contrast_gradient(std::span<const LearningRow> first, std::span<const LearningRow> second);
  /// Throws NumericError(numeric.gradient) after several non-finite gradients in a row, NumericError(numeric.transform)
  /// when the transform makes one from a finite one.
  void transform_gradients(int64_t version);
  /// Clips, updates the parameters, merges version + 1.
  void step_optimizer(int64_t version);

  const UpdateMetrics& metrics() const { return metrics_; }
  /// float32, by parameter; valid from accumulate_gradients on.
  const TensorMap& gradients() const { return gradients_; }
  AdamW& optimizer() { return optimizer_; }
  NonFiniteGuard& guard() { return guard_; }

 private:
  torch::Tensor logprobs(const torch::Tensor& hidden_ND, const MicroBatch& batch) const;
  std::vector<torch::Tensor> logprobs_without_gradient(const std::vector<MicroBatch>& batches);
  std::vector<torch::Tensor> reference_logprobs(const std::vector<MicroBatch>& batches);
  std::vector<torch::Tensor> token_advantages(const std::vector<MicroBatch>& batches, std::span<const LearningRow> rows,
                                              const std::vector<torch::Tensor>& references);
  void compare_with_sampler(const MicroBatch& batch, const torch::Tensor& logprob_N, std::span<const LearningRow> rows);
  /// Clears what an earlier update left; true when there is nothing to learn from and the gradient is exactly 0.
  bool begin_update(std::span<const LearningRow> rows);
  std::vector<MicroBatch> micro_batches(std::span<const LearningRow> rows) const;
  void add_entropy(const torch::Tensor& hidden_ND);

  Decoder& decoder_;
  Adapter& adapter_;
  GradientTransform& transform_;
  const TrainOptions train_;
  const double temperature_;
  const uint64_t seed_;
  const int64_t micro_batch_;
  const LossKind loss_kind_;
  const LossOptions loss_options_;
  const std::function<void()> between_units_;
  AdamW optimizer_;
  NonFiniteGuard guard_;
  TensorMap gradients_;
  UpdateMetrics metrics_;
};

}  // namespace plumbline
