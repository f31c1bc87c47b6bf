/// Checkpoints of a run: step_NNNNNN/{adapter/, optimizer.safetensors, state.json}. Written aside, synced, renamed; a
/// reader never sees a half. state.json (format "checkpoint.v1") holds the SHA-256 of every other file and of itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/train/adamw.h"

namespace plumbline {

/// Everything a run needs beside tensors. There is no random state: streams are counter-based (base/rng.h).
struct TrainerState {
  int64_t step = 0;                 ///< updates made; the version of the weights
  int64_t data_cursor = 0;          ///< problems drawn so far
  int64_t num_skipped_updates = 0;  ///< for gradients that were not finite
  int64_t num_skipped_in_a_row = 0;
  uint64_t seed = 0;
  std::string weight_hash;                ///< of the merged weights of this step
  int64_t onset_step = 0;                 ///< where hacks began to outnumber right answers; 0 = they have not
  int64_t num_onset_steps = 0;            ///< steps in a row, the last one included, in which they did
  std::vector<int64_t> stop_counts = {};  ///< of each rule of train.stop_when, steps in a row in which it held
  std::string stopped_by = {};            ///< the rule that ended the run; empty = none

  bool operator==(const TrainerState&) const = default;
};

/// Tensors of the optimizer and of the gradient transform, in one file.
struct OptimizerTensors {
  TensorMap optimizer, transform;
};

struct Checkpoint {
  std::string folder;
  TrainerState state;
  OptimizerTensors tensors;
};

/// Writes checkpoints/step_NNNNNN (state.step) and then removes all but the newest `keep` (0 = keeps all). An older
/// folder of the same step is replaced. `save_adapter` makes `folder`/adapter. Returns the checkpoint's folder.
/// Throws DataError(data.unwritable) and what `save_adapter` throws; the folder that was being written is removed then.
std::string save_checkpoint(const std::string& checkpoints_folder, const TrainerState& state,
                            const OptimizerTensors& tensors,
                            const std::function<void(const std::string& folder)>& save_adapter, int64_t keep);

/// Reads one step_NNNNNN folder. Throws DataError(data.checkpoint) naming the file when anything is missing, cut,
/// changed, or of another format; nothing is loaded then.
Checkpoint load_checkpoint(const std::string& folder);

/// The newest step_NNNNNN of a checkpoints folder; none when there is none. Folders being written do not count.
std::optional<std::string> latest_checkpoint(const std::string& checkpoints_folder);

/// "step_000042".
std::string checkpoint_name(int64_t step);

}  // namespace plumbline
