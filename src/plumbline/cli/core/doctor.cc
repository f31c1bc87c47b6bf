/// plumbline doctor PATH...: names what is wrong with a measurement, its evidence and the next step.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/cli/core/doctor_follow.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/cli/shared/output_path.h"
#include "plumbline/doctor/diagnosis.h"
#include "plumbline/doctor/diagnosis_output.h"

namespace plumbline {
namespace {

/// "id=PATH,passed=PATH", repeatable.
doctor::FieldMap field_map(const std::vector<std::string>& words) {
  doctor::FieldMap map;
  for (const std::string& word : words) {
    for (size_t begin = 0; begin <= word.size();) {
      const size_t end = std::min(word.find(',', begin), word.size());
      const std::string pair = word.substr(begin, end - begin);
      const size_t equals = pair.find('=');
      const std::string field = pair.substr(0, equals);
      const auto& known = doctor::mappable_fields();
      if (equals == std::string::npos || equals + 1 == pair.size() ||
          std::find(known.begin(), known.end(), field) == known.end()) {
        throw ConfigError("config.usage", "--map takes FIELD=PATH", pair,
                          fmt::format("fields: {}", fmt::join(known, ", ")));
      }
      map[field] = pair.substr(equals + 1);
      begin = end + 1;
    }
  }
  return map;
}

}  // namespace

int doctor_main(const std::vector<std::string>& words) {
  std::vector<std::string> paths, mappings;
  std::string out;
  FollowRequest follow;
  bool as_json = false, as_html = false;
  Arguments arguments("doctor",
                      "names what is wrong with a measurement: reports, samples and logs of this and of other tools");
  arguments
      .positionals("PATH", &paths, "files and folders, in any mix; formats are told from their content",
                   /*required=*/false)
      .option("--map", &mappings, "fields of your JSON lines: id=PATH,passed=PATH,completion=PATH,...")
      .flag("--json", &as_json, "the diagnosis as one JSON object")
      .flag("--html", &as_html, "the diagnosis as an HTML page")
      .option("--out", &out, "write it to this file instead of stdout")
      .option("--follow", &follow.rollouts,
              "a growing file or folder of rollouts: grade them, raise the onset of hacking")
      .option("--problems", &follow.problems, "with --follow: the problems that the run trains on")
      .flag("--once", &follow.once, "with --follow: stop at the end of what is there");
  if (!arguments.parse(words)) return 0;
  if (follow.rollouts.empty() == paths.empty()) {
    throw ConfigError("config.usage", "give PATH... or --follow ROLLOUTS", "plumbline doctor", "see --help");
  }
  if (follow.rollouts.empty() && (follow.once || !follow.problems.empty())) {
    throw ConfigError("config.usage", "--problems and --once belong to --follow ROLLOUTS", "plumbline doctor",
                      "see --help");
  }
  if (!follow.rollouts.empty()) {
    if (as_html || !out.empty() || !mappings.empty()) {
      throw ConfigError("config.usage", "--follow takes --problems, --once and --json, and nothing else",
                        "plumbline doctor", "see --help");
    }
    if (follow.problems.empty()) {
      throw ConfigError("config.usage", "--follow grades completions, and --problems does not say against what",
                        "plumbline doctor --follow", "add --problems FILE, the problems that the run trains on");
    }
    follow.as_json = as_json;
    return follow_rollouts(follow);
  }
  if (as_json && as_html) throw ConfigError("config.usage", "--json and --html exclude each other", "", "choose one");
  require_no_input(out, paths, "--out");
  const doctor::Diagnosis diagnosis = doctor::diagnose_paths(paths, field_map(mappings));
  const bool wants_page = as_html || (!as_json && out.ends_with(".html"));
  const std::string text = as_json      ? doctor::diagnosis_json(diagnosis) + "\n"
                           : wants_page ? doctor::diagnosis_page(diagnosis)
                                        : doctor::diagnosis_text(diagnosis);
  if (out.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file(out, text);
  }
  if (diagnosis.num_read == 0) return static_cast<int>(ExitCode::kData);
  return static_cast<int>(diagnosis.health() == doctor::Health::kSound ? ExitCode::kOk : ExitCode::kGateFailed);
}

}  // namespace plumbline
