/// Reinforcement learning with verifiable rewards on an SVD adapter. One step is a list of phases:
/// sample, grade, estimate_advantages, accumulate_gradients, transform_gradients, step_optimizer, record.
/// Source: Dr. GRPO (arXiv 2503.20783). Ours: one inner step, exactly on-policy (the merged weights that sampled are
/// the weights that are scored), and a gradient transform between accumulation and the optimizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/record/completion.h"
#include "plumbline/record/problem.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/text/model_text.h"
#include "plumbline/train/advantage.h"
#include "plumbline/train/problem_order.h"
#include "plumbline/train/reward_transform.h"
#include "plumbline/train/training_run.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// What the trainer works with; everything is borrowed and outlives it.
struct TrainerParts {
  Decoder& decoder;
  Adapter& adapter;
  RolloutEngine& engine;
  Verifier& verifier;
  GradientTransform& transform;
  const ModelText& text;
  RunRecorder& recorder;
  const RewardTransform* monitor = nullptr;  ///< null: rewards are used as they were given
};

/// What to do with a completion that ran into max_new_tokens.
enum class TruncatedPolicy {
  kKeep,        ///< like any other
  kMask,        ///< out of the loss; its reward stays in the group's mean, the denominator stays
  kZeroReward,  ///< its reward is 0
};

/// Not thread-safe. Random numbers are counter-based: sampling (run.seed, step, prompt, sample), merging (run.seed,
/// weight version), problem order (order_seed, epoch), what is taken from the pool (run.seed, step, prompt, sample);
/// there is no random state to save.
class Trainer final : public TrainingRun {
 public:
  /// `problems`: hints already applied; `pool`: stored completions for train.teacher_mix, a share of every group whose
  /// problem has some. Renders every prompt once; problems whose prompt and max_new_tokens do not fit
  /// into context_tokens are left out and counted. Merges weight version 0.
  /// Throws ConfigError: config.not_supported (an option that is not built), config.group_size, config.temperature,
  /// config.not_allowed, config.no_problems; DataError(data.empty_prompt).
  Trainer(const TrainerParts& parts, std::vector<Problem> problems, TrainerOptions options,
          const std::vector<Completion>& pool = {});
  ~Trainer() override;

  /// Throws NumericError (a reward, logits or gradients that are not finite), SandboxError(sandbox.no_verdicts) when
  /// more than half of the completions could not be graded.
  StepRow run_step(int64_t step) override;

 protected:
  std::string console_heading() const override;
  std::string console_row(const StepRow& row, double eta_s) const override;

 private:
  struct PreparedProblem;
  struct StepWork;

  void prepare(std::vector<Problem> problems);
  void add_pool(const std::vector<Completion>& pool);
  void draw_groups(StepWork& work, int64_t count);
  void sample(StepWork& work);
  void take_from_pool(StepWork& work, size_t begin);
  void grade(StepWork& work);
  void sample_and_grade(StepWork& work);
  void resample(StepWork& work);
  void apply_monitor(StepWork& work);
  void estimate_advantages(StepWork& work);
  void measure_alignment(StepWork& work);
  void accumulate_gradients(StepWork& work);
  void record(StepWork& work);
  int64_t group_id(const StepWork& work, size_t index) const;
  std::vector<RewardRow> reward_rows(const StepWork& work) const;
  bool is_masked(const Rollout& rollout) const;
  RolloutRow rollout_row(const StepWork& work, size_t index) const;

  TrainerParts parts_;
  LossKind loss_kind_;
  TruncatedPolicy truncated_;
  std::vector<PreparedProblem> problems_;
  std::vector<int64_t> stop_ids_;
  std::optional<ProblemOrder> order_;
};

}  // namespace plumbline
