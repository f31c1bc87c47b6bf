#include "plumbline/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr double kTerminalInterval_s = 0.1;
constexpr double kPlainInterval_s = 10;

}  // namespace

bool progress_is_silent() {
  const char* wanted = std::getenv("PLUMBLINE_PROGRESS");
  return wanted && std::string_view(wanted) == "off";
}

bool takes_control_codes(int fd) {
  const char *terminal = std::getenv("TERM"), *no_color = std::getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  return terminal && *terminal && std::string_view(terminal) != "dumb" && ::isatty(fd) == 1;
}

Progress::Progress(std::string title, int64_t total, std::string unit)
    : title_(std::move(title)),
      unit_(std::move(unit)),
      total_(total),
      start_s_(now_s()),
      silent_(progress_is_silent()),
      terminal_(takes_control_codes(STDERR_FILENO)),
      shown_s_(start_s_) {}

Progress::~Progress() {
  const std::lock_guard lock(mutex_);
  if (done_ > 0) show(true);
}

void Progress::advance(int64_t count, const std::string& note) {
  const std::lock_guard lock(mutex_);
  done_ += count;
  note_ = note;
  if (now_s() - shown_s_ >= (terminal_ ? kTerminalInterval_s : kPlainInterval_s)) show(false);
}

void Progress::show(bool last) {
  shown_s_ = now_s();
  if (silent_) return;
  const double elapsed_s = shown_s_ - start_s_;
  const double rate = elapsed_s > 0 ? static_cast<double>(done_) / elapsed_s : 0;
  std::string line = total_ > 0 ? fmt::format("{} {}/{} {}", title_, done_, total_, unit_)
                                : fmt::format("{} {} {}", title_, done_, unit_);
  line += fmt::format(", {:.3g}/s", rate);
  if (last) {
    line += ", " + format_duration(elapsed_s);
  } else if (total_ > 0 && rate > 0) {
    line += ", " + format_duration(static_cast<double>(total_ - done_) / rate) + " left";
  }
  if (!note_.empty()) line += "  " + escape_control(note_);
  const char* end = terminal_ ? (last ? "\033[K\n" : "\033[K") : "\n";
  // Not fmt::print, which throws when the stream cannot be written.
  std::fputs(((terminal_ ? "\r" : "") + line + end).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace plumbline
