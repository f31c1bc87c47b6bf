/// plumbline validate PROBLEMS. Exit code 1 with one line on stdout for each thing that does not hold.
#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/progress.h"
#include "plumbline/cli/core/grade_arguments.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/validation.h"

namespace plumbline {
namespace {

int64_t count_solutions(const std::vector<Problem>& problems, int64_t runs) {
  int64_t count = 0;
  for (const Problem& problem : problems) {
    if (problem.task != "code" && problem.task != "invention") continue;
    count += (problem.reference.empty() ? 0 : runs) + static_cast<int64_t>(problem.known_wrong.size());
  }
  return count;
}

/// The lines of rows that are not usable, then counts by kind and by method.
bool print_reports(const std::vector<RowReport>& reports) {
  std::map<std::string, int64_t> kinds;
  int64_t num_usable = 0, num_code = 0;
  for (const RowReport& report : reports) {
    num_usable += report.problems.empty();
    num_code += report.method == "code_tests";
    for (const RowProblem& problem : report.problems) {
      ++kinds[problem.kind];
      std::printf("%s\n", escape_control(fmt::format("{}: {}", report.id, problem.detail)).c_str());
    }
  }
  std::string line = fmt::format("{} problems checked, {} usable", reports.size(), num_usable);
  for (const auto& [kind, count] : kinds) line += fmt::format(", {} {}", count, kind);
  if (num_code > 0) line += fmt::format("; the tests of {} run as code", num_code);
  std::printf("%s\n", line.c_str());
  return num_usable == static_cast<int64_t>(reports.size());
}

}  // namespace

int validate_main(const std::vector<std::string>& words) {
  std::string path, out;
  GradeArguments grade;
  ValidationOptions options;
  bool no_load = false;
  Arguments arguments("validate", "every reference must pass, every known-wrong solution must fail");
  arguments.positional("PROBLEMS", &path, "problems as JSON lines")
      .option("--out", &out, "write one JSON line a problem to this file")
      .option("--runs", &options.runs, "runs of each reference, each with a hash seed of its own (3)")
      .option("--time-factor", &options.time_factor, "suggested time limit over the slowest run (10)")
      .flag("--no-load", &no_load, "do not keep every core busy during the second run");
  grade.add_to(arguments);
  if (!arguments.parse(words)) return 0;
  grade.validate();
  if (options.runs < 1 || options.runs > 100) {
    throw ConfigError("config.out_of_range", "the value is out of range", "--runs", "give 1 to 100");
  }
  if (!(options.time_factor >= 1 && options.time_factor <= 1000)) {
    throw ConfigError("config.out_of_range", "the value is out of range", "--time-factor", "give 1 to 1000");
  }
  options.load = !no_load;

  std::vector<RowReport> reports;
  ProblemReadOptions reading;
  reading.on_bad_row = [&](const DataError& error) {
    reports.push_back({error.where(), {{"malformed", error.id() + ": " + error.message()}}, "", "", 0, 0});
  };
  std::vector<Problem> problems = read_problems(path, reading);
  for (Problem& problem : problems) problem.hint.reset();  // only the trusted grade is asked for
  const int64_t num_solutions = count_solutions(problems, options.runs);
  if (num_solutions == 0 && reports.empty()) {
    throw DataError("data.empty_file", "there is no code problem with a solution", path,
                    "validate checks the tasks code and invention");
  }
  {
    Progress progress("validating", num_solutions, "solutions");
    auto graded = validate_problems(problems, grade.options, grade.exact_level(), options, [&] { progress.advance(); });
    std::move(graded.begin(), graded.end(), std::back_inserter(reports));
  }
  if (interrupt_requested()) throw Interrupted("validation was stopped; nothing is to be saved");
  if (!out.empty()) {
    JsonlWriter rows(out);
    for (const RowReport& report : reports) rows.write(to_json_line(report));
  }
  return static_cast<int>(print_reports(reports) ? ExitCode::kOk : ExitCode::kGateFailed);
}

}  // namespace plumbline
