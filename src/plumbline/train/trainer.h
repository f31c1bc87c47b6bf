/// Reinforcement learning with verifiable rewards on an SVD adapter. One step is a list of phases:
/// sample, grade, estimate_advantages, accumulate_gradients, transform_gradients, step_optimizer, record.
/// Source: Dr. GRPO (arXiv 2503.20783). Ours: one inner step, exactly on-policy (the merged weights that sampled are
/// the weights that are scored), and a gradient transform between accumulation and the optimizer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/model/decoder.h"
#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/text/model_text.h"
#include "plumbline/train/advantage.h"
#include "plumbline/train/checkpoint.h"
#include "plumbline/train/policy_update.h"
#include "plumbline/train/problem_order.h"
#include "plumbline/train/recorder.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// What the trainer works with; everything is borrowed and outlives it.
struct TrainerParts {
  Decoder& decoder;
  SvdAdapter& adapter;
  RolloutEngine& engine;
  Verifier& verifier;
  GradientTransform& transform;
  const ModelText& text;
  RunRecorder& recorder;
};

struct TrainerOptions {
  TrainOptions train;
  RolloutOptions rollout;
  RunOptions run;
  uint64_t order_seed = 0;                     ///< data.order_seed
  int64_t evaluate_every = 0;                  ///< steps; 0 = never; step 0 is included
  std::string checkpoints_folder;              ///< RUN/checkpoints
  std::vector<std::string> reward_names = {};  ///< of grade.rewards, for the columns that show them
  std::string resume_hint;                     ///< how to go on after Ctrl-C, as a user would type it
};

/// What to do with a completion that ran into max_new_tokens.
enum class TruncatedPolicy {
  kKeep,        ///< like any other
  kMask,        ///< out of the loss; its reward stays in the group's mean, the denominator stays
  kZeroReward,  ///< its reward is 0
};

/// Evaluates the weights as merged now; `step` updates have been made. May merge nothing and change no delta.
using EvaluationCallback = std::function<void(int64_t step)>;
using StepObserver = std::function<void(const StepRow& row)>;

/// Not thread-safe. Random numbers are counter-based: sampling (run.seed, step, prompt, sample), merging (run.seed,
/// weight version), problem order (order_seed, epoch); there is no random state to save.
class Trainer {
 public:
  /// `problems`: hints already applied. Renders every prompt once; problems whose prompt and max_new_tokens do not fit
  /// into context_tokens are left out and counted. Merges weight version 0.
  /// Throws ConfigError: config.not_supported (an option that is not built), config.group_size, config.temperature,
  /// config.not_allowed, config.no_problems; DataError(data.empty_prompt).
  Trainer(const TrainerParts& parts, std::vector<Problem> problems, TrainerOptions options);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  void set_evaluation(EvaluationCallback evaluate) { evaluate_ = std::move(evaluate); }
  /// Called with every finished step, after its line on the console.
  void set_observer(StepObserver observer) { observer_ = std::move(observer); }

  /// Puts a verified checkpoint in place. The recorder was opened for the same step.
  /// Throws DataError(data.checkpoint) when its seed or, after merging, its weight hash differs; and what
  /// SvdAdapter::load throws.
  void resume(const Checkpoint& checkpoint);

  /// Trains up to train.steps, evaluates and saves as configured, and saves at the end. On Ctrl-C the step in progress
  /// is given up, a checkpoint of the last whole step is written and Interrupted is thrown.
  void train();

  /// One step, counted from 1; `step` must be steps_done() + 1.
  /// Throws NumericError (a reward, logits or gradients that are not finite), SandboxError(sandbox.no_verdicts) when
  /// more than half of the completions could not be graded.
  StepRow run_step(int64_t step);

  int64_t steps_done() const { return state_.step; }
  int64_t num_prompts_over_context() const { return num_over_context_; }
  /// Writes a checkpoint of the last whole step; returns its folder.
  std::string save();

 private:
  struct PreparedProblem;
  struct StepWork;

  void prepare(std::vector<Problem> problems);
  void sample(StepWork& work);
  void grade(StepWork& work);
  void estimate_advantages(StepWork& work);
  void accumulate_gradients(StepWork& work);
  void record(StepWork& work);
  void draw_prompts(StepWork& work);
  bool is_masked(const Rollout& rollout) const;
  RolloutRow rollout_row(const StepWork& work, size_t index) const;
  void loop();
  bool is_checkpoint_due() const;
  void report(const StepRow& row);

  TrainerParts parts_;
  TrainerOptions options_;
  LossKind loss_kind_;
  TruncatedPolicy truncated_;
  std::vector<PreparedProblem> problems_;
  int64_t num_over_context_ = 0;
  std::vector<int64_t> stop_ids_;
  EvaluationCallback evaluate_;
  StepObserver observer_;
  PolicyUpdate update_;
  std::optional<ProblemOrder> order_;
  TrainerState state_;
  std::optional<int64_t> saved_step_;
  int64_t first_step_ = 0;  ///< of this process, for the time left
  double started_s_ = 0;
};

}  // namespace plumbline
