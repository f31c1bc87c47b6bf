/// The grader that [grade] asks for.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"
#include "plumbline/sandbox/isolation.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// A CodeVerifier for `loophole` and `signed`, a CustomVerifier (with a CodeVerifier inside when there are code
/// problems) for `custom`. Probes isolation only when code is to be graded.
/// Throws what they throw, and ConfigError(config.no_grader) for a problem that nothing here grades.
std::unique_ptr<Verifier> make_verifier(const GradeOptions& options, std::span<const Problem> problems,
                                        std::optional<IsolationLevel> exact = std::nullopt);

}  // namespace plumbline
