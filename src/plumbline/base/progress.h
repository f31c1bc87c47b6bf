/// Progress of long work on stderr: one line rewritten on a terminal, plain lines at intervals otherwise.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace plumbline {

/// PLUMBLINE_PROGRESS=off: nothing is shown.
bool progress_is_silent();

/// True where `fd` is a terminal that takes colours and cursor moves: TERM says so and NO_COLOR is not set.
bool takes_control_codes(int fd);

/// Thread-safe. What cannot be written is lost, never an error. Finishes its line on destruction.
class Progress {
 public:
  /// `title` names the work ("grading"), `total` may be 0 when unknown, `unit` is plural ("completions").
  Progress(std::string title, int64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Adds `count` finished units and shows `note` beside the rate and the time left.
  void advance(int64_t count = 1, const std::string& note = "");

 private:
  void show(bool last);

  const std::string title_, unit_;
  const int64_t total_;
  const double start_s_;
  const bool silent_, terminal_;
  std::mutex mutex_;
  int64_t done_ = 0;
  std::string note_;
  double shown_s_ = 0;
};

}  // namespace plumbline
