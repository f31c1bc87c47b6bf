#include "plumbline/verify/custom/reward_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"

extern char** environ;

namespace plumbline {
namespace {

constexpr int kChannel = 3;  // as in reward_runner.py
constexpr size_t kMaxLine_bytes = size_t{64} << 20;
constexpr size_t kMaxChatterLine_bytes = size_t{1} << 20;
constexpr size_t kTail_bytes = 4096;
constexpr double kLongestPoll_s = 0.05;  // an exit is noticed this late at worst

[[noreturn]] void fail_start(const std::string& what, int error) {
  throw SandboxError("sandbox.reward_program", fmt::format("{}: {}", what, std::strerror(error)), "",
                     "check grade.rewards and grade.reward_python");
}

/// Our end does not block; both close on exec, theirs lives on as the number it is duplicated to.
struct Ends {
  Descriptor ours, theirs;
};

Ends ends_of(int our_fd, int their_fd) {
  const Descriptor original(their_fd);
  ::fcntl(our_fd, F_SETFL, O_NONBLOCK);
  // A descriptor that already has the target's number would keep its close-on-exec flag through dup2.
  Ends ends{Descriptor(our_fd), Descriptor(::fcntl(their_fd, F_DUPFD_CLOEXEC, kChannel + 1))};
  if (!ends.theirs) fail_start("no descriptor", errno);
  return ends;
}

Ends socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_start("no socket pair", errno);
  return ends_of(ends[0], ends[1]);
}

/// Pipes, not sockets, for the standard streams: scripts open /dev/stdin and /dev/stderr.
Ends pipe_from_program() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_start("no pipe", errno);
  return ends_of(ends[0], ends[1]);
}

Ends pipe_to_program() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_start("no pipe", errno);
  return ends_of(ends[1], ends[0]);
}

