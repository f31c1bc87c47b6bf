/// train PRESET: one arm, one seed; train --resume DIR goes on where a run stopped.
#include "plumbline/base/error.h"
#include "plumbline/cli/engine/preset_verb.h"
#include "plumbline/cli/engine/verbs.h"
#include "plumbline/run/arm.h"
#include "plumbline/run/run_directory.h"

namespace plumbline {

int train_main(const std::vector<std::string>& words) {
  return run_resumable_verb(
      "train", "train one arm with one seed (Gate C for the vanilla arm)", words,
      [](const Preset& preset, const std::string& out) { return train_one_arm(preset, out); },
      [](const Preset& preset, const std::string& folder) { return resume_one_arm(preset, folder); });
}

}  // namespace plumbline
