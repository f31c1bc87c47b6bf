/// verify PRESET: held-out pairs against the direction, Gate B. The direction is steer.direction, or extracted anew.
#include "plumbline/cli/engine/preset_verb.h"
#include "plumbline/cli/engine/verbs.h"
#include "plumbline/run/direction.h"

namespace plumbline {

int verify_main(const std::vector<std::string>& words) {
  return run_preset_verb("verify", "held-out pairs against the direction (Gate B)", words,
                         [](const Preset& preset, const std::string& out) { return verify_direction(preset, out); });
}

}  // namespace plumbline
