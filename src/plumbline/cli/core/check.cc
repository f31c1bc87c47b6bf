/// `plumbline check [PRESET]`: pre-flight of a machine and of a preset, one line a check, exit 1 when one fails.
#include <cstdio>
#include <optional>

#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/cli/core/machine_checks.h"
#include "plumbline/cli/core/preset_checks.h"
#include "plumbline/cli/core/remote_checks.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/files/model_path.h"
#include "plumbline/preset/schema.h"

namespace plumbline {
namespace {

/// Prints lines as they come and counts failures.
class Board {
 public:
  void show(const CheckLine& line) {
    std::puts(to_text(line).c_str());
    std::fflush(stdout);
    num_failed_ += line.status == CheckStatus::kFail;
  }
  void show(const std::vector<CheckLine>& lines) {
    for (const CheckLine& line : lines) show(line);
  }
  int exit_code() const { return static_cast<int>(num_failed_ ? ExitCode::kGateFailed : ExitCode::kOk); }

 private:
  int num_failed_ = 0;
};

/// A preset of judges or teachers alone may go without a model.
Preset load_checked(const PresetArguments& asked) {
  const Preset preset = load_preset(asked.preset, asked.overrides, PresetUse::kNoModel);
  if (!preset.judge.judges.empty() || !preset.teach.teachers.empty()) return preset;
  return load_preset(asked.preset, asked.overrides);
}

}  // namespace

int check_main(const std::vector<std::string>& words) {
  PresetArguments asked;
  bool reference = false;
  Arguments arguments("check", "pre-flight of this machine and of a preset");
  asked.add_to(arguments, /*preset_required=*/false);
  arguments.flag("--reference", &reference, "print the page of preset keys (docs/reference/preset_keys.md)");
  if (!arguments.parse(words)) return 0;
  if (reference) {
    std::fputs(preset_reference().c_str(), stdout);
    return 0;
  }
  if (asked.dry_run) {
    if (asked.preset.empty())
      throw ConfigError("config.usage", "--dry-run needs a preset", "plumbline check", "name one");
    const Preset preset = load_preset(asked.preset, asked.overrides);
    log_info(describe_model(preset.model.path));
    std::fputs(to_toml(preset).c_str(), stdout);
    return 0;
  }

  Board board;
  std::optional<Preset> preset;
  if (!asked.preset.empty()) {
    board.show(guarded("preset", [&] {
      preset = load_checked(asked);
      return check_ok("preset", preset->source);
    }));
  }
  const Preset known = preset.value_or(Preset());
  board.show(check_machine(known.grade, known.run.device, asked.out.empty() ? "out" : asked.out));
  if (preset) {
    board.show(check_files(*preset));
    board.show(check_remote(*preset));
  }
  return board.exit_code();
}

}  // namespace plumbline
