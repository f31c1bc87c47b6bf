#include "plumbline/cli/shared/output_path.h"

#include <filesystem>

#include "plumbline/base/error.h"

namespace plumbline {

void require_no_input(const std::string& output, const std::vector<std::string>& inputs, const std::string& option) {
  if (output.empty()) return;
  for (const std::string& input : inputs) {
    std::error_code error;  // what is not there yet is no input
    if (!std::filesystem::equivalent(output, input, error) || error) continue;
    throw ConfigError("config.output_is_input", "the output would overwrite an input: " + input, option,
                      "give another name");
  }
}

}  // namespace plumbline
