/// One warm Python interpreter that forks a confined process for every submission. The grader's own process never
/// forks: the server is started with posix_spawn and everything else descends from it.
///
/// Who knows what: the server sees limits only. A submission's process gets code and call arguments through a channel
/// of its own and answers in frames. Expected values and verdicts never leave the caller.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "plumbline/sandbox/isolation.h"

namespace plumbline {

/// What one submission may use; CPU time and memory are sums over its process tree.
struct SandboxLimits {
  double cpu_s = 10;
  double wall_s = 30;  ///< time in which it stood ready without a core does not count
  int64_t memory_bytes = int64_t{1} << 30;
  int64_t processes = 32;
  int64_t answer_bytes = int64_t{1} << 20;  ///< longest frame that is read from it
};

/// How a submission's processes ended.
enum class EndReason {
  kExited,  ///< by itself, whatever the status
  kCpuLimit,
  kWallLimit,
  kMemoryLimit,
  kAbandoned,    ///< the caller closed the process before it ended
  kSetupFailed,  ///< ours: fork, namespaces or limits; no submission ran
  kLost          ///< ours: no report from the supervisor
};

struct ProcessEnd {
  EndReason reason = EndReason::kLost;
  int wait_status = 0;  ///< as waitpid gives it, for kExited
  double cpu_ms = 0, wall_ms = 0;
  std::string message;  ///< for kSetupFailed
  bool is_ours() const { return reason == EndReason::kSetupFailed || reason == EndReason::kLost; }
};

/// A confined process and its channel. Not thread-safe. Closing it ends the whole process tree.
class SandboxProcess {
 public:
  SandboxProcess(SandboxProcess&&) noexcept;
  SandboxProcess& operator=(SandboxProcess&&) = delete;
  ~SandboxProcess();

  /// Queues one frame; it is written while receive() waits, so neither side can block the other.
  void send(std::string_view frame);
  /// Nobody waits for single frames: receive() looks for some now and then, and when the process has ended. Spares a
  /// wake-up a frame.
  void be_patient();
  /// The next frame; nullopt once the stream has ended, is malformed or too long, or the process is gone. Call end()
  /// then for the reason.
  std::optional<std::string> receive();
  /// True when what came was no stream of frames (cut, too long, not framed).
  bool stream_is_broken() const;
  /// Lets the process run to its end (no more frames are read) and says how it ended. May be called once.
  ProcessEnd end();

 private:
  friend class PythonServer;
  struct State;
  explicit SandboxProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Not thread-safe: one server a worker thread.
class PythonServer {
 public:
  /// Starts `python -S` and confines it. Everybody's strings hash by `hash_seed` (and `random` starts from it), so that
  /// a verdict comes out the same again. Throws SandboxError(sandbox.python | sandbox.level_unavailable).
  PythonServer(const std::string& python, IsolationLevel level, uint32_t hash_seed = 0);
  PythonServer(const PythonServer&) = delete;
  PythonServer& operator=(const PythonServer&) = delete;
  ~PythonServer();

  /// Imports the standard modules that a trusted program (a preamble) names, once, so that every fork finds them
  /// loaded.
  void warm(const std::string& program);
  /// Starts a confined process; several may run at a time. Throws SandboxError(sandbox.server_died).
  SandboxProcess start(const SandboxLimits& limits);
  /// The process that grader and server have between them (it reaps whatever a dying server leaves).
  pid_t keeper_pid() const { return pid_; }
  /// False once the server has gone; make a new one then.
  bool alive() const;

  IsolationLevel level() const { return level_; }
  /// What verdicts say: "namespaces+seccomp", "container+seccomp+landlock+uid", "limits", ...
  const std::string& description() const { return description_; }
  /// "3.11.2".
  const std::string& python_version() const { return python_version_; }

 private:
  void spawn(const std::string& python, int control);
  void greet(const std::string& python);
  void stop();

  IsolationLevel level_;
  uint32_t hash_seed_;
  std::string description_, python_version_;
  std::unordered_set<size_t> warmed_;  ///< hashes of programs
  pid_t pid_ = -1;                     ///< the keeper, parent of the server proper
  int control_ = -1;
};

/// What a trial submission found.
struct Isolation {
  IsolationLevel level = IsolationLevel::kLimits;
  std::string description;       ///< PythonServer::description() at that level
  std::string why_not_stronger;  ///< what the levels above it failed on; empty for the strongest
};

/// The strongest level at which a real submission runs and finds itself confined, tried from the top; `exact` tries
/// that level only. Throws SandboxError(sandbox.isolation), saying why each level failed, when none reaches `minimum`.
Isolation probe_isolation(const std::string& python, IsolationLevel minimum,
                          std::optional<IsolationLevel> exact = std::nullopt);

}  // namespace plumbline
