#include "plumbline/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "plumbline/base/file_system.h"
#include "plumbline/report/arm_charts.h"
#include "plumbline/report/comparison.h"
#include "plumbline/report/example_completions.h"
#include "plumbline/report/html_page.h"
#include "plumbline/report/results_table.h"
#include "plumbline/report/verdict_words.h"

namespace plumbline {
namespace {

const char* class_of(Tone tone) {
  return tone == Tone::kGood ? "good" : tone == Tone::kBad ? "bad" : "open";
}

std::string list_markup(const std::vector<std::string>& items) {
  std::string out = "<ul>\n";
  for (const std::string& item : items) out += "<li>" + escape_html(item) + "</li>\n";
  return out + "</ul>\n";
}

std::string verdict_box(const ArmVerdict& verdict) {
  return fmt::format("<section class=\"verdict {}\"><h2>{}</h2>\n{}</section>\n", class_of(verdict.tone),
                     escape_html(verdict.headline), verdict.sentences.empty() ? "" : list_markup(verdict.sentences));
}

std::string paragraph(const std::string& text, const char* style = "") {
  return fmt::format("<p{}>{}</p>\n", *style ? fmt::format(" class=\"{}\"", style) : "", escape_html(text));
}

std::string unfinished_words(const RunSet& set) {
  const int64_t unfinished = set.num_unfinished();
  const auto unreadable = std::count_if(set.runs.begin(), set.runs.end(),
                                        [](const ArmRun& run) { return run.state == RunState::kUnreadable; });
  std::string text;
  if (unfinished > 0) text += fmt::format("{} of {} runs are not complete. ", unfinished, set.runs.size());
  if (unreadable > 0) text += fmt::format("{} of {} runs cannot be read. ", unreadable, set.runs.size());
  return text.empty() ? "" : paragraph(text + "They are shown apart and are in no figure of the verdict.", "note");
}

std::string setting_words(const Experiment& experiment) {
  const Settings& settings = experiment.runs.front()->settings;
  return fmt::format("Model: {}; {} steps of {} × {} completions; learning rate {}; hint {}; direction {} on {}.",
                     setting_of(settings, "model.path", "?"), setting_of(settings, "train.steps", "?"),
                     setting_of(settings, "rollout.prompts_per_step", "?"),
                     setting_of(settings, "rollout.group_size", "?"), setting_of(settings, "train.lr", "?"),
                     setting_of(settings, "data.hint", "?"), setting_of(settings, "steer.method", "?"),
                     setting_of(settings, "steer.where", "?"));
}

std::string example_markup(const ExampleCompletion& example, const std::string& tester) {
  return "<h4>" + escape_html(fmt::format("Step {}: {}", example.step, example.kind)) + "</h4>\n" +
         paragraph(
             fmt::format("Problem {}, sample {}, trusted grade {}. {} of {} completions {} are of this kind; this "
                         "is the first of them.",
                         example.problem_id, example.sample, example.outcome, example.num_of_kind, example.num_seen,
                         "in this stretch of steps"),
             "note") +
         "<pre tabindex=\"0\">" + marked_completion(example.completion, tester) + "</pre>\n";
}

std::string examples_of(const ArmRun& run) {
  const BeforeAndAfter examples = example_completions(run);
  std::string out = "<h3>" + escape_html(run.label()) + "</h3>\n";
  if (!examples.problem.empty()) return out + paragraph("Completions cannot be read: " + examples.problem, "note");
  if (!examples.first && !examples.last) return out + paragraph("No completions are stored with this run.", "note");
  const std::string tester = setting_of(run.settings, "data.tester_name", "run_tests");
  out += "<div class=\"pair\">\n";
  for (const auto& example : {examples.first, examples.last}) {
    if (example) out += "<div>" + example_markup(*example, tester) + "</div>\n";
  }
  return out + "</div>\n";
}

/// Vanilla and the arms that are tried, each with its first seed.
std::string examples_section(const Comparison& comparison) {
  std::string out = "<h2>What the model writes, before and after</h2>\n" +
                    paragraph(
                        "The most frequent kind of completion in the first step and in the last five, by a fixed "
                        "rule. Marked: the tester that the model defines itself.",
                        "soft");
  std::vector<std::string> arms = comparison.treatments();
  if (comparison.find("vanilla")) arms.insert(arms.begin(), "vanilla");
  for (const std::string& arm : arms) out += examples_of(*comparison.find(arm)->runs.front());
  return out;
}

std::string pictures(const Experiment& experiment, const std::string& prefix) {
  const Comparison comparison(experiment);
  const std::string settings = paragraph(setting_words(experiment), "soft");
  if (comparison.arms().empty()) return settings;
  return settings + main_figures(comparison, Preregistered(experiment.runs.front()->settings), prefix);
}

std::string details_of(const Experiment& experiment, const std::string& prefix) {
  const Comparison comparison(experiment);
  const Preregistered preregistered(experiment.runs.front()->settings);
  if (comparison.arms().empty()) return "";
  HtmlTable arms = arms_table(comparison, preregistered), runs = runs_table(comparison, preregistered);
  arms.stacks = runs.stacks = true;
  std::string out = "<h2>Arms</h2>\n" + arms.markup() + details_markup("Every run on its own", runs.markup());
  out += "<h2>What was fixed before, and what was not</h2>\n" +
         list_markup(preregistration_words(experiment, preregistered));
  out += examples_section(comparison);
  out += "<h2>Training, step by step</h2>\n" + small_multiples(comparison, prefix) +
         paragraph(
             "Lines are trailing means of five steps; colours and dashes as above. cout is never above cin: a "
             "projection removes what it projects out. That is arithmetic and no evidence. A one-sided eraser "
             "pushes weights away from any direction, a random one too.",
             "note");
  return out;
}

/// Box by box: every arm that is tried in every experiment.
std::string verdicts(const std::vector<Experiment>& experiments) {
  std::string out;
  for (size_t i = 0; i < experiments.size(); ++i) {
    const Comparison comparison(experiments[i]);
    const Preregistered preregistered(experiments[i].runs.front()->settings);
    if (experiments.size() > 1) out += fmt::format("<h2>Experiment {}</h2>\n", i + 1);
    for (const ArmVerdict& verdict : verdicts_of(comparison, preregistered)) out += verdict_box(verdict);
  }
  return experiments.empty() ? verdict_box({Tone::kOpen, "No run is complete yet, so nothing is compared.", {}}) : out;
}

std::string gates_section(const RunSet& set) {
  std::string out;
  for (const ProbeFolder& probe : set.probes) {
    if (!probe.problem.empty()) out += paragraph("Files of the probe cannot be read: " + probe.problem, "note");
    if (probe.gates.empty()) continue;
    HtmlTable table{"Gates of " + probe.folder, {"gate", "result", "SHOULD", "saw", "ELSE"}, {}};
    table.cells_are_markup = table.stacks = true;
    for (const GateRow& gate : probe.gates) {
      const char* style = gate.status == "PASS" ? "good" : gate.status == "FAIL" ? "bad" : "open";
      const std::string word = gate.status == "not_reached" ? "not reached" : gate.status;
      table.rows.push_back({escape_html(gate.id + " " + gate.title),
                            fmt::format("<span class=\"badge {}\">{}</span>", style, escape_html(word)),
                            escape_html(gate.should), escape_html(gate.saw), escape_html(gate.otherwise)});
    }
    out += table.markup();
    if (setting_of(probe.settings, "probe.stop_at_gates") == "false") {
      out += paragraph("This probe was told to go on after a failed gate (probe.stop_at_gates = false).", "note");
    }
  }
  return out.empty() ? "" : "<h2>Gates</h2>\n" + out;
}

std::string provenance_block(const std::string& folder, const Provenance& provenance, const std::string& verb) {
  HtmlTable table{"Provenance of " + folder, {"what", "value"}, {}};
  table.wraps = true;
  std::string commit;
  for (const auto& [key, value] : provenance) {
    table.rows.push_back({key, value});
    if (key == "commit") commit = value;
  }
  return "<h3>" + escape_html(folder) + "</h3>\n" +
         (table.rows.empty() ? paragraph("There is no provenance.json.", "note") : table.markup()) +
         paragraph("To run it again" + (commit.empty() ? std::string(":") : " (program of commit " + commit + "):")) +
         "<pre tabindex=\"0\">" +
         escape_html(fmt::format("plumbline {} {}/resolved.toml --out NEW_FOLDER", verb, folder)) + "</pre>\n";
}

std::string provenance_section(const RunSet& set) {
  std::string out = "<h2>Provenance</h2>\n";
  for (const ProbeFolder& probe : set.probes) out += provenance_block(probe.folder, probe.provenance, "probe");
  for (const ArmRun& run : set.runs) {
    const bool in_probe = std::any_of(set.probes.begin(), set.probes.end(), [&](const ProbeFolder& probe) {
      return run.folder.starts_with(probe.folder + "/arms/");
    });
    if (!in_probe) out += provenance_block(run.folder, run.provenance, "train");
  }
  return out;
}

std::string title_of(const RunSet& set) {
  const size_t runs = set.runs.size();
  const std::string what = set.probes.size() == 1
                               ? "probe " + std::filesystem::path(set.probes[0].folder).filename().string()
                               : fmt::format("{} {}", runs, runs == 1 ? "run" : "runs");
  return "plumbline report: " + what;
}

}  // namespace

std::string report_page(const RunSet& set, const ReportOptions& options) {
  const std::vector<Experiment> experiments = experiments_of(set);
  HtmlPage page(title_of(set));
  if (options.refresh_s > 0) page.refresh_after(options.refresh_s);
  page.add(options.first_line).add(verdicts(experiments)).add(unfinished_words(set));
  for (size_t i = 0; i < experiments.size(); ++i) {
    if (experiments.size() > 1) {
      std::vector<std::string> settings;
      for (const auto& [key, value] : experiments[i].differing) settings.push_back(key + " = " + value);
      page.add(fmt::format("<h2>Experiment {}: pictures</h2>\n", i + 1) +
               paragraph("Runs with other settings are another experiment and are not compared with these:", "soft") +
               list_markup(settings));
    }
    page.add(pictures(experiments[i], fmt::format("e{}", i + 1)));
  }
  page.add(options.findings).add(unfinished_figures(set)).add(gates_section(set));
  for (size_t i = 0; i < experiments.size(); ++i) {
    if (experiments.size() > 1) page.heading(fmt::format("Experiment {}: figures", i + 1));
    page.add(details_of(experiments[i], fmt::format("e{}", i + 1)));
  }
  HtmlTable left_out = left_out_table(set, experiments);
  left_out.stacks = true;
  if (!left_out.rows.empty()) page.heading("Not counted").add(left_out.markup());
  return page.add(provenance_section(set)).str();
}

WrittenReport write_report(const std::vector<std::string>& folders, const std::string& html_path,
                           const ReportOptions& options) {
  const RunSet set = read_run_set(folders);
  write_file(html_path, report_page(set, options));
  const std::filesystem::path folder = std::filesystem::path(html_path).parent_path();
  write_file((folder / "results_table.md").string(), results_markdown(set));
  WrittenReport written{set.num_unfinished(), {}};
  for (const Experiment& experiment : experiments_of(set)) {
    const Preregistered preregistered(experiment.runs.front()->settings);
    for (ArmVerdict& verdict : verdicts_of(Comparison(experiment), preregistered)) {
      written.verdicts.push_back(std::move(verdict));
    }
  }
  return written;
}

}  // namespace plumbline
