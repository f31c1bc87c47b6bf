/// Reports of the original harness (sophia-agi): benchmark "rlvr-adapter-heldout", camel-case names.
#pragma once

#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/typed_json.h"

namespace plumbline {

bool is_original_report(const TypedObject& document);

/// An item passes when its reward is 1 (steps: its verdict is accepted), as that harness counts it. Its pins are few:
/// model, metric, split seal, share. Throws as read_eval_report does.
EvalReport read_original_report(const TypedObject& document);

}  // namespace plumbline
