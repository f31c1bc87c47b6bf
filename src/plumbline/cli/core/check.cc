/// `plumbline check [PRESET]`: pre-flight of a machine and of a preset, one line a check.
#include <cstdio>

#include "plumbline/base/error.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/preset/schema.h"

namespace plumbline {

int check_main(const std::vector<std::string>& words) {
  PresetArguments preset_arguments;
  bool reference = false;
  Arguments arguments("check", "pre-flight of this machine and of a preset");
  preset_arguments.add_to(arguments, /*preset_required=*/false);
  arguments.flag("--reference", &reference, "print the page of preset keys (docs/reference/preset_keys.md)");
  if (!arguments.parse(words)) return 0;
  if (reference) {
    std::fputs(preset_reference().c_str(), stdout);
    return 0;
  }
  if (!preset_arguments.preset.empty()) {
    const Preset preset = load_preset(preset_arguments.preset, preset_arguments.overrides);
    std::fputs(to_toml(preset).c_str(), stdout);
  }
  return 0;
}

}  // namespace plumbline
