/// plumbline judge PRESET: models' opinions of saved answers, resumable; an outage is never an opinion.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/judge/judging.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/preset/schema.h"
#include "plumbline/record/problem_reader.h"

namespace plumbline {

int judge_main(const std::vector<std::string>& words) {
  PresetArguments asked;
  asked.out_help = "folder for verdicts and summary; a run that is there is gone on with (default: out/PRESET-judge)";
  bool as_json = false;
  Arguments arguments("judge", "asks models about saved answers; docs/reference/judge.md");
  asked.add_to(arguments);
  arguments.flag("--json", &as_json, "the summary as one JSON object");
  if (!arguments.parse(words)) return 0;
  const Preset preset = load_preset(asked.preset, asked.overrides, PresetUse::kNoModel);
  if (asked.dry_run) {
    std::fputs(to_toml(preset).c_str(), stdout);
    return 0;
  }
  const std::string out = asked.out.empty() ? "out/" + preset.name + "-judge" : asked.out;
  const std::vector<Problem> problems = read_problems(resolve_data_path(preset.data.problems), {.split = ""});
  const auto [summary, failure] = judge_answers(preset.judge, problems, out);
  const std::string text = as_json ? to_json_line(to_json(summary)) + "\n" : to_text(summary);
  std::fwrite(text.data(), 1, text.size(), stdout);
  const bool has_disagreements = summary.complete && summary.costs.size() > 1;
  log_info((has_disagreements ? "verdicts, summary and disagreements are in " : "verdicts and summary are in ") + out);
  if (!failure.empty()) {
    throw RemoteError("remote.judge_failed", failure, out,
                      "repair the access and run it again: it goes on with what is missing");
  }
  return static_cast<int>(summary.all_valid() ? ExitCode::kOk : ExitCode::kGateFailed);
}

}  // namespace plumbline
