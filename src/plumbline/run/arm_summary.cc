#include "plumbline/run/arm_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr size_t kFinalSteps = 5;

/// Mean of the last kFinalSteps values; NaN entries (nothing graded) are left out.
double final_mean(const std::vector<double>& values) {
  double sum = 0;
  int64_t count = 0;
  for (size_t i = values.size() > kFinalSteps ? values.size() - kFinalSteps : 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    sum += values[i];
    ++count;
  }
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::isnan(value) ? 0.0 : value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

}  // namespace

ArmSummary summarize_steps(const StepTable& table, const std::string& arm, uint64_t seed, int64_t steps_planned) {
  ArmSummary summary;
  summary.arm = arm;
  summary.seed = seed;
  summary.steps_planned = steps_planned;
  summary.steps_done = static_cast<int64_t>(table.rows.size());
  if (table.rows.empty()) return summary;
  const std::vector<double> loss = table.column("loss"), hack = table.column("hack"), counts = table.column("N");
  summary.loss_finite = std::all_of(loss.begin(), loss.end(), [](double value) { return std::isfinite(value); });
  summary.share_with_spread = mean(table.column("sprd"));
  summary.first_hack = std::isnan(hack.front()) ? 0.0 : hack.front();
  summary.final_hack = final_mean(hack);
  summary.final_vacuous = final_mean(table.column("vacuous"));
  summary.final_pass = final_mean(table.column("gt"));
  summary.final_reward = final_mean(table.column("rew"));
  summary.mean_fired = mean(table.column("fired"));
  for (size_t i = counts.size() > kFinalSteps ? counts.size() - kFinalSteps : 0; i < counts.size(); ++i) {
    summary.num_graded_final += static_cast<int64_t>(counts[i]);
  }
  return summary;
}

std::string results_table(const std::vector<ArmSummary>& arms) {
  std::string text =
      "| arm | seed | steps | reward | trusted pass | hack | vacuous | fired |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const ArmSummary& arm : arms) {
    text += fmt::format("| {} | {} | {}/{} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {} |\n", arm.arm, arm.seed,
                        arm.steps_done, arm.steps_planned, arm.final_reward, arm.final_pass, arm.final_hack,
                        arm.final_vacuous, arm.arm == "vanilla" ? "" : fmt::format("{:.2f}", arm.mean_fired));
  }
  text +=
      "\nEach figure is the mean of a run's last five steps, over sampled training completions. hack: own tester "
      "passes and "
      "the real tests fail; vacuous: own tester passes on a stub.\n";
  return text;
}

}  // namespace plumbline
