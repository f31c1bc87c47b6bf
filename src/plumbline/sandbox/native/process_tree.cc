#include "plumbline/sandbox/native/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plumbline/sandbox/native/switches.h"

namespace plumbline {
namespace {

constexpr int kStatBytes = 1024;
constexpr int kCpuFields = 11;  // utime, stime, cutime, cstime after the name

/// The n-th blank-separated field.
const char* field(const char* text, int n) {
  for (; text && n > 0; --n) {
    text = std::strchr(text, ' ');
    if (text) ++text;
  }
  return text;
}

int64_t page_bytes() {
  static const int64_t size = ::sysconf(_SC_PAGESIZE);
  return size;
}

int64_t resident_bytes(pid_t pid) {
  char path[64], text[256];
  std::snprintf(path, sizeof path, "/proc/%d/statm", pid);
  if (!read_small(path, text, sizeof text)) return 0;
  const char* resident = field(text, 1);
  return resident ? std::strtoll(resident, nullptr, 10) * page_bytes() : 0;
}

/// Memory that is this process's own share; a process that made itself unreadable is taken at its upper bound.
int64_t own_bytes(pid_t pid) {
  char path[64], text[4096];
  std::snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
  if (!read_small(path, text, sizeof text)) return resident_bytes(pid);
  int64_t kib = 0;
  for (const char* name : {"Pss_Anon:", "Pss_Shmem:"}) {
    const char* at = std::strstr(text, name);
    if (at) kib += std::strtoll(at + std::strlen(name), nullptr, 10);
  }
  return kib * 1024;
}

/// Files in /tmp; names and short links live in inodes, which count as a page each.
int64_t file_bytes(const LaunchPlan& plan) {
  struct statvfs usage;
  if (!plan.own_space || !is_on(Defence::kTmpIsMemory) || ::statvfs("/tmp", &usage) != 0) return 0;
  return static_cast<int64_t>(usage.f_blocks - usage.f_bfree) * static_cast<int64_t>(usage.f_frsize) +
         static_cast<int64_t>(usage.f_files - usage.f_ffree) * page_bytes();
}

/// What the kernel may hold in the buffers of a process's sockets, which no process's size shows. Sockets that a fork
/// shares count once a process: an upper bound that honest code stays far below.
int64_t buffer_bytes(pid_t pid) {
  constexpr int64_t kSocket_bytes = 212992;  // net.core.wmem_default; the filter refuses to raise it
  char path[64], target[16];
  std::snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR* folder = is_on(Defence::kBuffersAreMemory) ? ::opendir(path) : nullptr;
  int64_t sockets = 0;
  while (const dirent* entry = folder ? ::readdir(folder) : nullptr) {
    const ssize_t size = ::readlinkat(::dirfd(folder), entry->d_name, target, sizeof target);
    sockets += size > 7 && std::strncmp(target, "socket:", 7) == 0;
  }
  if (folder) ::closedir(folder);
  constexpr int64_t kFree = 4;  // the channel, and the pair that an event loop makes
  return std::max<int64_t>(sockets - kFree, 0) * kSocket_bytes;
}

pid_t parent_of(pid_t pid) {
  char text[kStatBytes];
  const char* fields = field(stat_fields(pid, text, sizeof text), 1);
  return fields ? std::atoi(fields) : -1;
}

}  // namespace

bool read_small(const char* path, char* text, int size) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t count = ::read(file, text, static_cast<size_t>(size - 1));
  ::close(file);
  if (count <= 0) return false;
  text[count] = 0;
  return true;
}

const char* stat_fields(pid_t pid, char* text, int size) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (!read_small(path, text, size)) return nullptr;
  const char* name_end = std::strrchr(text, ')');
  return name_end && name_end[1] ? name_end + 2 : nullptr;
}

int64_t num_threads_of_user(uid_t uid) {
  constexpr int kThreadsField = 17;
  int64_t threads = 0;
  DIR* folder = ::opendir("/proc");
  while (const dirent* entry = folder ? ::readdir(folder) : nullptr) {
    const pid_t pid = std::atoi(entry->d_name);
    struct stat info;
    if (pid <= 0 || ::fstatat(::dirfd(folder), entry->d_name, &info, 0) != 0 || info.st_uid != uid) continue;
    char text[kStatBytes];
    const char* at = field(stat_fields(pid, text, sizeof text), kThreadsField);
    threads += at ? std::atoi(at) : 0;
  }
  if (folder) ::closedir(folder);
  return threads;
}

double reaped_cpu_s() {
  struct rusage usage;
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

ProcessTree::ProcessTree(const LaunchPlan& plan) : plan_(plan), interpreter_bytes_(resident_bytes(::getpid())) {}

void ProcessTree::look() {
  num_ = 0;
  DIR* folder = ::opendir("/proc");
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid > 0 && pid != ::getpid() && num_ < kMost) pids_[num_++] = pid;
  }
  ::closedir(folder);
  if (plan_.own_space) return;
  // Descendants only: whoever's parent is us or was found to be one moves to the front, until nobody does.
  int found = 0;
  for (bool grew = true; grew;) {
    grew = false;
    for (int i = found; i < num_; ++i) {
      const pid_t parent = parent_of(pids_[i]);
      bool ours = parent == ::getpid();
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
  static const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  double ticks = 0;
  for (int i = 0; i < num_; ++i) {
    char text[kStatBytes];
    const char* at = field(stat_fields(pids_[i], text, sizeof text), kCpuFields);
    for (int k = 0; at && k < 4; ++k, at = field(at, 1)) ticks += static_cast<double>(std::strtoull(at, nullptr, 10));
  }
  return reaped_cpu_s() + ticks / ticks_per_s;
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
    char path[64], text[256];
    std::snprintf(path, sizeof path, "/proc/%d/schedstat", pids_[i]);
    if (!read_small(path, text, sizeof text)) continue;
    const char* waited = field(text, 1);
    if (waited) longest = std::max(longest, std::strtod(waited, nullptr) / 1e9);
  }
  return longest;
}

void ProcessTree::end() {
  while (true) {
    if (plan_.own_space) {
      ::kill(-1, SIGKILL);
    } else {
      look();
      for (int i = 0; i < num_; ++i) ::kill(pids_[i], SIGKILL);
    }
    pid_t reaped;
    while ((reaped = ::waitpid(-1, nullptr, __WALL | (plan_.own_space ? 0 : WNOHANG))) > 0) {
    }
    if (reaped < 0 && errno == ECHILD) return;
    ::usleep(1000);
  }
}

}  // namespace plumbline
