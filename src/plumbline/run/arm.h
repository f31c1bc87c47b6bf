/// One arm with one seed: a run directory of its own, trained to the end or resumed.
#pragma once

#include <string>

#include "plumbline/run/gates.h"
#include "plumbline/run/run_directory.h"
#include "plumbline/run/workbench.h"

namespace plumbline {

/// Trains `preset.run.arm` in `directory` from its newest checkpoint, if it has one. The adapter of `bench` is set to
/// zero first. What the arm projects out, or is measured against, is the run's own direction.safetensors; every arm but
/// vanilla needs one. Writes COMPLETE at the end.
/// Throws Interrupted after saving.
ArmSummary train_arm(const Preset& preset, ModelBench& bench, Verifier& verifier, const ProblemSets& problems,
                     const RunDirectory& directory);

/// The verb `train`, and its --resume. Exit code 1 when Gate C fails for the vanilla arm.
int train_one_arm(const Preset& preset, const std::string& out);
int resume_one_arm(const Preset& preset, const std::string& folder);

}  // namespace plumbline
