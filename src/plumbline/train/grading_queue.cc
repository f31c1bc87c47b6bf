#include "plumbline/train/grading_queue.h"

#include <utility>

#include "plumbline/base/check.h"

namespace plumbline {

GradingQueue::GradingQueue(Verifier& verifier, size_t num_requests)
    : verifier_(verifier), verdicts_(num_requests), thread_([this] { work(); }) {}

GradingQueue::~GradingQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void GradingQueue::add(size_t index, GradeRequest request) {
  {
    const std::lock_guard lock(mutex_);
    pending_indices_.push_back(index);
    pending_.push_back(std::move(request));
  }
  changed_.notify_all();
}

std::vector<Verdict> GradingQueue::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || num_graded_ == verdicts_.size(); });
  if (failure_) std::rethrow_exception(failure_);
  return std::move(verdicts_);
}

void GradingQueue::work() {
  for (;;) {
    std::vector<size_t> indices;
    std::vector<GradeRequest> requests;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !pending_.empty(); });
      if (stop_) return;
      indices.swap(pending_indices_);
      requests.swap(pending_);
    }
    std::vector<Verdict> graded;
    std::exception_ptr failure;
    try {
      graded = verifier_.grade(requests);
      PL_CHECK(graded.size() == requests.size(), "a verifier must answer every request");
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      failure_ = failure;
      for (size_t i = 0; i < graded.size(); ++i) verdicts_[indices[i]] = std::move(graded[i]);
      num_graded_ += graded.size();
    }
    changed_.notify_all();
    if (failure) return;
  }
}

}  // namespace plumbline
