/// What an evaluation sets against the base: adapters of runs, one a seed, another checkpoint, or a served model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/preset/options.h"

namespace plumbline {

struct EvalCandidate {
  std::string name;         ///< RUN@step, the checkpoint's path, or provider:model[@base_url]
  uint64_t seed = 0;        ///< of the run
  bool is_served = false;   ///< over HTTP, by others
  std::string adapter;      ///< checkpoint folder with the adapter; empty for other candidates
  int64_t step = 0;         ///< of that checkpoint
  std::string weight_hash;  ///< of the merged weights, as the checkpoint states it
  Preset training;          ///< the run's resolved preset; for a checkpoint the evaluation's own

  std::string label() const;  ///< "s7"
};

/// The candidates that [eval] names, by seed. Throws ConfigError: config.no_candidate when none is named,
/// config.conflict when two runs have one seed, or differ in arm, adapter kind or group size; DataError:
/// data.not_a_run, data.training_changed (data.problems is not the file that the run was trained on),
/// data.no_checkpoint (the run has none, or not at that step), and what the preset reader throws.
std::vector<EvalCandidate> find_candidates(const Preset& preset);

/// The evaluation's preset with the [adapter] table that the runs were trained with.
Preset with_adapter_of(Preset preset, const std::vector<EvalCandidate>& candidates);

}  // namespace plumbline
