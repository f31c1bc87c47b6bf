#include "plumbline/cli/engine/preset_verb.h"

#include <cstdio>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/files/model_path.h"
#include "plumbline/preset/schema.h"
#include "plumbline/run/run_directory.h"

namespace plumbline {
namespace {

/// Lines of `wanted` that are not the same in `stored`, as "stored -> wanted", at most a few.
std::string differing_lines(const std::string& stored, const std::string& wanted) {
  std::istringstream old_lines(stored), new_lines(wanted);
  std::string old_line, new_line, differences;
  while (std::getline(new_lines, new_line)) {
    if (!std::getline(old_lines, old_line)) old_line.clear();
    if (old_line == new_line) continue;
    differences += (differences.empty() ? "" : ", ") + std::string("[") + old_line + "] -> [" + new_line + "]";
  }
  return differences;
}

Preset resumed_preset(const PresetArguments& arguments, const std::string& folder) {
  const std::string stored_path = RunDirectory::open(folder).file("resolved.toml");
  Preset stored = load_preset(stored_path);
  const Preset wanted = load_preset(arguments.preset.empty() ? stored_path : arguments.preset, arguments.overrides);
  const std::string differences = differing_lines(to_toml(stored), to_toml(wanted));
  if (!differences.empty()) {
    throw ConfigError("config.resume_differs", "the settings differ from the run's: " + differences, folder,
                      "resume without them, or start a new run");
  }
  return stored;
}

}  // namespace

int run_preset_verb(const std::string& verb, const std::string& summary, const std::vector<std::string>& words,
                    const PresetWork& work) {
  PresetArguments arguments;
  Arguments parser(verb, summary);
  arguments.add_to(parser);
  if (!parser.parse(words)) return 0;
  const Preset preset = load_preset(arguments.preset, arguments.overrides);
  if (arguments.dry_run) {
    log_info(describe_model(preset.model.path));
    std::fputs(to_toml(preset).c_str(), stdout);
    return 0;
  }
  return work(preset, arguments.out);
}

int run_resumable_verb(const std::string& verb, const std::string& summary, const std::vector<std::string>& words,
                       const PresetWork& work, const PresetWork& resume,
                       const std::function<void(Arguments&)>& add_options,
                       const std::function<void(const Preset&)>& check) {
  PresetArguments arguments;
  std::string folder;
  Arguments parser(verb, summary);
  arguments.add_to(parser, false);
  parser.option("--resume", &folder, "folder of an interrupted run to go on with");
  if (add_options) add_options(parser);
  if (!parser.parse(words)) return 0;
  if (folder.empty() && arguments.preset.empty()) {
    throw ConfigError("config.usage", "PRESET or --resume DIR is required", "plumbline " + verb,
                      "see plumbline " + verb + " --help");
  }
  if (!folder.empty() && !arguments.out.empty()) {
    throw ConfigError("config.usage", "--out and --resume exclude each other", "plumbline " + verb, "drop --out");
  }
  const Preset preset =
      folder.empty() ? load_preset(arguments.preset, arguments.overrides) : resumed_preset(arguments, folder);
  if (arguments.dry_run) {
    log_info(describe_model(preset.model.path));
    if (check) check(preset);
    std::fputs(to_toml(preset).c_str(), stdout);
    return 0;
  }
  return folder.empty() ? work(preset, arguments.out) : resume(preset, folder);
}

}  // namespace plumbline
