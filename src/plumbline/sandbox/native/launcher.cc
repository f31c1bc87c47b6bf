/// The native half of the warm server: a shared object that Python loads. It makes the processes of a submission
/// (supervisor, then the submission's own), confines the latter, watches it and reports. All of it is plain system
/// calls, since a forked interpreter that runs Python pays for every page that it touches. Where the submission gets a
/// space of its own, its supervisor is a process that shares the server's memory, so that only one copy is made.
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "plumbline/sandbox/native/folder_removal.h"
#include "plumbline/sandbox/native/launch_plan.h"
#include "plumbline/sandbox/native/proc_files.h"
#include "plumbline/sandbox/native/process_tree.h"
#include "plumbline/sandbox/native/switches.h"
#include "plumbline/sandbox/native/system_call.h"

namespace plumbline {

#ifdef PLUMBLINE_TEST_DEFENCES
namespace {
uint64_t defences_mask = 0;
}
uint64_t defences_off() {
  return defences_mask;
}
void set_defences_off(uint64_t mask) {
  defences_mask = mask;
}
#endif

namespace {

constexpr double kFirstTick_s = 0.02, kLongestTick_s = 0.05, kShortestTick_s = 0.002;
constexpr double kGrowth_bytes_s = 4e9;  // one core hardly touches new pages faster
constexpr double kWatchShare = 0.2;      // of the supervisor's time at most goes into looking
constexpr double kMaxWallStretch = 10;   // a starved submission may wait this many times its wall-clock limit
constexpr rlim_t kStack_bytes = rlim_t{64} << 20;
constexpr rlim_t kFile_bytes = rlim_t{64} << 20;
constexpr rlim_t kOpenFiles = 256;
constexpr int kFirstDescriptor = 3;  // after the standard three
constexpr size_t kFolderBytes = 256;

/// Why the setting up failed: the step and errno, for the report.
char failure[256];
/// Python's own, which the submission's process gets back.
sighandler_t interrupt_handler = SIG_DFL;
pid_t kept_server = -1;

bool failed(const char* step) {
  std::snprintf(failure, sizeof failure, "%s: %s", step, std::strerror(errno));
  return false;
}

double clock_s(clockid_t clock) {
  timespec now;
  system_call(SYS_clock_gettime, clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double monotonic_s() {
  return clock_s(CLOCK_MONOTONIC);
}

/// Of this process: what it costs to look does not grow when somebody else has the core.
double own_cpu_s() {
  return clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

bool write_text(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool whole = ::write(file, text, std::strlen(text)) == static_cast<ssize_t>(std::strlen(text));
  ::close(file);
  return whole;
}

/// That this process may run on.
int num_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return system_call(SYS_sched_getaffinity, 0, sizeof cores, &cores) > 0 ? CPU_COUNT(&cores) : CPU_SETSIZE;
}

/// One marshalled tuple: reason, wait status, CPU seconds, wall seconds, message.
class Report {
 public:
  void text(const char* value) {
    tag('u', static_cast<uint32_t>(std::strlen(value)));
    bytes(value, std::strlen(value));
  }
  void integer(int value) { tag('i', static_cast<uint32_t>(value)); }
  void real(double value) {
    bytes("g", 1);
    bytes(&value, sizeof value);
  }
  void tag(char kind, uint32_t word) {
    bytes(&kind, 1);
    bytes(&word, sizeof word);
  }
  void write(int status) const {
    system_call(SYS_write, status, data_, size_);  // whoever does not listen has gone
  }

 private:
  void bytes(const void* from, size_t count) {
    if (size_ + count > sizeof data_) return;
    std::memcpy(data_ + size_, from, count);
    size_ += count;
  }
  char data_[1024];
  size_t size_ = 0;
};

/// What the submission's process tells its supervisor while it confines itself; a page that both see, which it gives up
/// before any code of the submission is there.
struct Progress {
  std::atomic<uint32_t> is_forked;          ///< the supervisor has made it (the server waits for that)
  std::atomic<uint32_t> is_separate;        ///< it is in its namespaces: /proc shows them, and nobody else
  char failure[sizeof plumbline::failure];  ///< why it could not get there
};

/// Waits for the submission's first process, for a limit, or for the grader to lose interest.
class Watch {
 public:
  /// `progress`: null when the namespaces are there already.
  Watch(const LaunchPlan& plan, ProcessTree& tree, pid_t pid, int status, const Progress* progress)
      : plan_(plan), tree_(tree), pid_(pid), status_(status), progress_(progress) {}

  const char* run() {
    pollfd files[2] = {{static_cast<int>(system_call(SYS_pidfd_open, pid_)), POLLIN, 0}, {status_, POLLRDHUP, 0}};
    double tick_s = next_tick_s(kFirstTick_s, 0);
    while (true) {
      timespec wait = {0, static_cast<long>(tick_s * 1e9)};
      const long events = system_call(SYS_ppoll, files, 2, &wait);
      if (files[0].revents) {
        system_call(SYS_wait4, pid_, &exit_status_, __WALL);
        return "exited";
      }
      if (events > 0 && files[1].revents) return "abandoned";
      const double looked_s = own_cpu_s();
      if (const char* reason = exceeded()) return reason;
      reap_orphans();
      tick_s = next_tick_s(std::min(tick_s * 1.5, kLongestTick_s), own_cpu_s() - looked_s);
    }
  }
  int exit_status() const { return exit_status_; }
  double wall_s() const { return monotonic_s() - start_s_; }

 private:
  bool cpu_is_used_up() { return is_on(Defence::kCpuSum) && tree_.cpu_s() * 1e6 > static_cast<double>(plan_.cpu_us); }

  /// Shorter the nearer the submission is to its memory limit: before all cores together can have filled the rest, it
  /// is looked at again, so that a sum above the limit is seen however short it is.
  double next_tick_s(double longest_s, double cost_s) const {
    const double filled_s = static_cast<double>(plan_.memory_bytes - memory_bytes_) / (kGrowth_bytes_s * num_cores_);
    const double shortest_s = std::max(kShortestTick_s, cost_s / kWatchShare);
    return std::max(shortest_s, std::min(longest_s, filled_s));
  }

  const char* exceeded() {
    if (!progress_ || progress_->is_separate) tree_.look();
    if (cpu_is_used_up()) {
      tree_.look();  // read twice: a child reaped between two reads may count double for once
      if (cpu_is_used_up()) return "cpu";
    }
    memory_bytes_ = tree_.memory_bytes();
    if (is_on(Defence::kMemorySum) && memory_bytes_ > plan_.memory_bytes) return "memory";
    const double limit_s = static_cast<double>(plan_.wall_us) * 1e-6, used_s = wall_s();
    if (!is_on(Defence::kWallClock) || used_s <= limit_s) return nullptr;
    return used_s > limit_s * kMaxWallStretch || used_s - tree_.starved_s() > limit_s ? "wall" : nullptr;
  }

  /// Strays handed to us; the submission's own first process is left for its descriptor to announce.
  void reap_orphans() {
    siginfo_t waiting;
    while (true) {
      waiting.si_pid = 0;
      if (system_call(SYS_waitid, P_ALL, 0, &waiting, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return;
      if (waiting.si_pid == 0 || waiting.si_pid == pid_) return;
      system_call(SYS_wait4, waiting.si_pid, nullptr, __WALL);
    }
  }

  const LaunchPlan& plan_;
  ProcessTree& tree_;
  const pid_t pid_;
  const int status_;
  const Progress* const progress_;
  const double start_s_ = monotonic_s();
  const int num_cores_ = num_cores();
  int64_t memory_bytes_ = 0;
  int exit_status_ = 0;
};

bool map_to_nobody() {
  char map[64];
  std::snprintf(map, sizeof map, "%d %d 1", kNobody, kNobody);
  return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", map) &&
         write_text("/proc/self/gid_map", map);
}

/// In new namespaces: ids, a /proc that shows nobody else, an empty /tmp.
bool enter_namespaces(const LaunchPlan& plan) {
  if (::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0 || !map_to_nobody()) return failed("mapping ids");
  constexpr unsigned long kQuiet = MS_NOSUID | MS_NODEV;
  if (plan.own_space && ::mount("proc", "/proc", "proc", kQuiet | MS_NOEXEC, nullptr) != 0) {
    return failed("mounting /proc");
  }
  char options[128];
  std::snprintf(options, sizeof options, "size=%lld,mode=1777,nr_inodes=65536",
                static_cast<long long>(plan.memory_bytes / 4));
  if (is_on(Defence::kPrivateTmp) && ::mount("tmp", "/tmp", "tmpfs", kQuiet, options) != 0) {
    return failed("mounting /tmp");
  }
  return true;
}

void leave_at_once(int) {
  ::_exit(1);
}

/// The first steps of every supervisor.
void become_supervisor() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGCHLD, SIG_DFL);
  interrupt_handler = ::signal(SIGINT, is_on(Defence::kQuietSupervisor) ? SIG_IGN : leave_at_once);
  ::setsid();
}

/// Before the submission's process exists, where it has no space of its own. `folder` becomes its working folder.
bool prepare(LaunchPlan& plan, char* folder) {
  const pid_t server = ::getppid();
  become_supervisor();
  if (plan.clone_flags != 0 && !enter_namespaces(plan)) return false;
  if (plan.own_space) return true;
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return failed("subreaper");
  std::snprintf(folder, kFolderBytes, "/tmp/plumbline-%d-XXXXXX", server);
  if (!::mkdtemp(folder)) return failed("making a folder in /tmp");
  if (plan.num_uids > 0) {
    plan.uid = plan.first_uid + ::getpid() % plan.num_uids;
    const uid_t uid = static_cast<uid_t>(plan.uid);
    if (::chown(folder, uid, uid) != 0) return failed("chown");
  }
  return true;
}

/// What RLIMIT_NPROC counts already: the supervisor in a space of our own, all threads of the user where the uid is
/// shared.
rlim_t processes_of_user(const LaunchPlan& plan) {
  if (plan.own_space) return 1;
  if (plan.uid >= 0) return 0;
  return static_cast<rlim_t>(num_threads_of_user(::getuid()));
}

bool limit(__rlimit_resource which, rlim_t soft, rlim_t hard) {
  rlimit both = {};
  if (!is_on(Defence::kHardLimits)) ::getrlimit(which, &both), hard = both.rlim_max;
  both = {soft, hard};
  return ::setrlimit(which, &both) == 0 || failed("setrlimit");
}

bool set_limits(const LaunchPlan& plan) {
  const rlim_t seconds = static_cast<rlim_t>(plan.cpu_us / 1'000'000) + 2;
  if (!limit(RLIMIT_CPU, seconds, seconds + 1)) return false;
  char text[256];
  const int64_t own = read_small("/proc/self/statm", text, sizeof text) ? std::strtoll(text, nullptr, 10) : 0;
  const rlim_t memory = static_cast<rlim_t>(plan.memory_bytes + own * ::sysconf(_SC_PAGESIZE));
  if (is_on(Defence::kMemoryRlimit) && !limit(RLIMIT_AS, memory, memory)) return false;
  if (is_on(Defence::kFileSize) && !limit(RLIMIT_FSIZE, kFile_bytes, kFile_bytes)) return false;
  if (!limit(RLIMIT_CORE, 0, 0) || !limit(RLIMIT_MSGQUEUE, 0, 0)) return false;
  if (is_on(Defence::kOpenFiles) && !limit(RLIMIT_NOFILE, kOpenFiles, kOpenFiles)) return false;
  rlimit stack;
  ::getrlimit(RLIMIT_STACK, &stack);
  if (stack.rlim_max >= kStack_bytes && !limit(RLIMIT_STACK, kStack_bytes, kStack_bytes)) return false;
  const rlim_t processes = static_cast<rlim_t>(plan.processes) + processes_of_user(plan);
  return !is_on(Defence::kProcessLimit) || limit(RLIMIT_NPROC, processes, processes);
}

bool drop_identity(const LaunchPlan& plan) {
  if (plan.uid >= 0 && is_on(Defence::kNobody)) {
    const uid_t uid = static_cast<uid_t>(plan.uid);
    if (::setgroups(0, nullptr) != 0 || ::setresgid(uid, uid, uid) != 0 || ::setresuid(uid, uid, uid) != 0) {
      return failed("giving up root");
    }
  }
  if (!plan.own_space || !is_on(Defence::kNoCapabilities)) return true;
  // All sets that count: with no_new_privs no program that is executed gains any back.
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0 || failed("capset");
}

/// The submission's process gives up everything but its channel; Landlock and the filter follow.
bool confine(const LaunchPlan& plan, const char* folder, int channel) {
  if (is_on(Defence::kOwnSession)) ::setsid();
  const int null = ::open("/dev/null", O_RDWR);
  if (null < 0) return failed("/dev/null");
  if (::dup2(channel, kChannel) < 0) return failed("channel");
  for (int fd = 0; fd < kFirstDescriptor; ++fd) ::dup2(null, fd);
  if (is_on(Defence::kClosedDescriptors)) {
    ::syscall(SYS_close_range, kFirstDescriptor, kChannel - 1, 0);
    ::syscall(SYS_close_range, kChannel + 1, ~0u, 0);
  }
  ::umask(077);
  if (::chdir(folder) != 0) return failed("chdir");
  if (!set_limits(plan) || !drop_identity(plan)) return false;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  if (::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return failed("dumpable");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, interrupt_handler);
  return true;
}

/// A short slice: when the supervisor has to look, it runs soon, whatever else keeps the core busy (Linux 6.12; others
/// ignore it). Its cost is small, so nobody waits longer for it.
void be_prompt() {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
  } attributes = {};
  attributes.size = sizeof attributes;
  attributes.nice = 20 - static_cast<int32_t>(system_call(SYS_getpriority, PRIO_PROCESS, 0));
  attributes.runtime_ns = 100'000;
  system_call(SYS_sched_setattr, 0, &attributes, 0);
}

void report_end(const Watch* watch, const char* reason, const char* trouble, int status) {
  Report report;
  report.tag('(', 5);
  report.text(reason);
  report.integer(watch ? watch->exit_status() : 0);
  report.real(trouble ? 0 : reaped_cpu_s());
  report.real(trouble ? 0 : watch->wall_s());
  report.text(trouble ? trouble : "");
  report.write(status);
}

/// From the fork of the submission's process to its end, and the report.
void supervise(const LaunchPlan& plan, ProcessTree& tree, pid_t pid, int status, const char* folder,
               const Progress* progress) {
  be_prompt();
  Watch watch(plan, tree, pid, status, progress);
  const char* reason = watch.run();
  if (is_on(Defence::kEndWithFirst)) tree.end();
  const bool used_up = is_on(Defence::kCpuSum) && reaped_cpu_s() * 1e6 > static_cast<double>(plan.cpu_us);
  if (std::strcmp(reason, "exited") == 0 && used_up) reason = "cpu";
  if (folder) remove_folder(folder);
  const bool never_started = progress && !progress->is_separate && progress->failure[0];
  report_end(&watch, never_started ? "setup" : reason, never_started ? progress->failure : nullptr, status);
}

/// A supervisor that shares the server's memory: its stack and all that it writes to. The C library's own memory is the
/// server's, so that it calls nothing of it that writes once the server goes on.
struct Beside {
  alignas(64) char stack[size_t{1} << 16];
  alignas(ProcessTree) char tree[sizeof(ProcessTree)];
  LaunchPlan plan;
  int channel, status;
  std::atomic<int> is_alive;  ///< set to 0 by the kernel when the process has gone
  Progress* progress;
  void* server[5];  ///< where the server waits: the submission's process goes on from there
};

constexpr int kMostBeside = 64;
Beside* besides[kMostBeside];
Beside* starting = nullptr;  ///< the one that is being started

void* map_memory(size_t size, int kind) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// One whose process has gone, or a new one; null without memory.
Beside* free_beside() {
  for (Beside*& beside : besides) {
    if (!beside) {
      beside = static_cast<Beside*>(map_memory(sizeof(Beside), MAP_PRIVATE));
      if (!beside) return nullptr;
      beside->progress = static_cast<Progress*>(map_memory(sizeof(Progress), MAP_SHARED));
      if (!beside->progress) {
        ::munmap(beside, sizeof *beside);
        beside = nullptr;
        return nullptr;
      }
    }
    if (beside->is_alive == 0) return beside;
  }
  errno = EAGAIN;
  return nullptr;
}

/// The whole life of such a supervisor.
int live_beside(void* argument) {
  Beside& beside = *static_cast<Beside*>(argument);
  become_supervisor();
  const pid_t pid = ::fork();  // the server stands still: the C library's memory is ours alone for this long
  if (pid == 0) __builtin_longjmp(beside.server, 1);
  const int error = errno;
  beside.progress->is_forked = 1;
  system_call(SYS_futex, &beside.progress->is_forked, FUTEX_WAKE, 1);
  if (pid < 0) {
    report_end(nullptr, "setup", error == EAGAIN ? "fork: no process left" : "fork: failed", beside.status);
  } else {
    system_call(SYS_close, beside.channel);
    ProcessTree* tree = new (beside.tree) ProcessTree(beside.plan);
    supervise(beside.plan, *tree, pid, beside.status, nullptr, beside.progress);
  }
  system_call(SYS_exit_group, 0);
  return 0;
}

/// In the server: until the submission's process has been made. False when the supervisor died before that.
bool wait_for_fork(const Beside& beside) {
  const timespec patience = {0, 100'000'000};
  while (beside.progress->is_forked == 0) {
    if (beside.is_alive == 0) return false;
    system_call(SYS_futex, &beside.progress->is_forked, FUTEX_WAIT, 0, &patience);
  }
  return true;
}

/// Makes supervisor and submission. Returns as plumbline_launch does. The stack of a submission's process is the
/// server's, as after any fork.
__attribute__((noinline)) int64_t launch_beside(const LaunchPlan& plan, int channel, int status) {
  starting = free_beside();
  if (!starting) return -errno;
  Beside& beside = *starting;
  beside.plan = plan;
  beside.channel = channel;
  beside.status = status;
  std::memset(static_cast<void*>(beside.progress), 0, sizeof(Progress));
  if (__builtin_setjmp(beside.server) != 0) return 0;
  beside.is_alive = 1;
  const int flags = static_cast<int>(plan.clone_flags) | CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD;
  const pid_t pid =
      ::clone(live_beside, beside.stack + sizeof beside.stack, flags, starting, nullptr, nullptr, &beside.is_alive);
  if (pid < 0) {
    const int error = errno;
    beside.is_alive = 0;
    return -error;
  }
  return wait_for_fork(beside) ? pid : -ECHILD;
}

/// In the submission's process: into its namespaces, and says so.
bool enter_beside(const LaunchPlan& plan) {
  Progress& progress = *starting->progress;
  if (!enter_namespaces(plan)) {
    std::memcpy(progress.failure, failure, sizeof failure);
    return false;
  }
  progress.is_separate = 1;
  for (Beside* beside : besides) {
    if (beside) ::munmap(beside->progress, sizeof(Progress));
  }
  return true;
}

/// Takes the defences that the test build switched off; a pid namespace that is off leaves no space of our own.
LaunchPlan effective(LaunchPlan plan) {
#ifdef PLUMBLINE_TEST_DEFENCES
  set_defences_off(static_cast<uint64_t>(plan.off));
#endif
  if (!is_on(Defence::kPidNamespace)) plan.clone_flags &= ~int64_t{CLONE_NEWPID}, plan.own_space = 0;
  return plan;
}

/// Folders of submissions whose supervisor died with the server.
void remove_folders_of(pid_t server) {
  char prefix[64], path[kFolderBytes];
  std::snprintf(prefix, sizeof prefix, "plumbline-%d-", server);
  DIR* folder = ::opendir("/tmp");
  while (const dirent* entry = folder ? ::readdir(folder) : nullptr) {
    if (std::strncmp(entry->d_name, prefix, std::strlen(prefix)) != 0) continue;
    std::snprintf(path, sizeof path, "/tmp/%.200s", entry->d_name);
    remove_folder(path);
  }
  if (folder) ::closedir(folder);
}

void end_server(int) {
  ::kill(kept_server, SIGKILL);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// Tells the grader that no submission ran: a frame that cannot be one, and an exit code.
[[noreturn]] void plumbline_not_confined(const char* why) {
  const uint32_t no_size = 0xffffffff;
  [[maybe_unused]] ssize_t sent = ::write(kChannel, &no_size, sizeof no_size);
  sent = ::write(kChannel, why, std::strlen(why));
  ::_exit(kNotConfined);
}

/// For a process that is to be the supervisor itself. Returns in the submission's process only.
int64_t plumbline_supervise(const LaunchPlan* asked, int channel, int status) {
  LaunchPlan plan = effective(*asked);
  char folder[kFolderBytes] = "/tmp";
  if (!prepare(plan, folder)) {
    report_end(nullptr, "setup", failure, status);
    ::_exit(0);
  }
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // out of the submission's reach; its process sets its own back
  const pid_t pid = ::fork();
  if (pid < 0) {
    failed("fork");
    report_end(nullptr, "setup", failure, status);
    ::_exit(0);
  }
  if (pid > 0) {
    ::close(channel);
    static ProcessTree tree(plan);
    supervise(plan, tree, pid, status, plan.own_space ? nullptr : folder, nullptr);
    ::_exit(0);
  }
  if (!confine(plan, folder, channel)) plumbline_not_confined(failure);
  return 0;
}

/// Makes supervisor and submission. Returns twice: in the server the supervisor's process id (negative: -errno), and 0
/// in the submission's process, confined but for Landlock and the filter. The calling process must have made itself
/// unreadable (PR_SET_DUMPABLE 0): a supervisor may have its memory.
int64_t plumbline_launch(const LaunchPlan* asked, int channel, int status) {
  const LaunchPlan plan = effective(*asked);
  if (plan.own_space) {
    const int64_t pid = launch_beside(plan, channel, status);
    if (pid == 0 && (!enter_beside(plan) || !confine(plan, "/tmp", channel))) plumbline_not_confined(failure);
    return pid;
  }
  const pid_t supervisor = static_cast<pid_t>(::syscall(SYS_clone, plan.clone_flags | SIGCHLD, 0, 0, 0, 0));
  if (supervisor != 0) return supervisor < 0 ? -errno : supervisor;
  return plumbline_supervise(asked, channel, status);
}

/// Loads the system-call filter into the calling process; 0, or -errno.
int64_t plumbline_filter(const char* instructions, int64_t size) {
  const sock_fprog program = {static_cast<unsigned short>(size / static_cast<int64_t>(sizeof(sock_filter))),
                              reinterpret_cast<sock_filter*>(const_cast<char*>(instructions))};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : -errno;
}

/// Nobody waits for supervisors in the server: they report to the grader, and the kernel reaps them by itself.
void plumbline_forget_children() {
  ::signal(SIGCHLD, SIG_IGN);
}

/// The life of a keeper, the process between grader and server: whatever the server leaves behind when it dies, however
/// it dies, is ended and reaped here and not left to the host's init. SIGTERM ends the server. Never returns.
void plumbline_keep(pid_t server) {
  kept_server = server;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::signal(SIGTERM, end_server);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  ::syscall(SYS_close_range, 0, ~0u, 0);
  while (::waitpid(-1, nullptr, 0) != server && errno != ECHILD) errno = 0;
  const LaunchPlan plan = {};
  static ProcessTree left(plan);
  left.end();
  remove_folders_of(server);
  ::_exit(0);
}

}  // extern "C"
#pragma GCC visibility pop
}  // namespace plumbline
