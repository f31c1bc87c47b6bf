/// plumbline teach PRESET: completions of a teacher over problems, kept when the trusted grade passes.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/core/verdict_file.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/judge/teaching.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/preset/schema.h"
#include "plumbline/record/hint.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/make_verifier.h"

namespace plumbline {
namespace {

/// As training sees them: the same split, the same hint, the first `limit`.
std::vector<Problem> problems_of(const Preset& preset) {
  std::vector<Problem> problems =
      read_problems(resolve_data_path(preset.data.problems),
                    {.split = preset.data.split, .keep_rows = preset.grade.reward == "custom"});
  const auto limit = static_cast<size_t>(preset.data.limit);
  if (limit > 0 && problems.size() > limit) problems.resize(limit);
  for (Problem& problem : problems) apply_hint(problem, preset.data.hint, preset.data.tester_name);
  return problems;
}

}  // namespace

int teach_main(const std::vector<std::string>& words) {
  PresetArguments asked;
  asked.out_help = "folder for rows, pool and summary; a run that is there is gone on with (default: out/PRESET-teach)";
  bool as_json = false;
  Arguments arguments("teach", "asks a teacher for completions and keeps what the trusted grade passes");
  asked.add_to(arguments);
  arguments.flag("--json", &as_json, "the summary as one JSON object");
  if (!arguments.parse(words)) return 0;
  Preset preset = load_preset(asked.preset, asked.overrides, PresetUse::kNoModel);
  if (asked.dry_run) {
    std::fputs(to_toml(preset).c_str(), stdout);
    return 0;
  }
  if (preset.grade.reward_batch == 0) preset.grade.reward_batch = 1;  // each completion is graded as it comes
  const std::string out = asked.out.empty() ? "out/" + preset.name + "-teach" : asked.out;
  const std::vector<Problem> problems = problems_of(preset);
  const std::unique_ptr<Verifier> verifier = make_verifier(preset.grade, problems);
  const TeachRun run =
      teach_problems(preset.teach, problems, *verifier, grade_settings(preset.grade, problems, ""), out);
  const std::string text = as_json ? to_json_line(to_json(run)) + "\n" : to_text(run);
  std::fwrite(text.data(), 1, text.size(), stdout);
  log_info(fmt::format("{} completions are in {}/pool.jsonl", run.num_kept, out));
  if (!run.failure.empty()) {
    throw RemoteError("remote.teacher_failed", run.failure, out,
                      "repair the access and run it again: it goes on with what is missing");
  }
  if (run.num_infra > 0) {
    throw SandboxError("sandbox.infra", fmt::format("{} completions could not be graded", run.num_infra), out,
                       "run it again: they are graded again and not asked for again");
  }
  return 0;
}

}  // namespace plumbline
