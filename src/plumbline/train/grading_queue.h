/// Grades completions while others are still being decoded.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "plumbline/verify/verifier.h"

namespace plumbline {

/// Hands each request to the verifier the moment it comes and collects the verdicts as they are made, so that all of
/// the verifier's workers are busy. No more is held than the requests of one step. Used by one thread; the verdicts do
/// not depend on the order in which requests come or are answered.
class GradingQueue {
 public:
  /// `verifier` is borrowed. `num_requests` is known beforehand.
  GradingQueue(Verifier& verifier, size_t num_requests);
  /// Gives up what is still in the queue and waits for what is being graded.
  ~GradingQueue();
  GradingQueue(const GradingQueue&) = delete;
  GradingQueue& operator=(const GradingQueue&) = delete;

  /// Request number `index`; each index once. Does not block.
  void add(size_t index, GradeRequest request);
  /// Waits until all requests are graded; verdict i belongs to request i. Rethrows the first error (by index, not by
  /// time).
  std::vector<Verdict> finish();

 private:
  void wait_for_answers();

  Verifier& verifier_;
  std::atomic<bool> abandoned_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<GradeAnswer> answers_;
  size_t num_added_ = 0, num_answered_ = 0;
};

}  // namespace plumbline
