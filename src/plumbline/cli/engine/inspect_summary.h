/// The part of inspect that says what a checkpoint is.
#pragma once

#include <string>

namespace plumbline {

/// Prints architecture, parameters (of a mixture also those that one token uses), dtypes, context, hashes, template,
/// stop tokens with their sources, the default system prompt, who writes the BOS and, with a preset, its first prompt.
/// No tensor is made. Exit code.
int inspect_summary(const std::string& model, const std::string& preset_name);

}  // namespace plumbline
