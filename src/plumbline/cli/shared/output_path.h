/// Where a verb may write.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Throws ConfigError(config.output_is_input) when `output` (empty: none) is one of `inputs`, by whatever name: what
/// was measured is never overwritten by what is said of it.
void require_no_input(const std::string& output, const std::vector<std::string>& inputs, const std::string& option);

}  // namespace plumbline
