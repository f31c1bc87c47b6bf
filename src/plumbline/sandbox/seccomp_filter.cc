#include "plumbline/sandbox/seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>
#include <memory>

#include "plumbline/base/error.h"
#include "plumbline/sandbox/defences.h"

namespace plumbline {
namespace {

/// Refused with EPERM. Names rather than numbers: what this libseccomp or architecture does not know is left out.
struct Forbidden {
  Defence defence;
  std::initializer_list<const char*> calls;
};

const Forbidden kForbidden[] = {
    {Defence::kSeccompTrace,
     {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd", "migrate_pages",
      "move_pages"}},
    {Defence::kSeccompPriority, {"sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority", "ioprio_set"}},
    {Defence::kSeccompKernel,
     {"add_key",
      "request_key",
      "keyctl",
      "bpf",
      "perf_event_open",
      "userfaultfd",
      "io_uring_setup",
      "io_uring_enter",
      "io_uring_register",
      "lookup_dcookie",
      "fanotify_init",
      "fanotify_mark",
      "init_module",
      "finit_module",
      "delete_module",
      "create_module",
      "kexec_load",
      "kexec_file_load",
      "reboot",
      "syslog",
      "acct",
      "settimeofday",
      "clock_settime",
      "clock_adjtime",
      "adjtimex",
      "sethostname",
      "setdomainname",
      "vhangup",
      "iopl",
      "ioperm",
      "personality",
      "modify_ldt",
      "uselib",
      "ustat",
      "sysfs",
      "_sysctl",
      "nfsservctl",
      "swapon",
      "swapoff",
      "quotactl",
      "quotactl_fd",
      "name_to_handle_at",
      "open_by_handle_at"}},
    {Defence::kSeccompNamespaces,
     {"mount", "umount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount", "fsopen",
      "fsconfig", "fsmount", "fspick", "mount_setattr"}},
    // memory that outlives a process or is counted nowhere
    {Defence::kSeccompIpc,
     {"shmget",       "shmat",           "shmctl",    "shmdt",         "semget",       "semop",       "semtimedop",
      "semctl",       "msgget",          "msgsnd",    "msgrcv",        "msgctl",       "mq_open",     "mq_unlink",
      "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr", "memfd_create", "memfd_secret"}},
    // descriptors in flight hold memory that belongs to nobody
    {Defence::kSeccompSockets, {"socket", "connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg"}},
    {Defence::kSeccompBuffers, {"setsockopt"}},
    // what all submissions share (files, devices, the cache of files, counters of the whole machine) is no place for
    // signs: locks, watches, times, what lies in the cache, how many asynchronous requests there are
    {Defence::kSeccompLocks,
     {"flock", "inotify_init", "inotify_init1", "inotify_add_watch", "utime", "utimes", "futimesat", "utimensat",
      "fadvise64", "readahead", "mincore", "cachestat", "io_setup", "io_destroy", "io_submit", "io_getevents",
      "io_pgetevents", "io_cancel"}}};

/// Newer than some libseccomp: by number, which all machines share. Futexes of any kind; see forbid_shared_futexes().
constexpr int kNewFutexCalls[] = {449, 454, 455, 456};

constexpr uint64_t kLockCommands[] = {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY};

constexpr uint64_t kNamespaceFlags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                        CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

[[noreturn]] void fail(const std::string& what, int code) {
  throw SandboxError("sandbox.seccomp", "the seccomp filter cannot be made: " + what + ": " + std::strerror(code), "",
                     "check that libseccomp supports this machine");
}

class Filter {
 public:
  Filter() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (!context_) fail("seccomp_init", ENOMEM);
    ::seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    ::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree instead of a list of comparisons
  }

