/// Completions of a run's first and last steps, chosen by rule, for people to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plumbline/report/run_folder.h"

namespace plumbline {

/// The most frequent kind of completion in a stretch of steps, by its first member.
struct ExampleCompletion {
  int64_t step = 0, sample = 0;
  std::string problem_id, completion, outcome;
  std::string kind;  ///< "own tester passes, real tests fail", ...
  int64_t num_of_kind = 0, num_seen = 0;
};

struct BeforeAndAfter {
  std::optional<ExampleCompletion> first;  ///< of the first step
  std::optional<ExampleCompletion> last;   ///< of the last five steps
  std::string problem;                     ///< why they could not be read
};

/// Reads rollouts.jsonl of the run. Rows that are no rollout.v1 make a `problem`, never an error.
BeforeAndAfter example_completions(const ArmRun& run);

/// The completion as HTML, escaped, with what defines the tester `name` in <mark>; cut after 4000 bytes.
std::string marked_completion(const std::string& completion, const std::string& tester_name);

}  // namespace plumbline
