#include "plumbline/verify/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "plumbline/base/json.h"
#include "plumbline/record/problem_reader.h"

namespace plumbline {
namespace {

constexpr double kLeastSuggested_s = 1;
constexpr int64_t kLoadedRun = 1;  // the second: one run shows what load does; more would only cost the machine

/// Keeps every core busy for as long as it lives.
class BusyCores {
 public:
  explicit BusyCores(bool busy) {
    const unsigned count = busy ? std::max(1u, std::thread::hardware_concurrency()) : 0;
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!stopping_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;
  ~BusyCores() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

std::string in_fence(const std::string& code) {
  std::string ticks = "```";
  while (code.find(ticks) != std::string::npos) ticks += '`';
  return ticks + "python\n" + code + "\n" + ticks + "\n";
}

/// What all runs of one reference showed.
struct ReferenceRuns {
  int64_t passed = 0, failed = 0, ungraded = 0;
  std::string failure;
  double slowest_ms = 0;

  void add(const Verdict& verdict) {
    if (verdict.is_infra()) {
      ++ungraded;
    } else if (verdict.passed()) {
      ++passed;
      slowest_ms = std::max(slowest_ms, verdict.cpu_ms);
    } else {
      ++failed;
      failure = fmt::format("{} ({}/{} tests) {}", to_string(verdict.outcome), verdict.tests_passed,
                            verdict.tests_total, verdict.detail);
    }
  }
};

class Validation {
 public:
  Validation(const std::vector<Problem>& problems, const GradeOptions& grade, std::optional<IsolationLevel> level,
             const ValidationOptions& options, const std::function<void()>& on_solution)
      : grade_(grade), level_(level), options_(options), on_solution_(on_solution) {
    for (const Problem& problem : problems) {
      if (problem.task == "code" || problem.task == "invention") problems_.push_back(&problem);
    }
    runs_.resize(problems_.size());
    reports_.resize(problems_.size());
    for (size_t i = 0; i < problems_.size(); ++i) reports_[i].id = to_string(problems_[i]->id);
  }

  std::vector<RowReport> run() {
    for (int64_t run = 0; run < options_.runs; ++run) {
      const BusyCores busy(options_.load && run == kLoadedRun);
      CodeVerifier verifier(grade_, level_, static_cast<uint32_t>(run));
      grade_references(verifier);
      if (run == 0) grade_known_wrong(verifier);
    }
    for (size_t i = 0; i < problems_.size(); ++i) conclude(i);
    return std::move(reports_);
  }

 private:
  std::vector<Verdict> grade(CodeVerifier& verifier, const std::vector<GradeRequest>& requests) {
    return verifier.grade(requests, [this](size_t, const Verdict&) { on_solution_(); });
  }

  void grade_references(CodeVerifier& verifier) {
    std::vector<GradeRequest> requests;
    std::vector<size_t> rows;
    for (size_t i = 0; i < problems_.size(); ++i) {
      if (problems_[i]->reference.empty()) continue;
      rows.push_back(i);
      requests.push_back({problems_[i], 0, in_fence(problems_[i]->reference)});
    }
    const auto verdicts = grade(verifier, requests);
    for (size_t i = 0; i < rows.size(); ++i) {
      runs_[rows[i]].add(verdicts[i]);
      reports_[rows[i]].method = verdicts[i].method;
    }
  }

  void grade_known_wrong(CodeVerifier& verifier) {
    std::vector<GradeRequest> requests;
    std::vector<std::pair<size_t, size_t>> rows;
    for (size_t i = 0; i < problems_.size(); ++i) {
      for (size_t k = 0; k < problems_[i]->known_wrong.size(); ++k) {
        rows.emplace_back(i, k);
        requests.push_back({problems_[i], static_cast<int64_t>(k) + 1, in_fence(problems_[i]->known_wrong[k])});
      }
    }
    const auto verdicts = grade(verifier, requests);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto [row, index] = rows[i];
      if (verdicts[i].is_infra())
        add(row, "ungraded", fmt::format("known-wrong solution {} could not be graded", index));
      if (verdicts[i].passed()) add(row, "known_wrong_passes", fmt::format("known-wrong solution {} passes", index));
    }
  }

  void add(size_t row, const std::string& kind, const std::string& detail) {
    reports_[row].problems.push_back({kind, detail});
  }

  void conclude(size_t row) {
    const Problem& problem = *problems_[row];
    const ReferenceRuns& runs = runs_[row];
    RowReport& report = reports_[row];
    report.code_reason = problem.code_reason;
    if (problem.reference.empty()) return add(row, "reference_missing", "there is no reference solution");
    if (runs.ungraded > 0) add(row, "ungraded", "the reference could not be graded");
    if (runs.failed > 0 && runs.passed > 0) {
      add(row, "flaky",
          fmt::format("the reference passes {} of {} runs: {}", runs.passed, runs.passed + runs.failed, runs.failure));
    } else if (runs.failed > 0) {
      add(row, "reference_fails", "the reference does not pass: " + runs.failure);
    }
    if (runs.passed == 0) return;
    const double slowest_s = runs.slowest_ms / 1e3, limit_s = problem.cpu_s.value_or(grade_.cpu_s);
    report.cpu_ms = runs.slowest_ms;
    report.suggested_cpu_s = std::max(kLeastSuggested_s, std::ceil(options_.time_factor * slowest_s));
    if (slowest_s * options_.least_headroom > limit_s) {
      add(row, "near_time_limit",
          fmt::format("the reference takes {:.2f} of {:.2f} CPU seconds; {:.0f} would leave room", slowest_s, limit_s,
                      report.suggested_cpu_s));
    }
  }

  const GradeOptions& grade_;
  const std::optional<IsolationLevel> level_;
  const ValidationOptions& options_;
  const std::function<void()>& on_solution_;
  std::vector<const Problem*> problems_;
  std::vector<ReferenceRuns> runs_;
  std::vector<RowReport> reports_;
};

}  // namespace

std::vector<RowReport> validate_problems(const std::vector<Problem>& problems, const GradeOptions& grade,
                                         std::optional<IsolationLevel> level, const ValidationOptions& options,
                                         const std::function<void()>& on_solution) {
  return Validation(problems, grade, level, options, on_solution).run();
}

std::string to_json_line(const RowReport& report) {
  Json reasons = Json::array();
  for (const RowProblem& problem : report.problems)
    reasons.push_back({{"kind", problem.kind}, {"detail", problem.detail}});
  Json row = {{"id", report.id}, {"usable", report.problems.empty()}, {"reasons", reasons}};
  if (!report.method.empty()) row["method"] = report.method;
  if (!report.code_reason.empty()) row["code_reason"] = report.code_reason;
  if (report.suggested_cpu_s > 0) row["cpu_ms"] = report.cpu_ms, row["suggested_cpu_s"] = report.suggested_cpu_s;
  return to_json_line(row);
}

}  // namespace plumbline
