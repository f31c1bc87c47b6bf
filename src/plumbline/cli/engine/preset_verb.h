/// What every engine verb with a PRESET shares: arguments, --set, --dry-run, --resume.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumbline/cli/shared/arguments.h"
#include "plumbline/preset/options.h"

namespace plumbline {

/// Does the work on a validated preset; the second argument is --out (or the resumed folder). Returns an exit code.
using PresetWork = std::function<int(const Preset&, const std::string&)>;

int run_preset_verb(const std::string& verb, const std::string& summary, const std::vector<std::string>& words,
                    const PresetWork& work);

/// As run_preset_verb; with --resume DIR and no PRESET the preset is DIR/resolved.toml. A PRESET given beside --resume,
/// or --set, must come out equal to it: differences are listed and refused (ConfigError config.resume_differs).
/// `add_options` (optional) registers what this verb takes besides; `check` (optional) is what --dry-run does beside
/// printing the preset.
int run_resumable_verb(const std::string& verb, const std::string& summary, const std::vector<std::string>& words,
                       const PresetWork& work, const PresetWork& resume,
                       const std::function<void(Arguments&)>& add_options = {},
                       const std::function<void(const Preset&)>& check = {});

}  // namespace plumbline
