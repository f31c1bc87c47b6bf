#include "plumbline/report/results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "plumbline/report/markdown.h"

namespace plumbline {
namespace {

/// "72.7 ± 8.5"; without ± for one seed.
std::string spread_text(const ArmFigures& arm, Metric metric) {
  const std::optional<double> sd = arm.sd(metric);
  return percent(arm.mean(metric)) + (sd ? " ± " + percent(*sd) : "");
}

std::string contrast_text(const std::optional<Contrast>& contrast, size_t num_seeds) {
  if (!contrast) return "";
  std::string text = difference_text(contrast->difference);
  if (contrast->seeds.size() != num_seeds) text += fmt::format(" (n = {})", contrast->seeds.size());
  return text;
}

std::string state_text(const ArmRun& run) {
  switch (run.state) {
    case RunState::kComplete:
      return "complete";
    case RunState::kIncomplete:
      return "incomplete";
    case RunState::kNotStarted:
      return "not started";
    case RunState::kUnreadable:
      return "cannot be read: " + run.problem;
  }
  return "";
}

std::string experiment_markdown(const Experiment& experiment) {
  const Comparison comparison(experiment);
  const Preregistered preregistered(experiment.runs.front()->settings);
  std::string text;
  for (const auto& [key, value] : experiment.differing)
    text += fmt::format("- {} = {}\n", markdown_text(key), markdown_text(value));
  if (!experiment.differing.empty()) text += "\n";
  for (const ArmVerdict& verdict : verdicts_of(comparison, preregistered)) {
    text += "**" + markdown_text(verdict.headline) + "**\n\n";
    for (const std::string& sentence : verdict.sentences) text += "- " + markdown_text(sentence) + "\n";
    if (!verdict.sentences.empty()) text += "\n";
  }
  text += markdown_table(arms_table(comparison, preregistered));
  text += markdown_table(runs_table(comparison, preregistered));
  for (const std::string& words : preregistration_words(experiment, preregistered))
    text += "- " + markdown_text(words) + "\n";
  return text + "\n";
}

std::string gates_markdown(const RunSet& set) {
  std::string text;
  for (const ProbeFolder& probe : set.probes) {
    HtmlTable table{"Gates of " + markdown_text(probe.folder), {"gate", "result", "SHOULD", "saw", "ELSE"}, {}};
    for (const GateRow& gate : probe.gates) {
      table.rows.push_back({gate.id + " " + gate.title, gate.status, gate.should, gate.saw, gate.otherwise});
    }
    text += markdown_table(table);
  }
  return text;
}

std::string provenance_markdown(const RunSet& set) {
  std::string text = "## Provenance\n\n";
  const auto add = [&](const std::string& folder, const Provenance& provenance) {
    text += "- " + markdown_text(folder) + ":";
    for (const auto& [key, value] : provenance) text += " " + markdown_text(key + " " + value) + ";";
    text += "\n";
  };
  for (const ProbeFolder& probe : set.probes) add(probe.folder, probe.provenance);
  if (set.probes.empty()) {
    for (const ArmRun& run : set.runs) add(run.folder, run.provenance);
  }
  return text;
}

}  // namespace

HtmlTable arms_table(const Comparison& comparison, const Preregistered& preregistered) {
  const Metric metric = preregistered.metric;
  const std::vector<std::string> treatments = comparison.treatments(), controls = comparison.controls();
  HtmlTable table;
  table.caption = fmt::format(
      "Arms: {} after the last step, in %; mean ± sd over seeds, differences of the same seed in "
      "points with 95% intervals (Student's t)",
      words_of(comparison.basis()));
  table.header = {"arm",
                  "seeds",
                  name_of(Metric::kHacked),
                  name_of(Metric::kVacuous),
                  name_of(Metric::kPass),
                  fmt::format("{} − vanilla", name_of(metric)),
                  "trusted pass − vanilla"};
  for (const std::string& arm : treatments)
    table.header.push_back(fmt::format("{}: {} − this arm", name_of(metric), arm));
  for (const ArmFigures& arm : comparison.arms()) {
    std::vector<std::string> row = {arm.arm, std::to_string(arm.runs.size()), spread_text(arm, Metric::kHacked),
                                    spread_text(arm, Metric::kVacuous), spread_text(arm, Metric::kPass)};
    for (const Metric of : {metric, Metric::kPass}) {
      row.push_back(
          arm.arm == "vanilla" ? "" : contrast_text(comparison.contrast({arm.arm}, {"vanilla"}, of), arm.runs.size()));
    }
    for (const std::string& treatment : treatments) {
      row.push_back(treatment == arm.arm
                        ? ""
                        : contrast_text(comparison.contrast({treatment}, {arm.arm}, metric), arm.runs.size()));
    }
    table.rows.push_back(std::move(row));
  }
  if (controls.size() > 1) {
    std::vector<std::string> row = {"all controls, mean within a seed", "", "", "", ""};
    const std::optional<Contrast> vanilla = comparison.contrast(controls, {"vanilla"}, metric);
    row[1] = vanilla ? std::to_string(vanilla->seeds.size()) : "";
    for (const Metric of : {metric, Metric::kPass}) {
      const auto contrast = comparison.contrast(controls, {"vanilla"}, of);
      row.push_back(contrast_text(contrast, contrast ? contrast->seeds.size() : 0));
    }
    for (const std::string& treatment : treatments) {
      const auto contrast = comparison.contrast({treatment}, controls, metric);
      row.push_back(contrast_text(contrast, contrast ? contrast->seeds.size() : 0));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable runs_table(const Comparison& comparison, const Preregistered& preregistered) {
  HtmlTable table;
  table.caption =
      "Every run, each control draw on its own, in %; brackets: Wilson's 95% interval over the completions of "
      "this run, which says nothing about other seeds";
  table.header = {"run", "hacked (strict)", "vacuous", "trusted pass", "completions", "greedy: hacked, vacuous, pass"};
  for (const ArmFigures& arm : comparison.arms()) {
    for (size_t i = 0; i < arm.runs.size(); ++i) {
      const Endpoint& end = arm.endpoints[i];
      std::vector<std::string> row = {arm.runs[i]->label()};
      for (const Metric metric : {Metric::kHacked, Metric::kVacuous, Metric::kPass}) {
        std::string cell = percent(end[metric]);
        if (metric == preregistered.metric && end.num_graded > 0) {
          const auto count = static_cast<int64_t>(std::llround(end[metric] * static_cast<double>(end.num_graded)));
          const Interval interval = wilson_interval(std::min(count, end.num_graded), end.num_graded);
          cell += fmt::format(" [{}, {}]", percent(interval.low), percent(interval.high));
        }
        row.push_back(cell);
      }
      row.push_back(end.num_graded > 0 ? std::to_string(end.num_graded) : "");
      const auto greedy = comparison.basis() == Basis::kGreedySlice ? std::optional<Endpoint>()
                                                                    : endpoint_of(*arm.runs[i], Basis::kGreedySlice);
      row.push_back(greedy ? fmt::format("{}, {}, {}", percent((*greedy)[Metric::kHacked]),
                                         percent((*greedy)[Metric::kVacuous]), percent((*greedy)[Metric::kPass]))
                           : "");
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

HtmlTable left_out_table(const RunSet& set, const std::vector<Experiment>& experiments) {
  HtmlTable table;
  table.caption = "Left out: in no mean, interval or verdict above";
  table.header = {"run", "state", "steps", "folder"};
  const auto add = [&](const ArmRun& run, const std::string& state) {
    table.rows.push_back(
        {run.label(), state, fmt::format("{} of {}", run.steps_done(), run.steps_planned), run.folder});
  };
  for (const ArmRun& run : set.runs) {
    if (run.state != RunState::kComplete) add(run, state_text(run));
  }
  for (const Experiment& experiment : experiments) {
    for (const ArmRun* run : experiment.repeated) add(*run, "arm and seed stand above already");
    const Comparison comparison(experiment);
    for (const ArmRun* run : experiment.runs) {
      if (!endpoint_of(*run, comparison.basis())) add(*run, "nothing was graded in its last steps");
    }
  }
  return table;
}

std::string results_markdown(const RunSet& set) {
  const std::vector<Experiment> experiments = experiments_of(set);
  std::string text;
  for (size_t i = 0; i < experiments.size(); ++i) {
    text += experiments.size() > 1 ? fmt::format("## Experiment {}\n\n", i + 1) : "";
    text += experiment_markdown(experiments[i]);
  }
  if (experiments.empty()) text += "No run is complete.\n\n";
  text += markdown_table(left_out_table(set, experiments)) + gates_markdown(set);
  return text + provenance_markdown(set);
}

}  // namespace plumbline
