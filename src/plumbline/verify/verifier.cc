#include "plumbline/verify/verifier.h"

#include <condition_variable>
#include <mutex>

namespace plumbline {

std::vector<Verdict> Verifier::grade(std::span<const GradeRequest> requests,
                                     const std::function<void(size_t, const Verdict&)>& on_verdict) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<GradeAnswer> answers(requests.size());
  size_t num_done = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    GradeRequest request = requests[i];
    request.index = static_cast<int64_t>(i);
    submit(std::move(request), [&, i](GradeAnswer answer) {
      const std::lock_guard lock(mutex);
      if (on_verdict && !answer.error) on_verdict(i, answer.verdict);
      answers[i] = std::move(answer);
      if (++num_done == answers.size()) changed.notify_all();
    });
  }
  flush();
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return num_done == answers.size(); });  // all, since they use what is ours
  std::vector<Verdict> verdicts;
  for (GradeAnswer& answer : answers) {
    if (answer.error) std::rethrow_exception(answer.error);
    verdicts.push_back(std::move(answer.verdict));
  }
  return verdicts;
}

}  // namespace plumbline
