/// The direction of the residual stream that monitors and the erasure of hidden states read.
#pragma once

#include "plumbline/run/run_directory.h"
#include "plumbline/run/workbench.h"
#include "plumbline/train/reward_transform.h"

namespace plumbline {

/// Made once, from the contrast pairs' hidden states on the base weights, and stored as monitor.safetensors in the
/// run's folder, where a resumed run finds it. Throws what the pair file and contrast_reading throw, and
/// DataError(data.monitor) for a stored reading of another model.
HiddenReading reading_of_run(const Preset& preset, ModelBench& bench, const RunDirectory& directory);

}  // namespace plumbline
