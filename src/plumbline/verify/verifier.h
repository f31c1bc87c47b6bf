/// The seam between training or evaluation and any way of judging a completion: code graders, custom programs, judges.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plumbline/record/completion.h"
#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"

namespace plumbline {

/// One completion to judge. `problem` is borrowed and must outlive the call.
struct GradeRequest {
  const Problem* problem = nullptr;
  int64_t sample = 0;
  std::string completion;
};

class Verifier {
 public:
  virtual ~Verifier() = default;
  /// Judges a batch; result i belongs to request i. Blocks until all are done; thread-safe. A submission's failure is a
  /// verdict; a failure of ours is Outcome::kInfra with no reward, after one retry. Throws SandboxError only when
  /// grading cannot go on at all. `on_verdict` (optional) is called with the index as each verdict arrives, serialised.
  virtual std::vector<Verdict> grade(std::span<const GradeRequest> requests,
                                     const std::function<void(size_t, const Verdict&)>& on_verdict = {}) = 0;
};

}  // namespace plumbline
