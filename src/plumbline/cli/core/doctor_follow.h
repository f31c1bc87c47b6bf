/// plumbline doctor --follow: rollouts of a training that runs, graded beside it.
#pragma once

#include <string>

#include "plumbline/preset/options.h"

namespace plumbline {

struct FollowRequest {
  std::string rollouts;  ///< a growing file, or a folder with a file a step
  std::string problems;
  bool once = false;  ///< stop at the end of what is there
  bool as_json = false;
};

/// Prints a line a step and the onset once. Returns 1 when one was raised, else 0. After Ctrl-C the step that is open
/// is graded as far as it is there, said to be partial, and Interrupted thrown; a second Ctrl-C gives that up. Throws
/// what reading, matching and grading throw.
int follow_rollouts(const FollowRequest& request);

}  // namespace plumbline
