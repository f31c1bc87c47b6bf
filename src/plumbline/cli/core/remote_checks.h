/// What `plumbline check PRESET` asks of judges and teachers: one real call each, as their pre-flight.
#pragma once

#include <vector>

#include "plumbline/cli/core/check_line.h"
#include "plumbline/preset/options.h"

namespace plumbline {

/// A line a judge and teacher; none when the preset names none.
std::vector<CheckLine> check_remote(const Preset& preset);

}  // namespace plumbline
