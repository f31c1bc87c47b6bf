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

/// Null without a monitor. Throws what reading_of_run throws, where it reads hidden states (hidden_reading.h).
std::unique_ptr<RewardTransform> monitor_of_run(const Preset& preset, ModelBench& bench, const RunDirectory& directory);

}  // namespace plumbline
