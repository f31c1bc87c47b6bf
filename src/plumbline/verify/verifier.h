/// The seam between training or evaluation and any way of judging a completion: code graders, custom programs, judges.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/record/completion.h"
#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"

namespace plumbline {

/// One completion to judge. `problem` (and `abandoned`) are borrowed and must outlive the answer.
struct GradeRequest {
  const Problem* problem = nullptr;
  int64_t sample = 0;
  std::string completion;
  std::vector<int64_t> token_ids = {};  ///< of the completion; empty = unknown
  /// Place in its step or file. A verifier that judges in batches makes them up in this order, so that a batch is the
  /// same whichever completion came first.
  int64_t index = 0;
  const std::atomic<bool>* abandoned = nullptr;  ///< once true, nobody wants the answer: infra will do
};

/// What became of a request: a verdict, or (error set) the reason why grading cannot go on at all.
struct GradeAnswer {
  Verdict verdict;
  std::exception_ptr error;
};
using OnAnswer = std::function<void(GradeAnswer)>;

class Verifier {
 public:
  virtual ~Verifier() = default;

  /// Takes one request and returns; `on_answer` is called exactly once, from any thread, and must not throw. A
  /// submission's failure is a verdict; a failure of ours is Outcome::kInfra with no reward, after one retry; the
  /// answer's error is SandboxError or RemoteError. Thread-safe.
  virtual void submit(GradeRequest request, OnAnswer on_answer) = 0;
  /// No more company is to come for what was submitted: a verifier that waits for full batches goes on with what it
  /// has. Indices may start again afterwards.
  virtual void flush() {}
  /// How many requests keep it busy; whoever streams holds a small multiple of them and lets the rest wait.
  virtual size_t capacity() const { return 1; }

  /// Judges a batch; result i belongs to request i, whose index is set to i. Blocks until all are done; thread-safe.
  /// Throws the first request's error. `on_verdict` (optional) is called with the index as each verdict arrives,
  /// serialised.
  std::vector<Verdict> grade(std::span<const GradeRequest> requests,
                             const std::function<void(size_t, const Verdict&)>& on_verdict = {});
};

}  // namespace plumbline