/// Own session (Ctrl-C in the terminal is ours to handle), default signals, four descriptors.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  void put(const Descriptor& from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from.get(), to); }
  void put_nothing(int to) { ::posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", O_RDONLY, 0); }
  int run(char* const* words, pid_t* pid) {
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kChannel + 1);
    return ::posix_spawnp(pid, words[0], &actions_, &attributes_, words, environ);
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

RewardProcess::RewardProcess(const std::vector<std::string>& words, RequestsOn requests_on) {
  spawn(words, requests_on);
}

RewardProcess::~RewardProcess() {
  // The leader stays unreaped until its group is killed, so that the group's number is still its own.
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RewardProcess::spawn(const std::vector<std::string>& words, RequestsOn requests_on) {
  static const bool is_ignored = ::signal(SIGPIPE, SIG_IGN) != SIG_ERR;
  static_cast<void>(is_ignored);
  const bool on_stdin = requests_on == RequestsOn::kStandardInput;
  Ends channel = on_stdin ? pipe_from_program() : socket_pair();
  Ends out = pipe_from_program(), err = pipe_from_program(), requests;
  SpawnPlan plan;
  if (on_stdin) {
    requests = pipe_to_program();
    plan.put(requests.theirs, STDIN_FILENO);
  } else {
    plan.put_nothing(STDIN_FILENO);
  }
  plan.put(out.theirs, STDOUT_FILENO);
  plan.put(err.theirs, STDERR_FILENO);
  plan.put(channel.theirs, kChannel);
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (const int error = plan.run(argv.data(), &pid_); error != 0) fail_start(words[0] + " cannot be started", error);
  requests_ = std::move(requests.ours);
  channel_.fd = std::move(channel.ours);
  out_.fd = std::move(out.ours);
  err_.fd = std::move(err.ours);
}

void RewardProcess::send(const std::string& line) {
  outgoing_ += line;
  outgoing_ += '\n';
}

std::optional<ProgramLine> RewardProcess::next_line(double deadline_s) {
  while (true) {
    if (auto line = take_line(channel_)) return ProgramLine{std::move(*line), true};
    if (auto line = take_line(out_)) return ProgramLine{std::move(*line), false};
    drain_chatter();
    if (ended_ || now_s() >= deadline_s || interrupt_requested()) return std::nullopt;
    pump(deadline_s);
  }
}

void RewardProcess::pump(double deadline_s) {
  if (!exited_) look_for_end();
  if (exited_) {  // what is in the sockets is all there will be; strays may still hold the other ends
    for (Stream* stream : {&channel_, &out_, &err_}) read_some(*stream);
    ended_ = true;
    return;
  }
  const bool has_output = sent_ < outgoing_.size();
  const int request_fd = requests_ ? requests_.get() : channel_.fd.get();
  pollfd files[4] = {{channel_.open ? channel_.fd.get() : -1, POLLIN, 0},
                     {out_.open ? out_.fd.get() : -1, POLLIN, 0},
                     {err_.open ? err_.fd.get() : -1, POLLIN, 0},
                     {has_output ? request_fd : -1, POLLOUT, 0}};
  const double wait_s = std::clamp(deadline_s - now_s(), 0.0, kLongestPoll_s);
  ::poll(files, 4, static_cast<int>(std::ceil(wait_s * 1e3)));
  if (files[3].revents) write_some();
  if (files[0].revents) read_some(channel_);
  if (files[1].revents) read_some(out_);
  if (files[2].revents) read_some(err_);
}

void RewardProcess::write_some() {
  const int fd = requests_ ? requests_.get() : channel_.fd.get();
  const ssize_t count = ::write(fd, outgoing_.data() + sent_, outgoing_.size() - sent_);
  if (count > 0) sent_ += static_cast<size_t>(count);
  const bool is_gone = count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
  if (is_gone || sent_ == outgoing_.size()) {  // gone: its end will be seen, what it said before still counts
    outgoing_.clear();
    sent_ = 0;
  }
}

void RewardProcess::read_some(Stream& stream) {
  char block[1 << 16];
  while (stream.open && stream.buffer.size() <= kMaxLine_bytes) {
    const ssize_t count = ::read(stream.fd.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) {
      stream.open = false;
      return;
    }
    stream.buffer.append(block, static_cast<size_t>(count));
    if (!exited_ && stream.buffer.size() > kMaxChatterLine_bytes) return;  // others want to be read too
  }
}

std::optional<std::string> RewardProcess::take_line(Stream& stream) {
  const size_t end = stream.buffer.find('\n', stream.searched);
  if (end != std::string::npos) {
    std::string line = stream.buffer.substr(0, end);
    stream.buffer.erase(0, end + 1);
    stream.searched = 0;
    return line;
  }
  stream.searched = stream.buffer.size();
  if (&stream == &channel_ && stream.buffer.size() > kMaxLine_bytes) {
    ending_ = "its answer is longer than 64 MiB";
    ended_ = true;
  } else if (&stream == &out_ && stream.buffer.size() > kMaxChatterLine_bytes) {
    note_chatter(stream.buffer);
    stream.buffer.clear();
    stream.searched = 0;
  }
  return std::nullopt;
}

void RewardProcess::drain_chatter() {
  chatter_ += err_.buffer;
  err_.buffer.clear();
  if (chatter_.size() > 2 * kTail_bytes) chatter_.erase(0, chatter_.size() - kTail_bytes);
}

void RewardProcess::note_chatter(const std::string& line) {
  chatter_ += line;
  chatter_ += '\n';
  if (chatter_.size() > 2 * kTail_bytes) chatter_.erase(0, chatter_.size() - kTail_bytes);
}

void RewardProcess::look_for_end() {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
  const bool by_signal = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
  ending_ = ending_of(by_signal ? info.si_status : info.si_status << 8);
  exited_ = true;
}

std::string RewardProcess::tail() const {
  const size_t begin = chatter_.size() > kTail_bytes ? chatter_.size() - kTail_bytes : 0;
  const size_t end = chatter_.find_last_not_of(" \t\r\n");
  return end == std::string::npos || end < begin ? "" : chatter_.substr(begin, end + 1 - begin);
}

}  // namespace plumbline
