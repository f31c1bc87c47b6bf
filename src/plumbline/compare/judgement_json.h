/// `compare --json`.
#pragma once

#include "plumbline/base/json.h"
#include "plumbline/compare/decision.h"

namespace plumbline {

/// One effect: delta, ci95, method and everything beside it. What does not exist is null, never 0.
Json effect_json(const Effect& effect);

/// compare.v1 (docs/reference/compare.md). Of an INVALID comparison `headline` is null; the figures stand under
/// `not_a_result`.
Json judgement_json(const Judgement& judgement, const DecisionRequest& request);

}  // namespace plumbline
