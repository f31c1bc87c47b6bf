/// What the warm server tells the native launcher about one submission (python/server.py fills it, field by field).
#pragma once

#include <cstdint>

namespace plumbline {

struct LaunchPlan {
  int64_t clone_flags;  ///< namespaces to make; 0 = none
  int64_t own_space;    ///< 1: the supervisor is process 1 of a pid namespace and /tmp is the submission's alone
  int64_t cpu_us, wall_us;
  int64_t memory_bytes, processes;
  int64_t first_uid, num_uids;  ///< throwaway uids, one for each submission (needs root); 0 of them = none
  int64_t uid;                  ///< the one that this submission gets; -1 = stay who we are
  int64_t off;                  ///< defences that the test build switched off; 0 in every other
};

/// Exit code of a process that could not be confined; no submission ran in it.
inline constexpr int kNotConfined = 99;
/// Where the submission's process finds its channel: not among the first, which careless or noisy code writes to, so
/// that what it writes there cannot meet an answer half-way.
inline constexpr int kChannel = 200;
inline constexpr int kNobody = 65534;

}  // namespace plumbline
