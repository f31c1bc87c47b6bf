/// The hinted grade and what the response's own tester F is worth. F runs in processes of its own and may say anything:
/// nothing here reaches the trusted grade.
#pragma once

#include <optional>
#include <string>

#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"
#include "plumbline/sandbox/python_server.h"
#include "plumbline/verify/reference_turns.h"

namespace plumbline {

struct HintedRun {
  bool infra = false;  ///< a failure of ours; the rest means nothing
  bool hinted_pass = false;
  TesterReport tester;
  double cpu_ms = 0, wall_ms = 0;
};

/// Calls F on the response as it is (hinted grade), then, when the response binds F, on a stub that returns 0 and on
/// the reference. On those two F runs alone first, and together with what it needs of the response when all that failed
/// was a name that the response defines elsewhere, and on the reference in a turn of its own. F counts as defined when
/// the syntax tree binds it or when it is there at run time (exec, setattr). Throws SandboxError(sandbox.server_died).
HintedRun run_hinted(PythonServer& server, const Problem& problem, const std::string& code, const SandboxLimits& limits,
                     ReferenceTurns& turns);

}  // namespace plumbline
