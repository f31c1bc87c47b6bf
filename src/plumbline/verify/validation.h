/// Checks a data set against itself: what `plumbline validate` finds out about each problem.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"
#include "plumbline/sandbox/isolation.h"
#include "plumbline/verify/code_verifier.h"

namespace plumbline {

/// Why a row is not to be used as it is. Kinds: malformed (the row cannot be read), reference_missing, reference_fails,
/// flaky (the reference passes in some runs and fails in others), known_wrong_passes, near_time_limit, ungraded (a
/// failure of ours).
struct RowProblem {
  std::string kind, detail;
};

struct RowReport {
  std::string id;  ///< as to_string(ProblemId) writes it; the row's place for a malformed row
  std::vector<RowProblem> problems;
  std::string method;       ///< data, code_tests
  std::string code_reason;  ///< why tests run as code
  double cpu_ms = 0;        ///< of the slowest passing run of the reference
  double suggested_cpu_s = 0;
};

struct ValidationOptions {
  int64_t runs = 3;           ///< of each reference, run k in interpreters with hash seed k
  bool load = true;           ///< the second run with every core kept busy beside it
  double time_factor = 10;    ///< suggested limit over the slowest run, at least 1 s
  double least_headroom = 4;  ///< limit over the slowest run below which a reference is near its limit
};

/// One report a code problem, in order. `on_solution` is called after each graded solution. Stops early after Ctrl-C;
/// what was not graded then is `ungraded`. Throws what CodeVerifier throws.
std::vector<RowReport> validate_problems(const std::vector<Problem>& problems, const GradeOptions& grade,
                                         std::optional<IsolationLevel> level, const ValidationOptions& options,
                                         const std::function<void()>& on_solution);

/// One JSON line: {"id", "usable", "reasons": [{"kind", "detail"}], "method", "code_reason", "cpu_ms",
/// "suggested_cpu_s"}.
std::string to_json_line(const RowReport& report);

}  // namespace plumbline
