#include "plumbline/verify/make_verifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/base/error.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/code_verifier.h"
#include "plumbline/verify/custom/custom_verifier.h"
#include "plumbline/verify/tasks/task_verifier.h"

namespace plumbline {

std::unique_ptr<Verifier> make_verifier(const GradeOptions& options, std::span<const Problem> problems,
                                        std::optional<IsolationLevel> exact) {
  const auto is_code = [](const Problem& problem) { return problem.task == "code"; };
  const auto runs_code = [](const Problem& problem) { return problem.task == "code" || problem.task == "invention"; };
  if (options.reward != "custom") {
    const auto other = std::find_if(problems.begin(), problems.end(), [&](const Problem& problem) {
      return !runs_code(problem) && !is_graded_as_text(problem.task);
    });
    if (other != problems.end()) {
      throw ConfigError("config.no_grader",
                        fmt::format("problem {} has the task '{}', which grade.reward = {} does not grade",
                                    to_string(other->id), other->task, options.reward),
                        "grade.reward", "set grade.reward = custom and name grade.rewards");
    }
    std::unique_ptr<Verifier> code;
    if (problems.empty() || std::any_of(problems.begin(), problems.end(), runs_code)) {
      code = std::make_unique<CodeVerifier>(options, exact);
    }
    if (std::all_of(problems.begin(), problems.end(), is_code)) return code;
    return std::make_unique<TaskVerifier>(std::move(code));
  }
  std::unique_ptr<Verifier> code;
  if (std::any_of(problems.begin(), problems.end(), is_code)) {
    GradeOptions trusted = options;
    trusted.reward = "signed";
    code = std::make_unique<CodeVerifier>(trusted, exact);
  }
  return std::make_unique<CustomVerifier>(options, std::move(code));
}

std::string grader_name(const std::string& task, const GradeOptions& options) {
  if (options.reward == "custom") return fmt::format("custom: {}", fmt::join(options.rewards, ", "));
  return is_graded_as_text(task) ? text_grader_name(task) : fmt::format("{} {}", task, kGraderVersion);
}

}  // namespace plumbline
