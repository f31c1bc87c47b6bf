#include "plumbline/run/arm_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace {

constexpr size_t kFinalSteps = 5;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

double number(const std::string& word, const std::string& where) {
  if (word == "T" || word == "F") return word == "T" ? 1.0 : 0.0;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0')
    throw DataError("data.steps_table", "'" + word + "' is not a number", where, "see the run's log");
  return value;
}

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

std::vector<double> StepTable::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw DataError("data.steps_column", "steps.tsv has no column '" + name + "'");
  std::vector<double> values;
  for (const auto& row : rows) values.push_back(row[static_cast<size_t>(found - columns.begin())]);
  return values;
}

StepTable read_step_table(const std::string& path) {
  StepTable table;
  const std::vector<std::string> lines = split(read_file(path), '\n');
  table.columns = split(lines.front(), '\t');
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::string where = fmt::format("{}:{}", path, i + 1);
    const std::vector<std::string> words = split(lines[i], '\t');
    if (words.size() != table.columns.size()) {
      throw DataError("data.steps_table",
                      fmt::format("{} columns where the header has {}", words.size(), table.columns.size()), where,
                      "the file was cut or edited; resume the run");
    }
    auto& row = table.rows.emplace_back();
    for (const std::string& word : words) row.push_back(number(word, where));
  }
  return table;
}

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
