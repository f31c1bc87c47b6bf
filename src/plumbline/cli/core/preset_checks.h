/// What `plumbline check PRESET` asks of the files that a preset names. Headers and text only; no weights are read.
#pragma once

#include <vector>

#include "plumbline/cli/core/check_line.h"
#include "plumbline/preset/options.h"

namespace plumbline {

/// problems, pairs, model, memory for training; in that order.
std::vector<CheckLine> check_files(const Preset& preset);

}  // namespace plumbline
