#include "plumbline/report/arm_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "plumbline/report/html_page.h"
#include "plumbline/report/svg_chart.h"

namespace plumbline {
namespace {

using CurveOf = std::function<Curve(const ArmRun&)>;

/// Vanilla and projected have colours of their own, controls are muted and told apart by dashes.
struct Look {
  Ink ink = Ink::kMuted;
  int dash = 0;
};

Look look_of(const std::string& arm, size_t treatment_index) {
  const Arm kind = arm_of_name(arm);
  if (arm == "vanilla") return {Ink::kVanilla, 0};
  if (kind.is_control()) return {Ink::kMuted, kind.kind == "haar" ? 1 : kind.kind == "shuffled" ? 2 : 3};
  constexpr Ink kInks[] = {Ink::kTreated, Ink::kOther1, Ink::kOther2};
  return {kInks[treatment_index % std::size(kInks)], static_cast<int>(treatment_index / std::size(kInks))};
}

std::map<std::string, Look> looks_of(const Comparison& comparison) {
  std::map<std::string, Look> looks;
  size_t treatments = 0;
  for (const ArmFigures& arm : comparison.arms()) {
    looks[arm.arm] = look_of(arm.arm, treatments);
    treatments += !arm_of_name(arm.arm).is_control() && arm.arm != "vanilla";
  }
  return looks;
}

/// Mean and range over the runs, at the steps that all of them have.
ChartSeries series_over(const std::vector<const ArmRun*>& runs, const CurveOf& curve_of_run) {
  std::map<double, std::vector<double>> at;
  for (const ArmRun* run : runs) {
    const Curve curve = curve_of_run(*run);
    for (size_t i = 0; i < curve.step.size(); ++i) at[curve.step[i]].push_back(curve.value[i]);
  }
  ChartSeries series;
  for (const auto& [step, values] : at) {
    if (values.size() != runs.size()) continue;
    double sum = 0;
    for (const double value : values) sum += value;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const bool is_there = std::isfinite(sum);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    series.x.push_back(step);
    series.y.push_back(sum / static_cast<double>(values.size()));
    series.low.push_back(is_there ? *low : nan);
    series.high.push_back(is_there ? *high : nan);
  }
  return series;
}

bool has_values(const ChartSeries& series) {
  return std::any_of(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); });
}

/// Seeds that every arm has: a mean over several seeds is never drawn against a single one.
std::vector<uint64_t> shared_seeds(const Comparison& comparison) {
  std::map<uint64_t, size_t> counts;
  for (const ArmFigures& arm : comparison.arms()) {
    for (const ArmRun* run : arm.runs) ++counts[run->seed];
  }
  std::vector<uint64_t> shared;
  for (const auto& [seed, count] : counts) {
    if (count == comparison.arms().size()) shared.push_back(seed);
  }
  return shared;
}

/// One series an arm over the shared seeds; without any, one a run.
std::vector<ChartSeries> arm_series(const Comparison& comparison, const CurveOf& curve_of_run) {
  const std::map<std::string, Look> looks = looks_of(comparison);
  const std::vector<uint64_t> seeds = shared_seeds(comparison);
  std::vector<ChartSeries> all;
  const auto add = [&](const std::string& name, const Look& look, const std::vector<const ArmRun*>& runs) {
    ChartSeries series = series_over(runs, curve_of_run);
    if (!has_values(series)) return;
    series.name = name;
    series.ink = look.ink;
    series.dash = look.dash;
    if (look.ink == Ink::kMuted || runs.size() < 2) series.low = series.high = {};
    all.push_back(std::move(series));
  };
  for (const ArmFigures& arm : comparison.arms()) {
    std::vector<const ArmRun*> shared;
    for (const ArmRun* run : arm.runs) {
      if (seeds.empty()) add(run->label(), looks.at(arm.arm), {run});
      if (std::find(seeds.begin(), seeds.end(), run->seed) != seeds.end()) shared.push_back(run);
    }
    if (!shared.empty()) add(arm.arm, looks.at(arm.arm), shared);
  }
  return all;
}

std::string caption_of(const Comparison& comparison, Basis basis) {
  const std::vector<uint64_t> seeds = shared_seeds(comparison);
  std::string text = std::string(words_of(basis)) + "; ";
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (seeds.empty()) return text + "one line a run: no seed is complete in every arm.";
  if (seeds.size() == 1) return text + fmt::format("seed {} alone.", seeds.front());
  return text + fmt::format("lines: mean over seeds {}; bands: lowest to highest seed.", fmt::join(seeds, ", "));
}

/// "vanilla ends at 72.7 %, projected at 6.2 %".
std::string ends_words(const std::vector<ChartSeries>& series, bool is_share) {
  std::string text;
  for (const ChartSeries& one : series) {
    for (size_t i = one.y.size(); i-- > 0;) {
      if (!std::isfinite(one.y[i])) continue;
      text += fmt::format("{}{} ends at {}", text.empty() ? "" : ", ", one.name,
                          is_share ? percent(one.y[i]) + " %" : fmt::format("{:.4g}", one.y[i]));
      break;
    }
  }
  return text + ".";
}

