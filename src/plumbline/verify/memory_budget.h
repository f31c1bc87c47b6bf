/// Keeps the memory limits of submissions that run together below what the machine has.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace plumbline {

/// What this process may use now: free memory, or what its cgroup leaves of it. 0 when the machine does not say.
int64_t available_memory_bytes();

/// Thread-safe.
class MemoryBudget {
 public:
  /// 0 or less: no bound.
  explicit MemoryBudget(int64_t total_bytes) : total_bytes_(total_bytes) {}

  /// A part of the budget, given back when it goes out of scope.
  class Share {
   public:
    Share(MemoryBudget& budget, int64_t bytes) : budget_(budget), bytes_(bytes) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { budget_.give_back(bytes_); }

   private:
    MemoryBudget& budget_;
    const int64_t bytes_;
  };
  /// Waits until `bytes` are free. What exceeds the whole budget runs alone.
  Share take(int64_t bytes);

 private:
  void give_back(int64_t bytes);

  const int64_t total_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t taken_bytes_ = 0;
};

}  // namespace plumbline
