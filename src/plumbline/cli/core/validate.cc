/// plumbline validate PROBLEMS. Exit code 1 with one line on stdout for each thing that does not hold.
#include <fmt/format.h>

#include <cstdio>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/progress.h"
#include "plumbline/cli/core/grade_arguments.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/code_verifier.h"

namespace plumbline {
namespace {

/// One solution that the problem file itself vouches for.
struct Check {
  const Problem* problem;
  int64_t wrong_index;  ///< of known_wrong; -1 for the reference
};

std::string in_fence(const std::string& code) {
  std::string ticks = "```";
  while (code.find(ticks) != std::string::npos) ticks += '`';
  return ticks + "python\n" + code + "\n" + ticks + "\n";
}

std::vector<GradeRequest> requests_for(const std::vector<Problem>& problems, std::vector<Check>& checks) {
  std::vector<GradeRequest> requests;
  const auto add = [&](const Problem& problem, const std::string& code, int64_t wrong_index) {
    checks.push_back({&problem, wrong_index});
    requests.push_back({&problem, wrong_index + 1, in_fence(code)});
  };
  for (const Problem& problem : problems) {
    if (problem.task != "code") continue;
    add(problem, problem.reference, -1);
    for (size_t i = 0; i < problem.known_wrong.size(); ++i)
      add(problem, problem.known_wrong[i], static_cast<int64_t>(i));
  }
  return requests;
}

/// Empty when the verdict is as it must be.
std::string complaint(const Check& check, const Verdict& verdict) {
  const std::string id = to_string(check.problem->id);
  if (check.wrong_index < 0) {
    if (check.problem->reference.empty()) return id + ": there is no reference solution";
    if (verdict.passed()) return "";
    return fmt::format("{}: the reference does not pass: {} ({}/{} tests) {}", id, to_string(verdict.outcome),
                       verdict.tests_passed, verdict.tests_total, verdict.detail);
  }
  if (verdict.is_infra()) return fmt::format("{}: known-wrong solution {} could not be graded", id, check.wrong_index);
  return verdict.passed() ? fmt::format("{}: known-wrong solution {} passes", id, check.wrong_index) : "";
}

}  // namespace

int validate_main(const std::vector<std::string>& words) {
  std::string path;
  GradeArguments grade;
  Arguments arguments("validate", "every reference must pass, every known-wrong solution must fail");
  arguments.positional("PROBLEMS", &path, "problems as JSON lines");
  grade.add_to(arguments);
  if (!arguments.parse(words)) return 0;
  grade.validate();

  std::vector<Problem> problems = read_problems(path);
  for (Problem& problem : problems) problem.hint.reset();  // only the trusted grade is asked for
  std::vector<Check> checks;
  const std::vector<GradeRequest> requests = requests_for(problems, checks);
  if (requests.empty())
    throw DataError("data.empty_file", "there is no code problem", path, "validate checks task = code");
  CodeVerifier verifier(grade.options, grade.exact_level());
  std::vector<Verdict> verdicts;
  {
    Progress progress("validating", static_cast<int64_t>(requests.size()), "solutions");
    verdicts = verifier.grade(requests, [&](size_t, const Verdict&) { progress.advance(); });
  }
  if (interrupt_requested()) throw Interrupted("validation was stopped; nothing is to be saved");
  int64_t num_wrong = 0;
  for (size_t i = 0; i < checks.size(); ++i) {
    const std::string text = complaint(checks[i], verdicts[i]);
    if (text.empty()) continue;
    ++num_wrong;
    std::printf("%s\n", escape_control(text).c_str());
  }
  std::printf("%zu solutions checked, %lld not as they should be\n", checks.size(), static_cast<long long>(num_wrong));
  return static_cast<int>(num_wrong > 0 ? ExitCode::kGateFailed : ExitCode::kOk);
}

}  // namespace plumbline
