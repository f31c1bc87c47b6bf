/// Most failures hold no closed code fence, while passes do.
#include <algorithm>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastFailures = 8;

bool has_open_fences(const Arm& arm) {
  return std::any_of(arm.rows.begin(), arm.rows.end(), [](const ItemRow& row) { return row.fence == Fence::kOpen; });
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    if (!is_code_task(report)) continue;
    for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
      if (!arm) continue;
      const FailureCounts counts = count_failures(*arm);
      if (counts.failures < kLeastFailures || 2 * counts.failures_unfenced <= counts.failures) continue;
      // Where unfenced code passes too, the grader does not need a fence.
      if (counts.passes_unfenced * 5 > counts.passes) continue;
      if (counts.passes == 0 && counts.prose * 2 < counts.failures_unfenced && !has_open_fences(*arm)) continue;
      out.add(report.where, {{"arm", arm->name},
                             {"failures", counts.failures},
                             {"failures_without_closed_fence", counts.failures_unfenced},
                             {"passes", counts.passes},
                             {"passes_without_closed_fence", counts.passes_unfenced}});
    }
  }
}

}  // namespace

const FindingKind kNoCodeBlock = {
    "no_code_block",
    Severity::kWarning,
    "Most failed completions have no closed code block, so the grader had no code to run. The failures say how answers "
    "were written, or cut, and not whether they were right.",
    "Read some of the failures. Unclosed fences point to the token limit, none at all to the prompt or the template.",
    {"both_arms_zero", "one_arm_zero"},
    check};

}  // namespace plumbline::doctor