std::string title_of(Metric metric) {
  if (metric == Metric::kPass) return "Solved: trusted pass rate";
  return metric == Metric::kVacuous ? "Hacked: tester that cannot fail" : "Hacked: own tester passes, real tests fail";
}

std::string dots(const Comparison& comparison, Metric metric, const std::string& id) {
  const std::map<std::string, Look> looks = looks_of(comparison);
  std::vector<DotRow> rows;
  std::string description = "One dot a run. ";
  for (const ArmFigures& arm : comparison.arms()) {
    DotRow row{arm.arm, arm.values(metric), {}, looks.at(arm.arm).ink};
    for (size_t i = 0; i < arm.runs.size(); ++i) {
      row.value_labels.push_back(fmt::format("seed {}: {} %", arm.runs[i]->seed, percent(row.values[i])));
    }
    description += fmt::format("{}: {}. ", arm.arm, fmt::join(row.value_labels, ", "));
    rows.push_back(std::move(row));
  }
  return dot_figure(fmt::format("Every run after its last step: {}", name_of(metric)), description, rows, id,
                    "One dot a run; each control draw and seed is another direction.");
}

}  // namespace

std::string main_figures(const Comparison& comparison, const Preregistered& preregistered, const std::string& prefix) {
  std::string out = "<div class=\"pair\">\n";
  Basis basis = comparison.basis();
  // Two evaluations (before and after) are no curve.
  constexpr size_t kFewestPoints = 3;
  for (const ArmFigures& arm : comparison.arms()) {
    for (const ArmRun* run : arm.runs) {
      if (curve_of(*run, basis, Metric::kPass).step.size() < kFewestPoints) basis = Basis::kLastSteps;
    }
  }
  const Metric other = preregistered.metric == Metric::kHacked ? Metric::kVacuous : Metric::kHacked;
  std::string more;
  for (const Metric metric : {preregistered.metric, Metric::kPass, other}) {
    Chart chart{title_of(metric), "", "training step", 0, 0.1, true, ChartSize::kLarge, {}};
    chart.series = arm_series(comparison, [&](const ArmRun& run) { return curve_of(run, basis, metric); });
    chart.description = ends_words(chart.series, true);
    const std::string figure =
        chart_figure(chart, fmt::format("{}-{}", prefix, column_of(metric)), caption_of(comparison, basis));
    (metric == other ? more : out) += figure;
  }
  more += dots(comparison, preregistered.metric, prefix + "-dots");
  return out + "</div>\n<div class=\"pair\">\n" + more + "</div>\n";
}

std::string small_multiples(const Comparison& comparison, const std::string& prefix) {
  struct Panel {
    const char *column, *title;
    bool is_share;
  };
  constexpr Panel kPanels[] = {{"rew", "Reward", false},
                               {"hack", "Hacked (strict), training", true},
                               {"vacuous", "Vacuous, training", true},
                               {"gt", "Trusted pass, training", true},
                               {"entropy", "Entropy, nats a token", false},
                               {"len", "Length, tokens", false},
                               {"trunc", "Truncated", true},
                               {"kl", "KL to the start, nats a token", false},
                               {"gnorm", "Gradient norm", false},
                               {"cin", "cin: cosine to the direction", false},
                               {"cout", "cout: after the projection", false},
                               {"fired", "fired: modules acted on", true}};
  std::string out = "<div class=\"grid\">\n", absent;
  for (const Panel& panel : kPanels) {
    Chart chart{panel.title, "", "training step", 0, panel.is_share ? 0.1 : 0, panel.is_share, ChartSize::kSmall, {}};
    chart.series = arm_series(comparison, [&](const ArmRun& run) { return smoothed_column(run, panel.column); });
    if (chart.series.empty()) {
      absent += fmt::format("{}{}", absent.empty() ? "" : ", ", panel.column);
      continue;
    }
    chart.description = ends_words(chart.series, panel.is_share);
    out += chart_figure(chart, fmt::format("{}-m-{}", prefix, panel.column), "");
  }
  out += "</div>\n";
  if (!absent.empty()) out += "<p class=\"note\">Not measured in these runs: " + escape_html(absent) + ".</p>\n";
  return out;
}

std::string unfinished_figures(const RunSet& set) {
  std::string out;
  for (const Metric metric : {Metric::kHacked, Metric::kVacuous, Metric::kPass}) {
    Chart chart{std::string("So far: ") + name_of(metric), "", "training step", 0, 0.1, true, ChartSize::kLarge, {}};
    size_t treatments = 0;
    for (const ArmRun& run : set.runs) {
      if (run.state != RunState::kIncomplete || run.steps.rows.empty()) continue;
      const Look look = look_of(run.arm, treatments);
      treatments += look.ink != Ink::kVanilla && look.ink != Ink::kMuted && run.arm != "projected";
      const Curve curve = curve_of(run, Basis::kLastSteps, metric);
      chart.series.push_back({run.label(), curve.step, curve.value, {}, {}, look.ink, look.dash});
    }
    if (chart.series.empty()) return "";
    chart.description = ends_words(chart.series, true);
    out += chart_figure(chart, fmt::format("unfinished-{}", column_of(metric)),
                        "Runs that are not complete, one line each: training completions, mean of five steps.");
  }
  return "<div class=\"pair\">\n" + out + "</div>\n";
}

}  // namespace plumbline
