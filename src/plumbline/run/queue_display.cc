#include "plumbline/run/queue_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/progress.h"
#include "plumbline/run/arm_queue.h"
#include "plumbline/run/arm_summary.h"

namespace plumbline {
namespace {

constexpr double kTerminalInterval_s = 0.5;
constexpr double kPlainInterval_s = 30;
constexpr size_t kSparkBins = 24;

/// A share as one of eight block characters.
const char* block_of(double share) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double level = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  return kBlocks[static_cast<size_t>(std::min(7.0, level * 8))];
}

/// The hack rate so far in at most kSparkBins blocks.
std::string spark_line(const std::vector<double>& rates, int64_t num_steps) {
  const size_t bins = std::min<size_t>(kSparkBins, static_cast<size_t>(std::max<int64_t>(1, num_steps)));
  std::string line;
  for (size_t bin = 0; bin < bins; ++bin) {
    const size_t begin = bin * static_cast<size_t>(num_steps) / bins;
    const size_t end = (bin + 1) * static_cast<size_t>(num_steps) / bins;
    double sum = 0;
    size_t count = 0;
    for (size_t i = begin; i < std::min(end, rates.size()); ++i) {
      if (std::isnan(rates[i])) continue;
      sum += rates[i];
      ++count;
    }
    line += count > 0 ? block_of(sum / static_cast<double>(count)) : " ";
  }
  return line;
}

}  // namespace

ArmProgress read_arm_progress(const std::string& steps_path) {
  ArmProgress progress;
  if (!std::filesystem::exists(steps_path)) return progress;
  try {
    const StepTable table = read_step_table(steps_path);
    if (table.rows.empty()) return progress;
    progress.steps_done = static_cast<int64_t>(table.rows.size());
    progress.hack_rates = table.column("hack");
    progress.pass_rate = table.column("gt").back();
  } catch (const DataError&) {
    // A row that is being written; the next look sees it whole.
  }
  return progress;
}

QueueDisplay::QueueDisplay(const std::vector<PreparedArm>& arms)
    : arms_(arms),
      silent_(progress_is_silent()),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_s_(now_s()),
      shown_s_(start_s_) {
  for (const PreparedArm& arm : arms_) {
    num_steps_ += arm.num_steps;
    progress_.push_back(read_arm_progress(arm.folder + "/steps.tsv"));
    steps_at_start_ += progress_.back().steps_done;
  }
}

QueueDisplay::~QueueDisplay() {
  clear_block();
}

std::string QueueDisplay::line_of(size_t arm) const {
  const ArmProgress& at = progress_[arm];
  const double hack = at.hack_rates.empty() ? 0 : at.hack_rates.back();
  return fmt::format("{:<16} step {:>4}/{:<4} pass {:>5.1f}%  hack {:>5.1f}%  {}", arms_[arm].label(), at.steps_done,
                     arms_[arm].num_steps, 100 * at.pass_rate, 100 * hack,
                     spark_line(at.hack_rates, arms_[arm].num_steps));
}

std::string QueueDisplay::summary() const {
  int64_t steps_done = 0, num_complete = 0;
  for (size_t arm = 0; arm < arms_.size(); ++arm) {
    steps_done += progress_[arm].steps_done;
    num_complete += arms_[arm].is_complete() ? 1 : 0;
  }
  const double elapsed_s = now_s() - start_s_;
  const int64_t made = steps_done - steps_at_start_;
  std::string line =
      fmt::format("arms {}/{} complete, {}/{} steps", num_complete, arms_.size(), steps_done, num_steps_);
  if (made > 0) {
    const double rate = static_cast<double>(made) / elapsed_s;
    line += fmt::format(", {:.2g} steps/s, {} left", rate,
                        format_duration(static_cast<double>(num_steps_ - steps_done) / rate));
  }
  return line;
}

void QueueDisplay::show(const std::vector<bool>& is_running) {
  if (silent_ || now_s() - shown_s_ < (terminal_ ? kTerminalInterval_s : kPlainInterval_s)) return;
  shown_s_ = now_s();
  for (size_t arm = 0; arm < arms_.size(); ++arm) {
    if (is_running[arm]) progress_[arm] = read_arm_progress(arms_[arm].folder + "/steps.tsv");
  }
  clear_block();
  for (size_t arm = 0; arm < arms_.size(); ++arm) {
    if (!is_running[arm]) continue;
    print(line_of(arm));
    if (terminal_) ++block_lines_;
  }
  print(summary());
  if (terminal_) ++block_lines_;
}

void QueueDisplay::finished(size_t arm) {
  progress_[arm] = read_arm_progress(arms_[arm].folder + "/steps.tsv");
  if (silent_) return;
  clear_block();
  print(line_of(arm) + "  complete");
}

/// Goes up over what was shown and clears it.
void QueueDisplay::clear_block() {
  if (block_lines_ > 0) std::fprintf(stderr, "\033[%dA\033[J", block_lines_);
  block_lines_ = 0;
}

void QueueDisplay::print(const std::string& line) const {
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace plumbline
