/// `compare` in a terminal.
#pragma once

#include <string>

#include "plumbline/compare/decision.h"

namespace plumbline {

/// Figures of one effect, a line each.
std::string effect_text(const Effect& effect);

/// Gates, effects, notes and the decision last. Text from files is escaped.
std::string judgement_text(const Judgement& judgement);

}  // namespace plumbline
