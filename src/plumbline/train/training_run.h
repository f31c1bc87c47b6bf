/// What every training run is, whatever its steps do: a loop over whole steps, evaluations between them, checkpoints
/// that continue bit for bit, and an end that can be resumed. What a step does is a derived class's: trainer.h
/// (reinforcement learning), supervised_trainer.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/adapter/adapter.h"
#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/base/clock.h"
#include "plumbline/model/decoder.h"
#include "plumbline/preset/options.h"
#include "plumbline/train/checkpoint.h"
#include "plumbline/train/policy_update.h"
#include "plumbline/train/recorder.h"
#include "plumbline/train/stop_rule.h"

namespace plumbline {

/// What every run works with; everything is borrowed and outlives it.
struct RunParts {
  Decoder& decoder;
  Adapter& adapter;
  GradientTransform& transform;
  RunRecorder& recorder;
};

struct TrainerOptions {
  TrainOptions train;
  RolloutOptions rollout;
  RunOptions run;
  uint64_t order_seed = 0;                     ///< data.order_seed
  int64_t evaluate_every = 0;                  ///< steps; 0 = never; step 0 is included
  int64_t alignment_every = 0;                 ///< steer.alignment_every
  bool alignment_by_vacuous = false;           ///< probe.hack_rate = "vacuous": which completions count as hacks
  std::string checkpoints_folder;              ///< RUN/checkpoints
  std::vector<std::string> reward_names = {};  ///< of grade.rewards, for the columns that show them
  std::string resume_hint;                     ///< how to go on after Ctrl-C, as a user would type it
};

/// Evaluates the weights as merged now; `step` updates have been made. May merge nothing and change no delta.
using EvaluationCallback = std::function<void(int64_t step)>;
using StepObserver = std::function<void(const StepRow& row)>;

/// Throws Interrupted once Ctrl-C was pressed: the step in progress is given up.
void stop_if_interrupted();

/// Runs a phase and adds its time.
template <typename Phase>
void timed(double& seconds, Phase&& phase) {
  const double start_s = now_s();
  phase();
  seconds += now_s() - start_s;
}

/// Not thread-safe. There is no random state to save: every stream is a function of seeds, step and place.
class TrainingRun {
 public:
  virtual ~TrainingRun() = default;
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  void set_evaluation(EvaluationCallback evaluate) { evaluate_ = std::move(evaluate); }
  /// Called with every finished step, after its line on the console.
  void set_observer(StepObserver observer) { observer_ = std::move(observer); }

  /// Puts a verified checkpoint in place. The recorder was opened for the same step.
  /// Throws DataError(data.checkpoint) when its seed or, after merging, its weight hash differs; and what
  /// Adapter::load throws.
  void resume(const Checkpoint& checkpoint);

  /// Trains up to train.steps or until a rule of train.stop_when holds, evaluates and saves as configured, and saves at
  /// the end. On Ctrl-C the step in progress is given up, a checkpoint of the last whole step is written and
  /// Interrupted is thrown.
  void train();

  /// One step, counted from 1; `step` must be steps_done() + 1. It counts once its rows are written; what is thrown
  /// before leaves the state of the step before.
  virtual StepRow run_step(int64_t step) = 0;

  int64_t steps_done() const { return state_.step; }
  /// The rule of train.stop_when that ended the run; empty = none.
  const std::string& stopped_by() const { return state_.stopped_by; }
  /// Problems or examples of the whole run that are left out, because they do not fit context_tokens.
  int64_t num_over_context() const { return num_over_context_; }
  /// Writes a checkpoint of the last whole step; returns its folder.
  std::string save();

 protected:
  /// `update_rollout`: its temperature divides the logits of every log-probability.
  TrainingRun(const RunParts& parts, TrainerOptions options, const RolloutOptions& update_rollout);

  /// What the console shows before the first step and of each; `eta_s` < 0 hides the time left.
  virtual std::string console_heading() const = 0;
  virtual std::string console_row(const StepRow& row, double eta_s) const = 0;
  /// Notes onset and stop rules, writes the rows, then makes the step count.
  void finish_step(StepRow& row, std::span<const RolloutRow> rollouts, int64_t next_cursor);
  const TrainerState& state() const { return state_; }

  TrainerOptions options_;
  PolicyUpdate update_;
  int64_t num_over_context_ = 0;

 private:
  void loop();
  bool is_checkpoint_due() const;
  void report(const StepRow& row);

  RunParts run_parts_;
  EvaluationCallback evaluate_;
  StepObserver observer_;
  TrainerState state_;
  std::vector<StopRule> stop_rules_;
  std::optional<int64_t> saved_step_;
  int64_t first_step_ = 0;  ///< of this process, for the time left
  double started_s_ = 0;
};

}  // namespace plumbline
