#include "plumbline/sandbox/native/process_tree.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "plumbline/sandbox/native/proc_files.h"
#include "plumbline/sandbox/native/switches.h"
#include "plumbline/sandbox/native/system_call.h"

namespace plumbline {
namespace {

constexpr int kStatBytes = 1024;
constexpr int kCpuFields = 11;  // utime, stime, cutime, cstime after the name

int64_t page_bytes() {
  return ::sysconf(_SC_PAGESIZE);  // a constant of the process; nothing is written
}

int64_t resident_in(const char* statm) {
  char text[256];
  if (!read_small(statm, text, sizeof text)) return 0;
  const char* resident = field(text, 1);
  return resident ? parse_number(resident) * page_bytes() : 0;
}

/// A process whose first thread has ended shows no memory under its own number; its other threads do.
int64_t resident_bytes(pid_t pid) {
  if (const int64_t bytes = resident_in(ProcPath(pid, "statm").text())) return bytes;
  FolderReader threads(ProcPath(pid, "task").text());
  while (const char* name = threads.next()) {
    if (const int64_t bytes = resident_in(ThreadPath(pid, parse_number(name), "statm").text())) return bytes;
  }
  return 0;
}

/// Without files that are mapped, which a fork does not take over.
int64_t anonymous_bytes(pid_t pid) {
  char text[256];
  if (!read_small(ProcPath(pid, "statm").text(), text, sizeof text)) return 0;
  const char* shared = field(text, 2);
  return shared ? resident_bytes(pid) - parse_number(shared) * page_bytes() : 0;
}

/// Memory that is this process's own share; a process that made itself unreadable is taken at its upper bound.
int64_t own_bytes(pid_t pid) {
  char text[4096];
  if (!read_small(ProcPath(pid, "smaps_rollup").text(), text, sizeof text)) return resident_bytes(pid);
  int64_t kib = 0;
  for (const char* name : {"Pss_Anon:", "Pss_Shmem:"}) {
    const char* at = std::strstr(text, name);
    if (at) kib += parse_number(at + std::strlen(name));
  }
  return kib * 1024;
}

/// Files in /tmp; names and short links live in inodes, which count as a page each.
int64_t file_bytes(const LaunchPlan& plan) {
  struct statfs usage;
  if (!plan.own_space || !is_on(Defence::kTmpIsMemory) || system_call(SYS_statfs, "/tmp", &usage) != 0) return 0;
  return static_cast<int64_t>(usage.f_blocks - usage.f_bfree) * static_cast<int64_t>(usage.f_bsize) +
         static_cast<int64_t>(usage.f_files - usage.f_ffree) * page_bytes();
}

/// What the kernel may hold in the buffers of a process's sockets, which no process's size shows. Sockets that a fork
/// shares count once a process: an upper bound that honest code stays far below.
int64_t buffer_bytes(pid_t pid) {
  constexpr int64_t kSocket_bytes = 212992;  // net.core.wmem_default; the filter refuses to raise it
  if (!is_on(Defence::kBuffersAreMemory)) return 0;
  char target[16];
  FolderReader folder(ProcPath(pid, "fd").text());
  int64_t sockets = 0;
  while (const char* name = folder.next()) {
    const long size = system_call(SYS_readlinkat, folder.descriptor(), name, target, sizeof target);
    sockets += size > 7 && std::strncmp(target, "socket:", 7) == 0;
  }
  constexpr int64_t kFree = 4;  // the channel, and the pair that an event loop makes
  return std::max<int64_t>(sockets - kFree, 0) * kSocket_bytes;
}

pid_t parent_of(pid_t pid) {
  char text[kStatBytes];
  const char* fields = field(stat_fields(pid, text, sizeof text), 1);
  return fields ? static_cast<pid_t>(parse_number(fields)) : -1;
}

}  // namespace

int64_t num_threads_of_user(uid_t uid) {
  constexpr int kThreadsField = 17;
  int64_t threads = 0;
  FolderReader folder("/proc");
  while (const char* name = folder.next()) {
    const pid_t pid = static_cast<pid_t>(parse_number(name));
    struct stat info;
    if (pid <= 0 || ::fstatat(folder.descriptor(), name, &info, 0) != 0 || info.st_uid != uid) continue;
    char text[kStatBytes];
    const char* at = field(stat_fields(pid, text, sizeof text), kThreadsField);
    threads += at ? parse_number(at) : 0;
  }
  return threads;
}

double reaped_cpu_s() {
  struct rusage usage;
  system_call(SYS_getrusage, RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

ProcessTree::ProcessTree(const LaunchPlan& plan)
    : plan_(plan), self_(static_cast<pid_t>(system_call(SYS_getpid))), interpreter_bytes_(anonymous_bytes(self_)) {}

void ProcessTree::look() {
  num_ = 0;
  FolderReader folder("/proc");
  while (const char* name = folder.next()) {
    const pid_t pid = static_cast<pid_t>(parse_number(name));
    if (pid > 0 && pid != self_ && num_ < kMost) pids_[num_++] = pid;
  }
  if (plan_.own_space) return;
  // Descendants only: whoever's parent is us or was found to be one moves to the front, until nobody does.
  int found = 0;
  for (bool grew = true; grew;) {
    grew = false;
    for (int i = found; i < num_; ++i) {
      const pid_t parent = parent_of(pids_[i]);
      bool ours = parent == self_;
      for (int k = 0; k < found && !ours; ++k) ours = pids_[k] == parent;
      if (!ours) continue;
      const pid_t pid = pids_[i];
      pids_[i] = pids_[found];
      pids_[found++] = pid;
      grew = true;
    }
  }
  num_ = found;
}

double ProcessTree::cpu_s() const {
  constexpr double kTicks_s = 100;  // USER_HZ, the unit of /proc whatever the kernel's own
  int64_t ticks = 0;
  for (int i = 0; i < num_; ++i) {
    char text[kStatBytes];
    const char* at = field(stat_fields(pids_[i], text, sizeof text), kCpuFields);
    for (int k = 0; at && k < 4; ++k, at = field(at, 1)) ticks += parse_number(at);
  }
  return reaped_cpu_s() + static_cast<double>(ticks) / kTicks_s;
}

int64_t ProcessTree::memory_bytes() const {
  int64_t hidden = file_bytes(plan_), bound = 0;  // hidden: held by the kernel, in no process's size
  for (int i = 0; i < num_; ++i) {
    bound += resident_bytes(pids_[i]);
    hidden += buffer_bytes(pids_[i]);
  }
  hidden -= interpreter_bytes_;
  if (bound + hidden <= plan_.memory_bytes) return bound + hidden;
  int64_t exact = hidden;
  for (int i = 0; i < num_; ++i) exact += own_bytes(pids_[i]);
  return exact;
}

double ProcessTree::starved_s() const {
  double longest = 0;
  for (int i = 0; i < num_; ++i) {
    char text[256];
    if (!read_small(ProcPath(pids_[i], "schedstat").text(), text, sizeof text)) continue;
    const char* waited = field(text, 1);
    if (waited) longest = std::max(longest, static_cast<double>(parse_number(waited)) / 1e9);
  }
  return longest;
}

void ProcessTree::end() {
  while (true) {
    if (plan_.own_space) {
      system_call(SYS_kill, -1, SIGKILL);
    } else {
      look();
      for (int i = 0; i < num_; ++i) system_call(SYS_kill, pids_[i], SIGKILL);
    }
    long reaped;
    do reaped = system_call(SYS_wait4, -1, nullptr, __WALL | (plan_.own_space ? 0 : WNOHANG));
    while (reaped > 0);
    if (reaped == -ECHILD) return;
    const timespec pause = {0, 1'000'000};
    system_call(SYS_nanosleep, &pause, nullptr);
  }
}

}  // namespace plumbline
