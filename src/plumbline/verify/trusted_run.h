/// The trusted grade: calls the submission in its sandbox and judges the values here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"
#include "plumbline/sandbox/python_server.h"

namespace plumbline {

/// What one run of a submission against the tests showed.
struct TrustedRun {
  Outcome outcome = Outcome::kInfra;
  bool compiles = false;
  bool tester_is_absent = false;  ///< the source shows that there will be no tester: no need to run it to see
  int64_t passed = 0, total = 0;
  std::vector<std::string> integrity;
  std::string method, detail;
  double cpu_ms = 0, wall_ms = 0;
};

/// Runs all tests and holdout tests of the problem, none skipped after a failure. Tests that are data are compared
/// here; tests that are code run in a second confined process that reaches the submission by value, through here.
/// kInfra means a failure of ours. Throws SandboxError(sandbox.server_died).
TrustedRun run_trusted(PythonServer& server, const Problem& problem, const std::string& code,
                       const SandboxLimits& limits);

/// What each call returns as plain data; unset for a call that raises or returns something else. Empty when the process
/// ran into a limit, did not load or failed for a reason of ours. Throws SandboxError(sandbox.server_died).
std::vector<std::optional<PythonValue>> call_all(PythonServer& server, const Problem& problem, const std::string& code,
                                                 const std::vector<PythonCall>& calls, const SandboxLimits& limits);

}  // namespace plumbline
