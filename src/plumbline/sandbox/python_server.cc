#include "plumbline/sandbox/python_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/sandbox/defences.h"
#include "plumbline/sandbox/marshal.h"
#include "plumbline/sandbox/native_module.h"
#include "plumbline/sandbox/sandbox_process_state.h"
#include "plumbline/sandbox/seccomp_filter.h"

namespace plumbline {

extern const char* const kPythonServerSource;

namespace {

constexpr int kControlDescriptor = 3;  // where the server finds its control socket
constexpr int kNativeDescriptor = 4;   // and its native half
constexpr double kStartLimit_s = 60;   // a cold disk may be slow
constexpr double kGoodbye_s = 0.5;
constexpr double kKeeper_s = 10;     // reaping what a dead server left takes it far less
constexpr double kWallStretch = 10;  // as in native/launcher.cc
constexpr double kSupervisorGrace_s = 10;
constexpr size_t kMaxControlBytes = size_t{1} << 17;

/// Runs the program in its argument, compiled by a child: what a compiler leaves behind would be pages that every
/// submission's fork has to copy.
constexpr const char* kStarter = R"(
import sys
sys.path[:] = [folder for folder in sys.path if folder]  # not the working folder, whatever lies in it
import marshal, os
reading, writing = os.pipe()
if os.fork() == 0:
    with open(writing, "wb") as file:
        marshal.dump(compile(sys.argv[1], "<plumbline>", "exec", 0, True), file)
    os._exit(0)
os.close(writing)
with open(reading, "rb") as file:
    program = marshal.load(file)
os.wait()
exec(program)
)";

std::string system_error() {
  return std::strerror(errno);
}

std::pair<Descriptor, Descriptor> socket_pair(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) {
    throw SandboxError("sandbox.socketpair", "no socket pair: " + system_error(), "", "raise the limit on open files");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// The native half as an open file that can be loaded.
Descriptor native_file() {
  const std::string_view bytes = native_module();
  Descriptor file(::memfd_create("plumbline-native", MFD_CLOEXEC));
  if (!file || ::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    throw SandboxError("sandbox.native", "no memory file: " + system_error(), "memfd_create", "free some memory");
  }
  return file;
}

/// Attributes of the server's process: own session, default signals, nothing inherited but the control socket and the
/// native half.
class SpawnPlan {
 public:
  SpawnPlan(int control, int native) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    for (int fd = 0; fd < kControlDescriptor; ++fd) {
      ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
    }
    ::posix_spawn_file_actions_adddup2(&actions_, control, kControlDescriptor);
    ::posix_spawn_file_actions_adddup2(&actions_, native, kNativeDescriptor);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kNativeDescriptor + 1);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  int run(const std::string& program, char* const* words, uint32_t hash_seed, pid_t* pid) {
    std::string seed = "PYTHONHASHSEED=" + std::to_string(hash_seed);
    char* const ours[] = {seed.data(), nullptr};
    char* const* environment = is_on(Defence::kEmptyEnvironment) ? ours : environ;
    return ::posix_spawn(pid, program.c_str(), &actions_, &attributes_, words, environment);
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

std::string hello(IsolationLevel level, uint32_t hash_seed, const std::string& filter) {
  MarshalWriter writer;
  writer.begin_dict();
  writer.text("level").text(to_string(level));
  writer.text("seed").integer(hash_seed);
  writer.text("seccomp").bytes(filter);
#ifdef PLUMBLINE_TEST_DEFENCES
  writer.text("off").integer(static_cast<int64_t>(defences_off()));
  const auto names = names_of_defences_off();
  writer.text("off_names").list(names.size());
  for (const std::string& name : names) writer.text(name);
#endif
  writer.end_dict();
  return writer.take();
}

bool send_with_descriptors(int control, const std::string& message, int first, int second) {
  iovec data{const_cast<char*>(message.data()), message.size()};
  alignas(cmsghdr) char space[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = space;
  header.msg_controllen = sizeof space;
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
  const int descriptors[2] = {first, second};
  std::memcpy(CMSG_DATA(rights), descriptors, sizeof descriptors);
  return ::sendmsg(control, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
}

}  // namespace

PythonServer::PythonServer(const std::string& python, IsolationLevel level, uint32_t hash_seed)
    : level_(level), hash_seed_(is_on(Defence::kHashSeed) ? hash_seed : std::random_device{}()) {
  auto [ours, theirs] = socket_pair(SOCK_SEQPACKET);
  spawn(python, theirs.get());
  theirs.reset();
  control_ = ::fcntl(ours.get(), F_DUPFD_CLOEXEC, 0);
  greet(python);
}

void PythonServer::spawn(const std::string& python, int control) {
  // Not -I, which would ignore the hash seed; its other halves are -s and the first lines of the program.
  std::string words[] = {python, "-s", "-S", "-X", "utf8", "-c", kStarter, kPythonServerSource};
  char* argv[std::size(words) + 1] = {};
  for (size_t i = 0; i < std::size(words); ++i) argv[i] = words[i].data();
  // A descriptor that already has the target's number would keep its close-on-exec flag through dup2.
  const Descriptor elsewhere(::fcntl(control, F_DUPFD_CLOEXEC, kNativeDescriptor + 1));
  const Descriptor file = native_file(), native(::fcntl(file.get(), F_DUPFD_CLOEXEC, kNativeDescriptor + 1));
  SpawnPlan plan(elsewhere.get(), native.get());
  const int error = plan.run(python, argv, hash_seed_, &pid_);
  if (error != 0) {
    pid_ = -1;
    throw SandboxError("sandbox.python", "Python for graded code does not start: " + std::string(std::strerror(error)),
                       python, "install python3 or set grade.python");
  }
}

void PythonServer::greet(const std::string& python) {
  const std::string message = hello(level_, hash_seed_, make_seccomp_filter());
  std::string block(kMaxControlBytes, '\0');
  ::send(control_, message.data(), message.size(), MSG_NOSIGNAL);
  pollfd file{control_, POLLIN, 0};
  const bool answered = ::poll(&file, 1, static_cast<int>(kStartLimit_s * 1e3)) == 1;
  const ssize_t size = answered ? ::recv(control_, block.data(), block.size(), 0) : -1;
  MarshalReader reader(std::string_view(block).substr(0, size > 0 ? static_cast<size_t>(size) : 0));
  using Token = MarshalReader::Token;
  const bool tuple = reader.next() == Token::kTuple && reader.count() == 4;
  const auto word = tuple ? reader.next_text() : std::nullopt;
  const auto landlock = reader.next_integer();
  const auto text = reader.next_text();
  const bool root = reader.next() == Token::kTrue;
  if (!word || !landlock || !text) {
    stop();
    throw SandboxError("sandbox.python", "Python for graded code does not answer", python,
                       "run it by hand: it must be CPython 3.9 or newer with ctypes");
  }
  if (*word != "ready") {
    stop();
    throw SandboxError("sandbox.level_unavailable", *text, std::string(to_string(level_)), "");
  }
  python_version_ = *text;
  description_ = to_string(level_);
  if (level_ != IsolationLevel::kLimits) description_ += "+seccomp";
  if (level_ == IsolationLevel::kContainer && *landlock > 0) description_ += "+landlock";
  if (level_ == IsolationLevel::kContainer && root) description_ += "+uid";
}

PythonServer::~PythonServer() {
  stop();
}

void PythonServer::stop() {
  if (control_ >= 0) ::close(std::exchange(control_, -1));
  if (pid_ < 0) return;
  // The server leaves by itself once its socket is closed, and its keeper (our child) when all that it left is reaped.
  const double start_s = now_s();
  bool told = false;
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    const double waited_s = now_s() - start_s;
    if (waited_s > kGoodbye_s && !std::exchange(told, true)) ::kill(pid_, SIGTERM);
    if (waited_s > kGoodbye_s + kKeeper_s) ::kill(pid_, SIGKILL);
    ::poll(nullptr, 0, 1);
  }
  pid_ = -1;
}

bool PythonServer::alive() const {
  pollfd file{control_, POLLIN, 0};
  return control_ >= 0 && ::poll(&file, 1, 0) == 0;  // it never speaks first: anything to read is its end
}

void PythonServer::warm(const std::string& program) {
  if (program.find("import") == std::string::npos || program.size() > kMaxControlBytes / 2) return;
  if (!warmed_.insert(std::hash<std::string>()(program)).second) return;
  MarshalWriter writer;
  writer.tuple(2).text("warm").text(program);
  ::send(control_, writer.str().data(), writer.str().size(), MSG_NOSIGNAL);
}

SandboxProcess PythonServer::start(const SandboxLimits& limits) {
  auto state = std::make_unique<SandboxProcess::State>();
  auto [channel, channel_theirs] = socket_pair(SOCK_STREAM);
  auto [status, status_theirs] = socket_pair(SOCK_STREAM);
  MarshalWriter writer;
  writer.tuple(2).text("start").tuple(4);
  writer.real(limits.cpu_s).real(limits.wall_s).integer(limits.memory_bytes).integer(limits.processes);
  if (!send_with_descriptors(control_, writer.str(), channel_theirs.get(), status_theirs.get())) {
    throw SandboxError("sandbox.server_died", "the Python server is gone: " + system_error(), "", "start again");
  }
  state->channel = std::move(channel);
  state->status = std::move(status);
  state->keeper = pid_;
  state->answer_bytes = limits.answer_bytes;
  state->deadline_s = now_s() + limits.wall_s * kWallStretch + kSupervisorGrace_s;
  return SandboxProcess(std::move(state));
}

}  // namespace plumbline
