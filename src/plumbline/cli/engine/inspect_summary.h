/// The part of inspect that says what a checkpoint is.
#pragma once

#include <string>

namespace plumbline {

/// Prints architecture, parameters, dtypes, context, hashes, template and stop tokens with their sources. Exit code.
int inspect_summary(const std::string& model);

}  // namespace plumbline
