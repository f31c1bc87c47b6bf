#include "plumbline/verify/memory_budget.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

namespace plumbline {
namespace {

int64_t number_in(const char* path) {
  int64_t value = -1;
  std::ifstream(path) >> value;  // "max" leaves 0
  return value;
}

}  // namespace

int64_t available_memory_bytes() {
  int64_t available = 0;
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %lld", &kib) == 1) available = kib * 1024;
  }
  const int64_t limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (limit > 0 && used >= 0) available = std::min(available, std::max<int64_t>(limit - used, 0));
  return available;
}

MemoryBudget::Share MemoryBudget::take(int64_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return total_bytes_ <= 0 || taken_bytes_ == 0 || taken_bytes_ + bytes <= total_bytes_; });
  taken_bytes_ += bytes;
  return {*this, bytes};
}

void MemoryBudget::give_back(int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    taken_bytes_ -= bytes;
  }
  changed_.notify_all();
}

}  // namespace plumbline
