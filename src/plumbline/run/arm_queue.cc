#include "plumbline/run/arm_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "plumbline/base/check.h"
#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/run/queue_display.h"

namespace plumbline {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(200);
constexpr size_t kLogTail_bytes = 4096;

std::string log_of(const PreparedArm& arm) {
  return arm.folder + "/train.log";
}

/// The child's side between fork and exec: only calls that are safe there.
[[noreturn]] void become_arm(const char* program, const char* folder, const char* log, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGINT);  // the arm saves itself when we die
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitCode::kInterrupted));
  ::setpgid(0, 0);  // Ctrl-C reaches us; we hand it on, once
  const int null = ::open("/dev/null", O_RDONLY);
  const int out = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (null < 0 || out < 0) ::_exit(static_cast<int>(ExitCode::kData));
  ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  const std::array<const char*, 5> words = {program, "train", "--resume", folder, nullptr};
  ::execv(program, const_cast<char* const*>(words.data()));
  ::_exit(static_cast<int>(ExitCode::kInternal));
}

/// The last line that looks like an error ("id: message"), else the last line, of what an arm printed.
std::string last_words(const PreparedArm& arm) {
  const std::string text = std::filesystem::exists(log_of(arm)) ? read_file(log_of(arm)) : "";
  std::string_view tail = text;
  if (tail.size() > kLogTail_bytes) tail.remove_prefix(tail.size() - kLogTail_bytes);
  while (tail.ends_with('\n')) tail.remove_suffix(1);
  const size_t line = tail.rfind('\n');
  return std::string(line == std::string_view::npos ? tail : tail.substr(line + 1));
}

[[noreturn]] void report_failure(const PreparedArm& arm, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::kInternal);
  const std::string message =
      WIFSIGNALED(status) ? fmt::format("arm {} was ended by signal {}", arm.label(), WTERMSIG(status))
                          : fmt::format("arm {} ended with exit code {}: {}", arm.label(), code, last_words(arm));
  const std::string id = "run.arm_failed", next_step = "its train.log has the whole story; mend it, then resume";
  switch (static_cast<ExitCode>(code)) {
    case ExitCode::kConfig:
      throw ConfigError(id, message, arm.folder, next_step);
    case ExitCode::kData:
      throw DataError(id, message, arm.folder, next_step);
    case ExitCode::kNumeric:
      throw NumericError(id, message, arm.folder, next_step);
    case ExitCode::kSandbox:
      throw SandboxError(id, message, arm.folder, next_step);
    default:
      throw InternalError(id, message, arm.folder, next_step);
  }
}

class Queue {
 public:
  Queue(const std::vector<PreparedArm>& arms, int64_t parallel, const std::string& resume_hint)
      : arms_(arms), parallel_(static_cast<size_t>(parallel)), hint_(resume_hint), display_(arms) {}

  /// Whatever leaves run() early, no arm stays behind.
  ~Queue() {
    stop_all();
    while (!running_.empty()) wait_for_one();
  }

  void run() {
    for (;;) {
      start_arms();
      if (running_.empty()) return;
      std::this_thread::sleep_for(kPoll);
      reap();
      display_.show(is_running_);
      if (interrupt_requested()) interrupt();
    }
  }

 private:
  struct Running {
    pid_t pid;
    size_t arm;
  };

  void start_arms() {
    while (running_.size() < parallel_ && next_ < arms_.size()) {
      const size_t index = next_++;
      if (!arms_[index].is_complete()) start(index);
    }
  }

  void start(size_t index) {
    const std::string program = executable_folder() + "/plumbline-engine", log = log_of(arms_[index]);
    const pid_t parent = ::getpid(), pid = ::fork();
    if (pid == 0) become_arm(program.c_str(), arms_[index].folder.c_str(), log.c_str(), parent);
    if (pid < 0) {
      throw InternalError("run.arm_failed", std::string("no process for an arm: ") + std::strerror(errno),
                          arms_[index].folder, "free processes or memory, then resume");
    }
    running_.push_back({pid, index});
    is_running_[index] = true;
  }

  void reap() {
    for (size_t i = 0; i < running_.size();) {
      int status = 0;
      if (::waitpid(running_[i].pid, &status, WNOHANG) == 0) {
        ++i;
        continue;
      }
      const size_t arm = running_[i].arm;
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      is_running_[arm] = false;
      // Exit code 1 is Gate C of a vanilla arm: a result.
      const bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) <= static_cast<int>(ExitCode::kGateFailed);
      if (!ended_well || !arms_[arm].is_complete()) report_failure(arms_[arm], status);
      display_.finished(arm);
    }
  }

  [[noreturn]] void interrupt() {
    stop_all();
    while (!running_.empty()) wait_for_one();
    throw Interrupted(fmt::format("the arms that ran have saved. Go on with: {}", hint_));
  }

  void stop_all() const {
    for (const Running& arm : running_) ::kill(arm.pid, SIGINT);
  }

  void wait_for_one() {
    int status = 0;
    while (::waitpid(running_.back().pid, &status, 0) < 0 && errno == EINTR) {
    }
    is_running_[running_.back().arm] = false;
    running_.pop_back();
  }

  const std::vector<PreparedArm>& arms_;
  const size_t parallel_;
  const std::string hint_;
  QueueDisplay display_;
  std::vector<Running> running_;
  std::vector<bool> is_running_ = std::vector<bool>(arms_.size(), false);
  size_t next_ = 0;
};

}  // namespace

std::string PreparedArm::label() const {
  return fmt::format("{} s{}", name, seed);
}

bool PreparedArm::is_complete() const {
  return std::filesystem::exists(folder + "/COMPLETE");
}

void train_arms(const std::vector<PreparedArm>& arms, int64_t parallel, const std::string& resume_hint) {
  PL_CHECK(parallel >= 1, "at least one arm at a time");
  Queue(arms, parallel, resume_hint).run();
}

}  // namespace plumbline
