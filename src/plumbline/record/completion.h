/// A model's answer to a problem, as text (with the prefilled part of the template, which belongs to what is graded).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/record/problem.h"

namespace plumbline {

struct Completion {
  ProblemId problem_id;
  int64_t sample = 0;
  std::string completion;
  std::vector<int64_t> token_ids;  ///< empty when unknown
  std::string finish_reason;       ///< "stop", "length", or empty when unknown
  /// Chosen by whoever asks, given back with the verdict; unset when there is none.
  std::optional<ProblemId> request_id;
};

}  // namespace plumbline
