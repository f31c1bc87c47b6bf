/// Grades completions while others are still being decoded.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "plumbline/verify/verifier.h"

namespace plumbline {

/// One background thread hands whatever has piled up to the verifier as one batch. Used by one thread.
class GradingQueue {
 public:
  /// `verifier` is borrowed. `num_requests` is known beforehand.
  GradingQueue(Verifier& verifier, size_t num_requests);
  /// Waits for the batch being graded; what has not been handed over yet is dropped.
  ~GradingQueue();
  GradingQueue(const GradingQueue&) = delete;
  GradingQueue& operator=(const GradingQueue&) = delete;

  /// Request number `index`; each index once.
  void add(size_t index, GradeRequest request);
  /// Waits until all requests are graded; verdict i belongs to request i. Rethrows what the verifier threw.
  std::vector<Verdict> finish();

 private:
  void work();

  Verifier& verifier_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<size_t> pending_indices_;
  std::vector<GradeRequest> pending_;
  std::vector<Verdict> verdicts_;
  size_t num_graded_ = 0;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: starts when everything else is there
};

}  // namespace plumbline
