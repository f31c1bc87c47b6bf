#include "plumbline/cli/core/remote_checks.h"

#include "plumbline/judge/preflight.h"

namespace plumbline {
namespace {

using Preflight = std::function<void(const ChatClients& clients)>;

void check_each(const char* name, const std::vector<std::string>& specs, RemoteOptions options,
                const Preflight& preflight, std::vector<CheckLine>& lines) {
  options.prices.clear();
  for (const std::string& spec : specs) {
    lines.push_back(guarded(name, [&] {
      preflight(make_clients({spec}, options, nullptr, name));
      return check_ok(name, spec + " answers");
    }));
  }
}

}  // namespace

std::vector<CheckLine> check_remote(const Preset& preset) {
  std::vector<CheckLine> lines;
  const JudgeMode mode = preset.judge.mode == "pair" ? JudgeMode::kPair : JudgeMode::kSupport;
  check_each(
      "judge", preset.judge.judges, preset.judge,
      [&](const ChatClients& judges) { preflight_judges(judges, Question(mode, preset.judge.prompt)); }, lines);
  check_each("teacher", preset.teach.teachers, preset.teach, preflight_teachers, lines);
  return lines;
}

}  // namespace plumbline
