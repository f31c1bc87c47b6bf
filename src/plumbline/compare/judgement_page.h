/// `compare --html` and `--markdown`, through report/.
#pragma once

#include <string>

#include "plumbline/compare/decision.h"

namespace plumbline {

/// One self-contained page: the decision, gates, effects, arms, pins, files. Text from files is escaped. `findings` is
/// markup that stands behind the decision; empty = none.
std::string judgement_html(const Judgement& judgement, const DecisionRequest& request,
                           const std::string& findings = "");
/// The same tables; `findings` is Markdown that stands behind the decision likewise.
std::string judgement_markdown(const Judgement& judgement, const DecisionRequest& request,
                               const std::string& findings = "");

}  // namespace plumbline
