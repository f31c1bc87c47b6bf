/// What a person sees while arms train: arm, step, hack, pass, rate and time left, read from each arm's steps.tsv.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

struct PreparedArm;

/// What a steps.tsv that another process is writing says by now; empty while it has no row or a half one.
struct ArmProgress {
  int64_t steps_done = 0;
  std::vector<double> hack_rates;  ///< a step
  double pass_rate = 0;            ///< of the last step
};
ArmProgress read_arm_progress(const std::string& steps_path);

/// On a terminal a block of lines that is rewritten; elsewhere one line every half minute and one when an arm ends.
/// Silent when PLUMBLINE_PROGRESS=off. Not thread-safe.
class QueueDisplay {
 public:
  explicit QueueDisplay(const std::vector<PreparedArm>& arms);
  ~QueueDisplay();
  QueueDisplay(const QueueDisplay&) = delete;
  QueueDisplay& operator=(const QueueDisplay&) = delete;

  void show(const std::vector<bool>& is_running);
  void finished(size_t arm);

 private:
  std::string line_of(size_t arm) const;
  std::string summary() const;
  void clear_block();
  void print(const std::string& line) const;

  const std::vector<PreparedArm>& arms_;
  const bool silent_, terminal_;
  const double start_s_;
  int64_t steps_at_start_ = 0, num_steps_ = 0;
  std::vector<ArmProgress> progress_;
  int block_lines_ = 0;
  double shown_s_ = 0;
};

}  // namespace plumbline
