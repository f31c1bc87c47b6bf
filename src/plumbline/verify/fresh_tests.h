/// Hold-out tests made on the spot: fresh inputs answered by the reference solution. They find a submission whose
/// answers are keyed to the visible tests.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"
#include "plumbline/sandbox/python_server.h"

namespace plumbline {

/// Fewer fresh tests than this say nothing.
inline constexpr int64_t kLeastFreshTests = 8;

/// Makes the tests of a problem once and keeps them. Thread-safe.
class FreshTests {
 public:
  explicit FreshTests(size_t count) : count_(count) {}

  /// The problem with fresh tests in the place of its own, or null where there are fewer than kLeastFreshTests. The
  /// reference answers every input in three processes of its own; inputs on which it raises, gives no plain data or
  /// gives different answers are dropped. Numbers are compared within 1e-6 where the problem compares exactly: a right
  /// solution may round in another order. Throws SandboxError(sandbox.server_died).
  std::shared_ptr<const Problem> of(PythonServer& server, const Problem& problem, const SandboxLimits& limits);

 private:
  std::shared_ptr<const Problem> make(PythonServer& server, const Problem& problem, const SandboxLimits& limits) const;

  const size_t count_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Problem>> made_;
};

/// Runs a submission that passed on the fresh tests. Unset when there are none or it ran into a limit.
std::optional<FreshReport> run_fresh(PythonServer& server, const Problem& fresh, const std::string& code,
                                     const SandboxLimits& limits);

/// Passes what is visible and fails at least half of the fresh tests; or fails any, and the arguments of at least half
/// of the visible tests (and of three) stand as literals in its code.
bool is_special_cased(const Problem& problem, const std::string& code, const FreshReport& report);

}  // namespace plumbline
