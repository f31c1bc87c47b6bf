/// Rows without the text that was graded.
#include <algorithm>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
      if (!arm || arm->rows.empty()) continue;
      if (arm->rows_are_foreign_verdicts) {
        out.not_checked(report.where, "verdict rows: the completions stand in the file that was graded");
        continue;
      }
      const auto missing =
          std::count_if(arm->rows.begin(), arm->rows.end(), [](const ItemRow& row) { return !row.has_text; });
      if (20 * missing < static_cast<int64_t>(arm->rows.size()) || missing == 0) continue;
      out.add(report.where, {{"arm", arm->name},
                             {"rows", static_cast<int64_t>(arm->rows.size())},
                             {"rows_without_completion", static_cast<int64_t>(missing)}});
    }
  }
}

}  // namespace

const FindingKind kMissingCompletions = {"missing_completions",
                                         Severity::kWarning,
                                         "The rows hold verdicts but not the completions. Nobody can check what was "
                                         "graded, and none of the findings about texts could be looked for.",
                                         "Write the completion into every row (here they always are; "
                                         "lm-evaluation-harness: --log_samples) and evaluate again.",
                                         {},
                                         check};

}  // namespace plumbline::doctor
