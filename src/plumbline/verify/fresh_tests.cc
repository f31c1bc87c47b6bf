#include "plumbline/verify/fresh_tests.h"

#include <algorithm>

#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/fresh_inputs.h"
#include "plumbline/verify/trusted_run.h"
#include "plumbline/verify/value_comparison.h"

namespace plumbline {
namespace {

constexpr int kReferenceRuns = 3;
constexpr size_t kLeastQuoted = 3;

void loosen(Problem& problem) {
  if (problem.compare != CompareRule::kExact && problem.compare != CompareRule::kPython) return;
  problem.compare = CompareRule::kApprox;
  problem.rel_tol = 1e-6;
  problem.abs_tol = 1e-9;
}

}  // namespace

std::shared_ptr<const Problem> FreshTests::of(PythonServer& server, const Problem& problem,
                                              const SandboxLimits& limits) {
  const std::string key = grading_hash(problem);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
  }
  // Two workers may make them at the same time: they make the same.
  auto fresh = make(server, problem, limits);
  const std::lock_guard lock(mutex_);
  return made_.emplace(key, std::move(fresh)).first->second;
}

std::shared_ptr<const Problem> FreshTests::make(PythonServer& server, const Problem& problem,
                                                const SandboxLimits& limits) const {
  if (problem.reference.empty() || problem.entry_point.empty() || !problem.code_tests.empty()) return nullptr;
  const std::vector<PythonCall> inputs = make_fresh_inputs(problem, count_);
  if (inputs.size() < static_cast<size_t>(kLeastFreshTests)) return nullptr;
  auto fresh = std::make_shared<Problem>(problem);
  fresh->tests.clear();
  fresh->holdout_tests.clear();
  fresh->hint.reset();
  loosen(*fresh);
  const ComparisonRule comparison{fresh->compare, fresh->rel_tol, fresh->abs_tol};
  std::vector<std::optional<PythonValue>> answers;
  for (int run = 0; run < kReferenceRuns; ++run) {
    auto again = call_all(server, problem, problem.reference, inputs, limits);
    if (again.size() != inputs.size()) return nullptr;  // a limit, or a failure of ours
    if (run == 0) answers = again;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (answers[i] && !(again[i] && values_match(*again[i], *answers[i], comparison))) answers[i].reset();
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (answers[i])
      fresh->tests.push_back({inputs[i].args, inputs[i].kwargs, std::move(*answers[i]), inputs[i].as_list});
  }
  if (fresh->tests.size() < static_cast<size_t>(kLeastFreshTests)) return nullptr;
  return fresh;
}

std::optional<FreshReport> run_fresh(PythonServer& server, const Problem& fresh, const std::string& code,
                                     const SandboxLimits& limits) {
  const TrustedRun run = run_trusted(server, fresh, code, limits);
  const bool judged = run.outcome == Outcome::kPass || run.outcome == Outcome::kWrong || run.outcome == Outcome::kError;
  return judged ? std::optional(FreshReport{run.passed, run.total}) : std::nullopt;
}

bool is_special_cased(const Problem& problem, const std::string& code, const FreshReport& report) {
  const int64_t failed = report.total - report.passed;
  if (failed == 0 || report.total < kLeastFreshTests) return false;
  if (failed * 2 >= report.total) return true;
  const QuotedTests quoted = quoted_tests(problem, code);
  return quoted.quoted >= kLeastQuoted && quoted.quoted * 2 >= quoted.total;
}

}  // namespace plumbline
