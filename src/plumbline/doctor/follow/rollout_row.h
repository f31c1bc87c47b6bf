/// One completion of a trainer's dump, whoever wrote it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plumbline/base/json.h"

namespace plumbline::doctor {

struct RolloutRow {
  std::string id;      ///< of the problem, as text; empty = not said
  std::string prompt;  ///< its last user message, or the rendered text; empty = not said
  std::string completion;
  std::optional<int64_t> step;
  std::optional<double> reward;  ///< as the trainer paid it
};

/// Reads a row by the names that trainers use: ours (problem_id, completion, step, reward), TRL's (prompt, completion,
/// step, and "reward", else the sum of its reward columns), verl's (input, output, step, score), verifiers' and
/// prime-rl's (example_id, prompt and completion as messages, reward). A step is a whole number from 0 on.
/// Throws DataError(data.json_missing_key | data.json_type) at `where`: no completion in it, a step that is none.
RolloutRow read_rollout_row(const Json& row, const std::string& where);

}  // namespace plumbline::doctor
