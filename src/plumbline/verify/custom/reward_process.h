/// A user's own program, kept running: lines in, lines out, with its chatter kept apart.
/// It runs as the user, in the user's environment and folder, in a session of its own; it is not confined.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "plumbline/sandbox/descriptor.h"

namespace plumbline {

/// Where a program gets its requests. Answers are taken from descriptor 3, which is the protocol's own, and from
/// standard output, where whatever is no answer is chatter.
enum class RequestsOn {
  kStandardInput,  ///< any program
  kDescriptor3,    ///< our own runners; their standard output is chatter altogether
};

/// One line that the program wrote.
struct ProgramLine {
  std::string text;
  bool on_own_descriptor = false;  ///< descriptor 3: must be an answer; else standard output: may be chatter
};

/// Not thread-safe. Never forks (posix_spawn), so that a process with a large model can start it. Makes the whole
/// process ignore SIGPIPE, as watch_interrupts does.
class RewardProcess {
 public:
  /// Throws SandboxError(sandbox.reward_program) when it cannot be started.
  RewardProcess(const std::vector<std::string>& words, RequestsOn requests_on);
  /// Kills the program and everything in its process group.
  ~RewardProcess();
  RewardProcess(const RewardProcess&) = delete;
  RewardProcess& operator=(const RewardProcess&) = delete;

  /// Queues a line (without its end); it is written while next_line() waits.
  void send(const std::string& line);
  /// The next line; nullopt when the program has ended, its stream broke (a line past 64 MiB), `deadline_s` (clock of
  /// now_s()) has passed, or after Ctrl-C.
  std::optional<ProgramLine> next_line(double deadline_s);
  /// Adds a line to what tail() shows.
  void note_chatter(const std::string& line);

  bool ended() const { return ended_; }
  /// "exit code 3", "killed by signal 9", "its answer is too long"; empty while it runs.
  const std::string& ending() const { return ending_; }
  /// The last lines of what it printed, for people; not escaped.
  std::string tail() const;

 private:
  struct Stream {
    Descriptor fd;
    std::string buffer;
    size_t searched = 0;
    bool open = true;
  };
  void spawn(const std::vector<std::string>& words, RequestsOn requests_on);
  void pump(double deadline_s);
  void write_some();
  void read_some(Stream& stream);
  std::optional<std::string> take_line(Stream& stream);
  void drain_chatter();
  void look_for_end();

  pid_t pid_ = -1;
  Descriptor requests_;  ///< standard input's other end; unset when requests go over channel_
  Stream channel_, out_, err_;
  std::string outgoing_;
  size_t sent_ = 0;
  std::string chatter_;
  std::string ending_;
  bool exited_ = false, ended_ = false;
};

}  // namespace plumbline
