/// plumbline grade PROBLEMS COMPLETIONS. Verdicts go to stdout, row by row; counts and progress to stderr.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <map>
#include <optional>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/base/progress.h"
#include "plumbline/cli/core/grade_arguments.h"
#include "plumbline/cli/core/grade_output.h"
#include "plumbline/cli/core/verdict_file.h"
#include "plumbline/record/completion_reader.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/make_verifier.h"

namespace plumbline {
namespace {

constexpr int64_t kRewardBatch = 64;  // grade.reward_batch = 0
constexpr int kLongestWait_ms = 500;

using ProblemsById = std::map<ProblemId, const Problem*>;

/// Lines of a file, for the time left; 0 for a stream.
int64_t count_lines(const std::string& path) {
  if (path == "-") return 0;
  int64_t count = 0;
  for (JsonlReader lines(path); lines.next();) ++count;
  return count;
}

/// Until standard input has something, or ended. False when nobody will read the answers, or after Ctrl-C: the asker
/// may keep its end open for as long as it likes.
bool wait_for_input(GradeOutput& output) {
  while (!interrupt_requested() && !output.has_failed()) {
    pollfd files[2] = {{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    ::poll(files, 2, kLongestWait_ms);
    if (files[1].revents & POLLERR) return false;
    if (files[0].revents) return true;
  }
  return false;
}

/// Returns the number of rows that were there already.
int64_t grade_all(CompletionReader& completions, bool is_stream, const ProblemsById& problems, const VerdictFile* file,
                  Verifier& verifier, GradeOutput& output) {
  int64_t num_skipped = 0;
  while (!interrupt_requested()) {
    if (is_stream && !completions.has_line()) {
      verifier.flush();  // the asker may be waiting for these answers before it goes on
      if (!wait_for_input(output)) break;
    }
    Completion completion;
    if (!completions.next(completion)) break;
    if (file && file->rows().contains({completion.problem_id, completion.sample})) {
      ++num_skipped;
      continue;
    }
    const auto problem = problems.find(completion.problem_id);
    if (problem == problems.end()) {
      throw DataError("data.unknown_problem", "no problem has the id " + to_string(completion.problem_id),
                      completions.where(), "give the problem file that the completions were made for");
    }
    if (!output.grade(*problem->second, std::move(completion))) break;
  }
  return num_skipped;
}

/// Ctrl-C while isolation is probed is no lack of isolation.
std::unique_ptr<Verifier> start_verifier(const GradeArguments& grade, const std::vector<Problem>& problems) {
  try {
    return make_verifier(grade.options, problems, grade.exact_level());
  } catch (const SandboxError&) {
    if (interrupt_requested()) throw Interrupted("grading was stopped before it began");
    throw;
  }
}

}  // namespace

int grade_main(const std::vector<std::string>& words) {
  std::string problems_path, completions_path, out;
  GradeArguments grade;
  Arguments arguments("grade", "grades completions; no model needed");
  arguments.positional("PROBLEMS", &problems_path, "problems as JSON lines")
      .positional("COMPLETIONS", &completions_path,
                  "completions as JSON lines, answered in their order; or - for stdin, each answered as it is done")
      .option("--out", &out, "append verdicts to this file and skip those already there (default: stdout)");
  grade.add_to(arguments);
  if (!arguments.parse(words)) return 0;
  grade.validate();
  if (grade.options.reward_batch == 0) grade.options.reward_batch = kRewardBatch;

  const bool is_custom = grade.options.reward == "custom";
  const std::vector<Problem> problems = read_problems(problems_path, {.split = "", .keep_rows = is_custom});
  ProblemsById by_id;
  for (const Problem& problem : problems) by_id[problem.id] = &problem;
  CompletionReader completions(completions_path);
  std::optional<VerdictFile> file;
  if (!out.empty()) file.emplace(out, grade_settings(grade.options, problems, grade.level));
  const std::unique_ptr<Verifier> verifier = start_verifier(grade, problems);
  JsonlWriter rows(out.empty() ? "-" : out);
  const bool is_stream = completions_path == "-";
  const int64_t num_done = file ? static_cast<int64_t>(file->rows().size()) : 0;
  GradeSummary summary;
  {
    Progress progress("grading", std::max<int64_t>(count_lines(completions_path) - num_done, 0), "completions");
    GradeOutput output(rows, progress, *verifier, is_stream ? AnswerOrder::kAsTheyCome : AnswerOrder::kInput,
                       !out.empty());
    const int64_t num_skipped = grade_all(completions, is_stream, by_id, file ? &*file : nullptr, *verifier, output);
    summary = output.finish();
    summary.num_skipped = num_skipped;
  }
  for (const std::string& line : summary.lines()) log_info(line);
  if (interrupt_requested()) throw Interrupted("grading was stopped; verdicts so far are written");
  if (summary.num_infra > 0) {
    throw SandboxError("sandbox.infra", fmt::format("{} completions could not be graded", summary.num_infra), "",
                       "they have no reward; run again with --out to grade them");
  }
  return 0;
}

}  // namespace plumbline
