#include "plumbline/train/grading_queue.h"

#include <utility>

#include "plumbline/base/check.h"

namespace plumbline {

GradingQueue::GradingQueue(Verifier& verifier, size_t num_requests) : verifier_(verifier), answers_(num_requests) {}

GradingQueue::~GradingQueue() {
  abandoned_ = true;
  wait_for_answers();
}

void GradingQueue::add(size_t index, GradeRequest request) {
  PL_CHECK(index < answers_.size(), "an index past the number of requests");
  request.index = static_cast<int64_t>(index);
  request.abandoned = &abandoned_;
  ++num_added_;
  verifier_.submit(std::move(request), [this, index](GradeAnswer answer) {
    const std::lock_guard lock(mutex_);
    answers_[index] = std::move(answer);
    ++num_answered_;
    changed_.notify_all();  // under the lock: afterwards this may be gone
  });
}

std::vector<Verdict> GradingQueue::finish() {
  PL_CHECK(num_added_ == answers_.size(), "every request must have been added");
  wait_for_answers();
  std::vector<Verdict> verdicts;
  for (GradeAnswer& answer : answers_) {
    if (answer.error) std::rethrow_exception(answer.error);
    verdicts.push_back(std::move(answer.verdict));
  }
  return verdicts;
}

void GradingQueue::wait_for_answers() {
  verifier_.flush();  // a batch that waits for company would wait for ever
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return num_answered_ == num_added_; });
}

}  // namespace plumbline