  template <typename... Conditions>
  void answer(const char* name, uint32_t action, Conditions... conditions) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number != __NR_SCMP_ERROR && number >= 0) answer(number, action, conditions...);
  }
  template <typename... Conditions>
  void answer(int number, uint32_t action, Conditions... conditions) {
    const int result = ::seccomp_rule_add(context_.get(), action, number, sizeof...(conditions), conditions...);
    if (result != 0 && result != -EEXIST) fail("system call " + std::to_string(number), -result);
  }

  std::string instructions() const {
    const int file = ::memfd_create("seccomp", MFD_CLOEXEC);
    if (file < 0) fail("memfd_create", errno);
    const int result = ::seccomp_export_bpf(context_.get(), file);
    std::string bytes(static_cast<size_t>(std::max<off_t>(::lseek(file, 0, SEEK_END), 0)), '\0');
    const ssize_t got = ::pread(file, bytes.data(), bytes.size(), 0);
    ::close(file);
    if (result != 0) fail("seccomp_export_bpf", -result);
    if (got != static_cast<ssize_t>(bytes.size()) || bytes.empty()) fail("reading the program back", EIO);
    return bytes;
  }

 private:
  struct Release {
    void operator()(void* context) const { ::seccomp_release(context); }
  };
  std::unique_ptr<void, Release> context_;
};

/// A futex in the mapping of a file is found by everybody who maps that file, whichever way. What stays are the private
/// ones, which threads use. To the C library a wait looks interrupted and a wake like one that nobody waited for, so
/// that its joins and its semaphores between processes go on by looking again.
void forbid_shared_futexes(Filter& filter) {
  constexpr uint64_t kCommandAndPrivate = 0xff;
  for (uint64_t command = 0; command <= FUTEX_LOCK_PI2; ++command) {
    const bool is_wait = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
    const bool is_wake = command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET || command == FUTEX_WAKE_OP;
    const uint32_t error = is_wait ? EAGAIN : is_wake ? 0 : EPERM;
    filter.answer("futex", SCMP_ACT_ERRNO(error), SCMP_A1(SCMP_CMP_MASKED_EQ, kCommandAndPrivate, command));
  }
  for (const int number : kNewFutexCalls) filter.answer(number, SCMP_ACT_ERRNO(ENOSYS));
}

}  // namespace

std::string make_seccomp_filter() {
  Filter filter;
  for (const auto& [defence, calls] : kForbidden) {
    if (!is_on(defence)) continue;
    for (const char* name : calls) filter.answer(name, SCMP_ACT_ERRNO(EPERM));
  }
  if (is_on(Defence::kSeccompNamespaces)) {
    filter.answer("clone3", SCMP_ACT_ERRNO(ENOSYS));
    for (const uint64_t flag : kNamespaceFlags) {
      filter.answer("clone", SCMP_ACT_ERRNO(EPERM), SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
    }
  }
  // Only its own limits: lowering those of the supervisor would end it.
  if (is_on(Defence::kSeccompPrlimit)) {
    filter.answer("prlimit64", SCMP_ACT_ERRNO(EPERM), SCMP_A0(SCMP_CMP_NE, 0));
  }
  // Ignoring SIGCHLD would make children vanish without their CPU time reaching anybody.
  if (is_on(Defence::kSeccompSigchld)) {
    filter.answer("rt_sigaction", SCMP_ACT_ERRNO(0), SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffff, SIGCHLD));
  }
  for (const uint64_t command : kLockCommands) {
    if (!is_on(Defence::kSeccompLocks)) break;
    filter.answer("fcntl", SCMP_ACT_ERRNO(EPERM), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, command));
  }
  if (is_on(Defence::kSeccompLocks)) {
    forbid_shared_futexes(filter);
    // RWF_NOWAIT tells what lies in the cache
    filter.answer("preadv2", SCMP_ACT_ERRNO(EPERM), SCMP_A5(SCMP_CMP_NE, 0));
    filter.answer("pwritev2", SCMP_ACT_ERRNO(EPERM), SCMP_A5(SCMP_CMP_NE, 0));
  }
  // Pages of a shared mapping that was shrunk belong to nobody and are counted nowhere.
  if (is_on(Defence::kSeccompShared)) {
    constexpr uint64_t kShared = MAP_SHARED | MAP_ANONYMOUS;
    filter.answer("mmap", SCMP_ACT_ERRNO(EPERM), SCMP_A3(SCMP_CMP_MASKED_EQ, kShared, kShared));
  }
  // An unreadable process would hide what it holds.
  if (is_on(Defence::kSeccompDumpable)) {
    filter.answer("prctl", SCMP_ACT_ERRNO(EPERM), SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffff, PR_SET_DUMPABLE));
  }
  filter.answer("ioctl", SCMP_ACT_ERRNO(EPERM), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSTI));
  return filter.instructions();
}

}  // namespace plumbline
