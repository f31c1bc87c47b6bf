#include "plumbline/train/training_run.h"

#include <fmt/format.h>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"

namespace plumbline {

void stop_if_interrupted() {
  if (interrupt_requested()) throw Interrupted("the step in progress is given up");
}

TrainingRun::TrainingRun(const RunParts& parts, TrainerOptions options, const RolloutOptions& update_rollout)
    : options_(std::move(options)),
      update_(parts.decoder, parts.adapter, parts.transform, options_.train, update_rollout, options_.run,
              stop_if_interrupted),
      run_parts_(parts) {
  for (const std::string& rule : options_.train.stop_when) stop_rules_.push_back(parse_stop_rule(rule));
  state_.seed = options_.run.seed;
  state_.stop_counts.assign(stop_rules_.size(), 0);
  update_.put_weights(0);
}

void TrainingRun::finish_step(StepRow& row, std::span<const RolloutRow> rollouts, int64_t next_cursor) {
  TrainerState next = state_;
  note_onset(row, options_.train.onset_steps, next);
  next.stopped_by = note_stop_rules(row, stop_rules_, next.stop_counts);
  if (next.onset_step > 0) row.onset_step = next.onset_step;
  run_parts_.recorder.record(row, rollouts);
  state_ = std::move(next);
  state_.step = row.step;
  state_.data_cursor = next_cursor;
  state_.num_skipped_updates = update_.guard().num_skipped();
  state_.num_skipped_in_a_row = update_.guard().num_in_a_row();
  state_.weight_hash = run_parts_.adapter.weight_hash();
}

void TrainingRun::resume(const Checkpoint& checkpoint) {
  const auto refuse = [&](const std::string& problem, const std::string& next_step) {
    throw DataError("data.checkpoint", problem, checkpoint.folder, next_step);
  };
  if (checkpoint.state.seed != options_.run.seed) {
    refuse(fmt::format("the checkpoint has run.seed {}, the preset {}", checkpoint.state.seed, options_.run.seed),
           "resume with the run's own resolved.toml");
  }
  run_parts_.adapter.load(checkpoint.folder);
  update_.optimizer().load_state(checkpoint.tensors.optimizer);
  update_.guard().restore(checkpoint.state.num_skipped_updates, checkpoint.state.num_skipped_in_a_row);
  run_parts_.transform.load_state(checkpoint.tensors.transform);
  update_.put_weights(checkpoint.state.step);
  if (const std::string hash = run_parts_.adapter.weight_hash(); hash != checkpoint.state.weight_hash) {
    refuse(fmt::format("the merged weights hash to {}, the checkpoint says {}", hash, checkpoint.state.weight_hash),
           "the model or the adapter is another one; use the model the run began with");
  }
  if (checkpoint.state.stop_counts.size() != stop_rules_.size()) {
    refuse("the checkpoint has another number of stop rules", "resume with the run's own resolved.toml");
  }
  state_ = checkpoint.state;
  saved_step_ = state_.step;
}

std::string TrainingRun::save() {
  state_.weight_hash = run_parts_.adapter.weight_hash();
  run_parts_.recorder.sync();
  const std::string folder = save_checkpoint(
      options_.checkpoints_folder, state_,
      {.optimizer = update_.optimizer().save_state(), .transform = run_parts_.transform.save_state()},
      [&](const std::string& checkpoint) { run_parts_.adapter.save(checkpoint); }, options_.train.keep_checkpoints);
  saved_step_ = state_.step;
  return folder;
}

bool TrainingRun::is_checkpoint_due() const {
  if (saved_step_ == state_.step) return false;
  const int64_t every = options_.train.checkpoint_every;
  if (!state_.stopped_by.empty()) return true;
  return state_.step == options_.train.steps || (every > 0 && state_.step > 0 && state_.step % every == 0);
}

void TrainingRun::train() {
  first_step_ = state_.step;
  started_s_ = now_s();
  try {
    loop();
  } catch (const Interrupted&) {
    update_.put_weights(state_.step);
    if (saved_step_ != state_.step) save();
    throw Interrupted(fmt::format("stopped after step {} of {}; saved. Go on with: {}", state_.step,
                                  options_.train.steps, options_.resume_hint));
  }
}

void TrainingRun::loop() {
  log_info(console_heading());
  for (;;) {
    stop_if_interrupted();
    const bool evaluation_due = options_.evaluate_every > 0 && state_.step % options_.evaluate_every == 0;
    if (evaluate_ && evaluation_due) evaluate_(state_.step);
    if (state_.step >= options_.train.steps || !state_.stopped_by.empty()) return;
    report(run_step(state_.step + 1));
    if (!state_.stopped_by.empty()) {
      log_warning(fmt::format("the run ends after step {}: {}", state_.step, state_.stopped_by));
    }
    if (is_checkpoint_due()) save();
  }
}

void TrainingRun::report(const StepRow& row) {
  const double seconds_a_step = (now_s() - started_s_) / static_cast<double>(row.step - first_step_);
  log_info(console_row(row, seconds_a_step * static_cast<double>(options_.train.steps - row.step)));
  if (observer_) observer_(row);
}

}  // namespace plumbline
