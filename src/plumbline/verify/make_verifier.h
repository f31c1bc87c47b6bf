/// The grader that [grade] asks for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"
#include "plumbline/sandbox/isolation.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// For `loophole` and `signed` (schemes of code; other tasks pay what evaluation.md says) a CodeVerifier, or a
/// TaskVerifier where there are problems of other tasks; for `custom` a CustomVerifier, with a CodeVerifier inside when
/// there are code problems. Probes isolation only when code is to be graded.
/// Throws what they throw, and ConfigError(config.no_grader) for a problem that nothing here grades.
std::unique_ptr<Verifier> make_verifier(const GradeOptions& options, std::span<const Problem> problems,
                                        std::optional<IsolationLevel> exact = std::nullopt);

/// What graded a task, with its version, for the pin `grader`: "code 3", "math 1", "custom" and the rewards.
std::string grader_name(const std::string& task, const GradeOptions& options);

}  // namespace plumbline
