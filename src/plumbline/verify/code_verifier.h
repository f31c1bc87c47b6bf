/// Grades code: finds it in the completion, runs it in the sandbox, keeps the trusted and the hinted grade apart.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "plumbline/preset/options.h"
#include "plumbline/sandbox/isolation.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// Enters the cache key: raise it whenever a verdict may come out differently.
inline constexpr int kGraderVersion = 4;

/// Submissions that are expected to be short go first (none waits for ever), and as many run together as their memory
/// limits fit into what the machine has. What comes out does not depend on either.
/// Thread-safe. Worker threads (one warm Python server each) start with the first submissions and end with the object,
/// and with them every process that graded code has started.
class CodeVerifier : public Verifier {
 public:
  /// Probes isolation with a real submission and says at info level what it found; `exact` asks for one level instead
  /// of the strongest (it must still reach options.min_isolation). Throws SandboxError(sandbox.isolation |
  /// sandbox.python), ConfigError(config.not_allowed) for a reward scheme or level that is not known.
  /// `hash_seed` is that of the interpreters: strings hash by it, and the order of sets follows.
  explicit CodeVerifier(const GradeOptions& options, std::optional<IsolationLevel> exact = std::nullopt,
                        uint32_t hash_seed = 0);
  ~CodeVerifier() override;

  /// One completion, answered in its own time, from a worker's thread. After Ctrl-C (base/interrupt.h) what has not
  /// been graded comes back as infra.
  void submit(GradeRequest request, OnAnswer on_answer) override;

  IsolationLevel isolation() const;
  size_t num_workers() const;
  size_t capacity() const override { return num_workers(); }
  /// Verdicts that stayed infra after their retry.
  int64_t num_infra() const;

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace plumbline
