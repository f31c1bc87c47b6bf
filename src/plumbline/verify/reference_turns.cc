#include "plumbline/verify/reference_turns.h"

#include "plumbline/sandbox/defences.h"

namespace plumbline {

ReferenceTurns::Turn ReferenceTurns::for_answers(const ProblemId& problem) {
  if (!is_on(Defence::kReferenceTurn)) return nullptr;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    const Count& count = counts_[problem];
    return count.testers == 0 && count.waiting == 0;
  });
  ++counts_[problem].answers;
  return {nullptr, [this, problem](void*) { leave(problem, &Count::answers); }};
}

ReferenceTurns::Turn ReferenceTurns::for_tester(const ProblemId& problem) {
  if (!is_on(Defence::kReferenceTurn)) return nullptr;
  std::unique_lock lock(mutex_);
  ++counts_[problem].waiting;
  changed_.wait(lock, [&] {
    const Count& count = counts_[problem];
    return count.testers == 0 && count.answers == 0;
  });
  --counts_[problem].waiting;
  ++counts_[problem].testers;
  return {nullptr, [this, problem](void*) { leave(problem, &Count::testers); }};
}

void ReferenceTurns::leave(const ProblemId& problem, int Count::*which) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = counts_.find(problem);
    --(at->second.*which);
    if (at->second.is_idle()) counts_.erase(at);
  }
  changed_.notify_all();
}

}  // namespace plumbline
