/// The live processes of one submission, seen from its supervisor. Raw system calls only (system_call.h).
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "plumbline/sandbox/native/launch_plan.h"

namespace plumbline {

class ProcessTree {
 public:
  /// In the supervisor, which has the warm interpreter's memory: what that holds is not the submission's.
  explicit ProcessTree(const LaunchPlan& plan);

  /// Reads /proc. In a space of our own everything but us; else our descendants.
  void look();
  /// Live processes with the children that they reaped, and those that we reaped.
  double cpu_s() const;
  /// Memory beyond the warm interpreter's. Upper bound first (pages shared after a fork count once a process); the
  /// exact sum only when that is above the limit.
  int64_t memory_bytes() const;
  /// Longest time that one process stood ready without a core: the load's fault, not the submission's.
  double starved_s() const;
  /// Kills and reaps everything. A process that is being killed cannot fork, so this ends.
  void end();

 private:
  static constexpr int kMost = 1 << 15;
  const LaunchPlan& plan_;
  const pid_t self_;
  const int64_t interpreter_bytes_;
  int num_ = 0;
  pid_t pids_[kMost];
};

/// Threads of all processes of a user.
int64_t num_threads_of_user(uid_t uid);
/// CPU time of ended and reaped children.
double reaped_cpu_s();

}  // namespace plumbline
