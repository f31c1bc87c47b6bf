/// `compare --html` and `--markdown`, through report/.
#pragma once

#include <string>

#include "plumbline/compare/decision.h"

namespace plumbline {

/// One self-contained page: the decision, gates, effects, arms, pins, files. Text from files is escaped.
std::string judgement_html(const Judgement& judgement, const DecisionRequest& request);
std::string judgement_markdown(const Judgement& judgement, const DecisionRequest& request);

}  // namespace plumbline
