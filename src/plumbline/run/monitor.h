/// The monitor of a run: what [monitor] and the arm ask for, with its reading of hidden states where it has one.
#pragma once

#include <memory>
#include <string>

#include "plumbline/run/run_directory.h"
#include "plumbline/run/workbench.h"
#include "plumbline/train/reward_transform.h"

namespace plumbline {

/// The arms penalty, screening and rebound are monitors of that kind; else monitor.kind. "none" = no monitor.
std::string monitor_kind(const Preset& preset);

/// Null without a monitor. A reading is made once, from the contrast pairs' hidden states on the base weights, and
/// stored as monitor.safetensors in the run's folder, where a resumed run finds it. Throws what the pair file and
/// contrast_reading throw.
std::unique_ptr<RewardTransform> monitor_of_run(const Preset& preset, ModelBench& bench, const RunDirectory& directory);

}  // namespace plumbline
