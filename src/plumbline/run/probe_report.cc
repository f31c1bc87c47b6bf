#include "plumbline/run/probe_report.h"

#include <fmt/format.h>

#include "plumbline/report/html_page.h"
#include "plumbline/report/svg_chart.h"
#include "plumbline/run/arm_summary.h"

namespace plumbline {
namespace {

Chart chart_of(const std::string& title, const std::string& column, const RunDirectory& directory,
               const std::vector<ArmSummary>& arms) {
  Chart chart{title, "training step", "share of completions", 0, 1, {}};
  for (const ArmSummary& arm : arms) {
    const StepTable table = read_step_table(directory.file(fmt::format("arms/{}-s{}/steps.tsv", arm.arm, arm.seed)));
    chart.series.push_back(
        {fmt::format("{} s{}", arm.arm, arm.seed), table.column("step"), table.column(column), arm.arm != "vanilla"});
  }
  return chart;
}

}  // namespace

std::string probe_report(const Preset& preset, const RunDirectory& directory, const std::vector<ArmSummary>& arms,
                         const std::vector<Gate>& gates) {
  HtmlPage page("plumbline probe: " + preset.name);
  page.paragraph(
      fmt::format("Model {}, {} steps of {} x {} completions, hint {}. Did the model learn the task, or to fool "
                  "the grader?",
                  preset.model.path, preset.train.steps, preset.rollout.prompts_per_step, preset.rollout.group_size,
                  preset.data.hint));
  if (!arms.empty()) {
    page.figure(render_svg(chart_of("Hacked: own tester passes, real tests fail", "hack", directory, arms)));
    page.figure(render_svg(chart_of("Solved: the real tests pass", "gt", directory, arms)));
    page.heading("Results").preformatted(results_table(arms));
  }
  page.heading("Gates").preformatted(format_gates(gates, false));
  page.paragraph(
      "One seed has no interval. Gate D compares with vanilla alone; only control directions of the same rank "
      "can show that this direction did it.");
  return page.str();
}

}  // namespace plumbline
