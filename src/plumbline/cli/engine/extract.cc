/// extract PRESET: contrast pairs to a hack direction, Gate A.
#include "plumbline/cli/engine/preset_verb.h"
#include "plumbline/cli/engine/verbs.h"
#include "plumbline/run/direction.h"

namespace plumbline {

int extract_main(const std::vector<std::string>& words) {
  return run_preset_verb("extract", "contrast pairs to a hack direction (Gate A)", words,
                         [](const Preset& preset, const std::string& out) { return extract_direction(preset, out); });
}

}  // namespace plumbline
