/// plumbline compare REPORT...: paired statistics, gates, one decision.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/cli/shared/output_path.h"
#include "plumbline/compare/judgement_json.h"
#include "plumbline/compare/judgement_page.h"
#include "plumbline/compare/judgement_text.h"
#include "plumbline/doctor/diagnosis_output.h"
#include "plumbline/doctor/inside/own_output.h"

namespace plumbline {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

int compare_items(const std::vector<std::string>& paths, bool allow_missing, const std::string& filter, bool as_json) {
  if (paths.size() != 2) {
    throw ConfigError("config.usage", "--items takes two files", "--items", "give BASE.jsonl and CANDIDATE.jsonl");
  }
  const ItemFiles files = pair_item_files(paths[0], paths[1], allow_missing, filter);
  const Effect effect = effect_of(files.pairs.rows, paths[1]);
  std::vector<std::string> notes;
  if (files.are_copies)
    notes.push_back("both files have the same content: their difference is 0 whatever was measured");
  if (as_json) {
    Json json = {{"schema", "compare_items.v1"},
                 {"base_only_items", files.num_base_only},
                 {"candidate_only_items", files.num_candidate_only},
                 {"notes", notes}};
    json.update(effect_json(effect));
    print(to_json_line(json) + "\n");
    return 0;
  }
  print(effect_text(effect));
  if (files.num_base_only + files.num_candidate_only > 0) {
    print(fmt::format("  left out             {} items of the base, {} of the candidate\n", files.num_base_only,
                      files.num_candidate_only));
  }
  for (const std::string& note : notes) print("note: " + note + "\n");
  return 0;
}

/// An option that would be ignored is a mistake of whoever gave it.
void refuse_option(bool was_given, const std::string& option, const std::string& problem, const std::string& next) {
  if (was_given) throw ConfigError("config.usage", problem, option, next);
}

}  // namespace

int compare_main(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  std::string plan, html, markdown, filter;
  bool as_json = false, items = false, allow_missing = false;
  DecisionRequest request;
  Arguments arguments("compare", "paired statistics over reports, the gates, one decision (exit 1 unless GO)");
  arguments.positionals("REPORT", &paths, "evaluation reports, one a task and seed; with --items two files of scores")
      .option("--plan", &plan, "TOML: roles of the tasks, thresholds of the gates, seeds")
      .flag("--preregistered", &request.must_be_preregistered,
            "the plan must be committed before the commit that made the reports")
      .flag("--json", &as_json, "print compare.v1 instead of text")
      .option("--html", &html, "also write one self-contained page")
      .option("--markdown", &markdown, "also write the tables as Markdown")
      .flag("--items", &items,
            "any two JSON-lines files of {id, score[, seed][, cluster]}, or samples of lm-evaluation-harness: "
            "statistics, no decision")
      .option("--filter", &filter, "with --items: of samples, only the lines of this filter")
      .flag("--allow-missing", &allow_missing, "with --items: leave out ids that are in one file only, and count them");
  if (!arguments.parse(words)) return 0;
  if (items) {
    for (const auto& [was_given, option] : {std::pair(!plan.empty(), "--plan"),
                                            {request.must_be_preregistered, "--preregistered"},
                                            {!html.empty(), "--html"},
                                            {!markdown.empty(), "--markdown"}}) {
      refuse_option(was_given, option, fmt::format("--items gives statistics, no decision, and ignores {}", option),
                    "leave it out, or give reports of eval without --items");
    }
    return compare_items(paths, allow_missing, filter, as_json);
  }
  refuse_option(!filter.empty(), "--filter", "--filter belongs to --items", "leave it out, or add --items");
  refuse_option(allow_missing, "--allow-missing", "--allow-missing belongs to --items", "leave it out, or add --items");
  refuse_option(request.must_be_preregistered && plan.empty(), "--preregistered", "--preregistered needs a plan",
                "give it: --plan FILE, the committed plan of the evaluation");
  std::vector<std::string> inputs = paths;
  if (!plan.empty()) inputs.push_back(plan);
  require_no_input(html, inputs, "--html");
  require_no_input(markdown, inputs, "--markdown");
  if (!plan.empty()) request.plan = read_plan(plan);
  std::vector<EvalReport> reports;
  for (const std::string& path : paths) reports.push_back(read_eval_report(path));
  const Judgement judgement = judge(reports, request);
  const doctor::Diagnosis diagnosis = doctor::diagnose_paths(paths);
  if (!html.empty()) write_file(html, judgement_html(judgement, request, doctor::diagnosis_markup(diagnosis)));
  if (!markdown.empty())
    write_file(markdown, judgement_markdown(judgement, request, doctor::findings_markdown(diagnosis)));
  if (as_json) {
    Json json = judgement_json(judgement, request);
    json["doctor"] = parse_json(doctor::diagnosis_json(diagnosis), "the diagnosis");
    print(to_json_line(json) + "\n");
  } else {
    print(doctor::findings_text(diagnosis) + judgement_text(judgement));
  }
  return judgement.decision == Decision::kGo ? 0 : 1;
}

}  // namespace plumbline
