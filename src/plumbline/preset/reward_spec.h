/// What `grade.reward = "custom"` pays: the list `grade.rewards`, each entry a name, where its values come from, and a
/// weight.
#pragma once

#include <string>
#include <vector>

#include "plumbline/preset/options.h"

namespace plumbline {

/// Where the values of one reward come from.
enum class RewardKind {
  kScheme,    ///< "loophole" or "signed": the code grader's own
  kFunction,  ///< "FILE.py:function" or "package.module:function", called as TRL calls reward functions
  kCommand,   ///< "command:PROGRAM ...": run by /bin/sh, JSON lines in and out
  kEndpoint,  ///< "http://..." or "https://..."
  kJudge,     ///< "judge:provider:model[@base_url]": 1 for supported, 0 for not supported, null for anything else
};

struct RewardSpec {
  std::string name;  ///< letters, digits and ._-; unique; metrics are rewards/<name>/...
  RewardKind kind = RewardKind::kScheme;
  std::string target;  ///< the scheme, FILE.py:function, the shell command, the address, or provider:model
  double weight = 1;
};

/// Takes grade.rewards and grade.reward_weights apart. An entry is "NAME=SOURCE" or, for a scheme or a function, the
/// source alone (its name is then the scheme's or the function's). No weights = 1 each.
/// Throws ConfigError: config.not_allowed (an entry that is none of these, a bad name), config.conflict (a name twice,
/// rewards without reward = custom and the reverse, another number of weights).
std::vector<RewardSpec> parse_rewards(const GradeOptions& options, const std::string& where = "grade.rewards");

}  // namespace plumbline
