#include "plumbline/verify/make_verifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/base/error.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/code_verifier.h"
#include "plumbline/verify/custom/custom_verifier.h"

namespace plumbline {

std::unique_ptr<Verifier> make_verifier(const GradeOptions& options, std::span<const Problem> problems,
                                        std::optional<IsolationLevel> exact) {
  const auto is_code = [](const Problem& problem) { return problem.task == "code"; };
  if (options.reward != "custom") {
    const auto other = std::find_if_not(problems.begin(), problems.end(), is_code);
    if (other != problems.end()) {
      throw ConfigError("config.no_grader",
                        fmt::format("problem {} has the task '{}', which grade.reward = {} does not grade",
                                    to_string(other->id), other->task, options.reward),
                        "grade.reward", "set grade.reward = custom and name grade.rewards");
    }
    return std::make_unique<CodeVerifier>(options, exact);
  }
  std::unique_ptr<Verifier> code;
  if (std::any_of(problems.begin(), problems.end(), is_code)) {
    GradeOptions trusted = options;
    trusted.reward = "signed";
    code = std::make_unique<CodeVerifier>(trusted, exact);
  }
  return std::make_unique<CustomVerifier>(options, std::move(code));
}

}  // namespace plumbline
