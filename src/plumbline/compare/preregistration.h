/// Whether a plan was written down before the results: the commit that last changed it is an ancestor of the commit
/// that its repository had when they were begun, or of the commit of the program that made them.
#pragma once

#include <span>
#include <string>

#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/gates.h"
#include "plumbline/compare/plan.h"

namespace plumbline {

/// How a run that begins now under the plan records it: `commit` only when the bytes at `plan.path` are committed.
Preregistration record_plan(const Plan& plan);

/// The gate `preregistered`. Asks git in the plan's folder. It fails when the plan's bytes are not those that are
/// committed, when a report records no commit or one that does not descend from the plan's, when a report was run under
/// another plan (its recorded hash), or under none by a program with uncommitted changes, or when planned seeds and
/// tasks are not the reported ones.
Gate preregistered_gate(const Plan& plan, std::span<const EvalReport> reports);

}  // namespace plumbline
