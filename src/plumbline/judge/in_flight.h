/// Work that waits for others: a fixed number of threads take jobs in order, one each at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace plumbline {

/// Calls `next` (serialised, in order, until it is empty) and `work` (from `num_threads` threads); returns when all is
/// done. Never more than one job a thread exists, so memory does not grow with their number. The first exception of
/// either ends the rest after their present job and is thrown.
template <typename Job>
void run_in_flight(int64_t num_threads, const std::function<std::optional<Job>()>& next,
                   const std::function<void(Job)>& work) {
  std::mutex mutex;
  std::exception_ptr error;
  const auto loop = [&] {
    while (true) {
      std::optional<Job> job;
      try {
        {
          const std::lock_guard lock(mutex);
          if (error) return;
          job = next();
        }
        if (!job) return;
        work(std::move(*job));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        return;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int64_t i = 0; i < num_threads; ++i) threads.emplace_back(loop);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace plumbline
