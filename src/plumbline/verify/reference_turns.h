/// Keeps two things apart in time: the grading of answers to a problem, and the run of a response's own tester beside
/// that problem's reference. A tester may ask the reference anything; no process that is graded on the same problem is
/// there at that time to be told. (Two submissions that run together always find some channel, if only the load.)
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "plumbline/record/problem.h"

namespace plumbline {

/// Thread-safe. Turns come to an end by themselves: what runs inside has limits.
class ReferenceTurns {
 public:
  /// A turn at one problem, over when it goes out of scope.
  using Turn = std::shared_ptr<void>;

  /// Any number at a time; waits for testers, and for those that wait already.
  Turn for_answers(const ProblemId& problem);
  /// Alone; waits for everybody else.
  Turn for_tester(const ProblemId& problem);

 private:
  struct Count {
    int answers = 0, testers = 0, waiting = 0;
    bool is_idle() const { return answers + testers + waiting == 0; }
  };
  void leave(const ProblemId& problem, int Count::*which);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<ProblemId, Count> counts_;  ///< of problems that are at work
};

}  // namespace plumbline
