#include "plumbline/compare/judgement_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/report/html_page.h"
#include "plumbline/report/markdown.h"
#include "plumbline/report/svg_chart.h"

namespace plumbline {
namespace {

constexpr const char* kTitle = "plumbline compare";

std::string interval_points(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{}, {}]", points(interval->low), points(interval->high)) : std::string("none");
}

std::string bootstrap_cell(const Interval& interval) {
  return interval_points(interval) + (interval.low < interval.high ? "" : " (no spread: it says nothing)");
}

std::string rate_cell(double mean, const std::optional<Interval>& interval) {
  return interval ? fmt::format("{} [{}, {}]", percent(mean), percent(interval->low), percent(interval->high))
                  : fmt::format("{:.4f}", mean);
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : std::string();
}

std::string headline_of(const Judgement& judgement) {
  std::string text(name_of(judgement.decision));
  const std::vector<std::string> blocking = judgement.blocking();
  for (size_t i = 0; i < blocking.size(); ++i) text += (i == 0 ? ": " : ", ") + blocking[i];
  return text;
}

HtmlTable gates_table(const Judgement& judgement) {
  HtmlTable table;
  table.caption = "Gates; an undecided one is not a pass";
  table.header = {"gate", "task", "state", "value", "threshold", "what it saw"};
  table.stacks = true;
  for (const JudgedGate& judged : judgement.gates) {
    const Gate& gate = judged.gate;
    table.rows.push_back({gate.id, judged.task, std::string(name_of(gate.state)), number_cell(gate.value),
                          number_cell(gate.threshold), gate.words});
  }
  return table;
}

std::vector<std::string> effect_cells(const std::string& name, const Effect& effect) {
  return {name,
          fmt::format("{} / {}", effect.num_rows, effect.effective_n),
          rate_cell(effect.base_mean, effect.base_interval),
          rate_cell(effect.candidate_mean, effect.candidate_interval),
          fmt::format("{} {}", points(effect.delta), interval_points(effect.interval)),
          bootstrap_cell(effect.published_by_item.value_or(effect.published)),
          interval_points(effect.over_seeds ? effect.over_seeds->interval : std::nullopt),
          fmt::format("{:.3g}", effect.exact_p),
          effect.mde ? fmt::format("{:.1f}", 100 * *effect.mde) : std::string("none")};
}

HtmlTable effects_table(const Judgement& judgement) {
  HtmlTable table;
  table.caption =
      "Paired differences in points with 95% intervals; rates in % with Wilson's interval over prompts; detectable = "
      "smallest difference that these prompts show with 80% power, at the largest variance that pass or fail (or "
      "scores "
      "between the lowest and the highest seen) can have";
  table.header = {"task",         "rows / prompts", "base",      "candidate", "delta", "paired bootstrap",
                  "t over seeds", "exact p",        "detectable"};
  table.stacks = true;
  for (const JudgedTask& task : judgement.tasks) {
    const TaskEvidence& evidence = task.evidence;
    table.rows.push_back(effect_cells(fmt::format("{} ({})", evidence.task, name_of(task.role)), evidence.effect));
    if (evidence.num_truncated.value_or(0) > 0 && evidence.untruncated) {
      table.rows.push_back(effect_cells(evidence.task + ", neither arm truncated", *evidence.untruncated));
    }
    if (evidence.protected_axis) {
      table.rows.push_back(effect_cells(evidence.task + ", protected rows", *evidence.protected_axis));
    }
  }
  return table;
}

HtmlTable files_table(const Judgement& judgement, const DecisionRequest& request) {
  HtmlTable table;
  table.caption = "Files, by their SHA-256";
  table.header = {"file", "task", "seed", "sha256"};
  table.wraps = true;
  for (const JudgedTask& task : judgement.tasks) {
    for (const EvalReport* report : task.evidence.reports) {
      table.rows.push_back({report->path, task.evidence.task, std::to_string(report->seed), report->sha256});
    }
  }
  if (!request.plan.path.empty()) table.rows.push_back({request.plan.path, "plan", "", request.plan.sha256});
  return table;
}

HtmlTable pins_table(const Judgement& judgement) {
  HtmlTable table;
  table.caption = "Pins of the first report of each task; the gate `comparable` compares all of them";
  table.header = {"pin"};
  table.wraps = true;
  std::vector<std::string> names(pin_names().begin(), pin_names().end());
  for (const JudgedTask& task : judgement.tasks) {
    table.header.push_back(task.evidence.task);
    for (const auto& [name, value] : task.evidence.reports.front()->pins.values()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    bool is_recorded = false;
    for (const JudgedTask& task : judgement.tasks) {
      const auto value = task.evidence.reports.front()->pins.find(name);
      is_recorded = is_recorded || value.has_value();
      row.push_back(value.value_or("not recorded"));
    }
    if (is_recorded) table.rows.push_back(std::move(row));
  }
  return table;
}

/// A dot a seed, a row a task: the delta of each.
std::string seeds_figure(const Judgement& judgement) {
  std::vector<DotRow> rows;
  for (const JudgedTask& task : judgement.tasks) {
    DotRow row;
    row.name = task.evidence.task;
    row.ink = task.role == TaskRole::kHeadline ? Ink::kTreated : Ink::kMuted;
    for (const SeedEffect& seed : task.evidence.effect.seeds) {
      row.values.push_back(seed.delta);
      row.value_labels.push_back(fmt::format("seed {}: {} points", seed.seed, points(seed.delta)));
    }
    rows.push_back(std::move(row));
  }
  return dot_figure("Difference by seed", "Candidate minus base, one dot a seed, in % of items", rows, "seeds",
                    "Each seed counts for itself: a mean over seeds can hide one that goes the other way.");
}

std::string verdict_markup(const Judgement& judgement) {
  const char* tone = judgement.decision == Decision::kGo ? "good" : judgement.decision == Decision::kNoGo ? "bad" : "";
  std::string text =
      fmt::format("<section class=\"verdict {}\"><h2>{}</h2><ul>", tone, escape_html(headline_of(judgement)));
  for (const JudgedGate* judged : judgement.blocking_gates()) {
    text +=
        fmt::format("<li><b>{}</b> {}: {}<br>To pass: {}</li>", escape_html(judged->title()),
                    name_of(judged->gate.state), escape_html(judged->gate.words), escape_html(judged->gate.to_pass));
  }
  if (judgement.decision == Decision::kInvalid) {
    text += "<li>The comparison itself is broken, so no effect is shown.</li>";
  }
  return text + "</ul></section>\n";
}

}  // namespace

std::string judgement_html(const Judgement& judgement, const DecisionRequest& request, const std::string& findings) {
  HtmlPage page(kTitle);
  page.add(verdict_markup(judgement));
  if (!findings.empty()) page.heading("Findings").add(findings);
  if (judgement.decision != Decision::kInvalid) {
    page.heading("Effects").add(effects_table(judgement).markup()).add(seeds_figure(judgement));
  }
  page.heading("Gates").add(gates_table(judgement).markup());
  if (!judgement.notes.empty()) {
    page.heading("Notes");
    for (const std::string& note : judgement.notes) page.paragraph(note);
  }
  page.heading("What was compared").add(files_table(judgement, request).markup()).add(pins_table(judgement).markup());
  return page.str();
}

std::string judgement_markdown(const Judgement& judgement, const DecisionRequest& request,
                               const std::string& findings) {
  std::string text = "**" + markdown_text(headline_of(judgement)) + "**\n\n";
  const std::vector<const JudgedGate*> blocking = judgement.blocking_gates();
  for (const JudgedGate* judged : blocking) {
    text += fmt::format("- {}, to pass: {}\n", markdown_text(judged->title()), markdown_text(judged->gate.to_pass));
  }
  if (!blocking.empty()) text += "\n";
  if (!findings.empty()) text += findings + "\n";
  if (judgement.decision != Decision::kInvalid) text += markdown_table(effects_table(judgement));
  text += markdown_table(gates_table(judgement));
  for (const std::string& note : judgement.notes) text += "- " + markdown_text(note) + "\n";
  text += (judgement.notes.empty() ? "" : "\n") + markdown_table(files_table(judgement, request));
  return text + markdown_table(pins_table(judgement));
}

}  // namespace plumbline
