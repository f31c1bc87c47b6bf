/// Prepared run folders, trained in processes of their own: `plumbline-engine train --resume FOLDER`, several at a
/// time. A crash of one arm cannot take the others with it, and an arm in a probe is trained by exactly what `train`
/// does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// A run folder with its resolved.toml, provenance and direction in place.
struct PreparedArm {
  std::string name;  ///< "haar.2"
  uint64_t seed = 0;
  int64_t num_steps = 0;
  std::string folder;

  std::string label() const;  ///< "haar.2 s1"
  bool is_complete() const;
};

/// Trains the arms that are not complete, in order, at most `parallel` at once; what they print goes to
/// FOLDER/train.log. Shows arm, step, rates and the time left on stderr: a line an arm that is rewritten on a terminal,
/// else a line now and then. When an arm fails, or on Ctrl-C, the others save what they have and end.
/// The arms end likewise when this process dies. Throws Interrupted (`resume_hint` says how to go on), or
/// DataError/NumericError/SandboxError/InternalError(run.arm_failed) with the arm's own error line.
void train_arms(const std::vector<PreparedArm>& arms, int64_t parallel, const std::string& resume_hint);

}  // namespace plumbline
