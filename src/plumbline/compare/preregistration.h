/// Whether a plan was written down before the results: the commit that last changed it is an ancestor of the commit
/// that made them.
#pragma once

#include <span>
#include <string>

#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/gates.h"
#include "plumbline/compare/plan.h"

namespace plumbline {

/// The gate `preregistered`. Asks git in the plan's folder. It fails when the plan is not committed, was changed since,
/// when a report records no commit or one that does not descend from the plan's, when a report was run under another
/// plan (its recorded hash), or when planned seeds and tasks are not the reported ones.
Gate preregistered_gate(const Plan& plan, std::span<const EvalReport> reports);

}  // namespace plumbline
