/// Far fewer distinct prompts than rows.
#include <set>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastRows = 10;

void check(const Evidence& evidence, FindingSink& out) {
  std::set<const Arm*> seen;
  const auto check_arm = [&](const std::string& where, const Arm& arm, const Arm* other) {
    if (!seen.insert(&arm).second) return;
    const EffectiveN n = effective_n(arm, other);
    if (n.num_rows > 0 && n.by.empty()) out.not_checked(where, "rows have neither prompts, hashes nor ids");
    if (n.num_rows < kLeastRows || n.by.empty() || 2 * n.num_distinct > n.num_rows) return;
    out.add(where, {{"arm", arm.name}, {"rows", n.num_rows}, {"distinct", n.num_distinct}, {"told_by", n.by}});
  };
  for (const Comparison& comparison : evidence.comparisons) {
    check_arm(comparison.candidate_file->where, *comparison.candidate, comparison.base);
    check_arm(comparison.base_file->where, *comparison.base, comparison.candidate);
  }
  for (const Evaluation& report : evidence.evaluations) {
    if (!report.candidate.rows.empty() && !report.candidate.rows_are_foreign_verdicts)
      check_arm(report.where, report.candidate, nullptr);
  }
}

}  // namespace

const FindingKind kDuplicatePrompts = {"duplicate_prompts",
                                       Severity::kWarning,
                                       "Many rows are the same prompt again. Intervals and tests that count rows are "
                                       "far too narrow: only distinct prompts are independent.",
                                       "Remove the copies, or quote n as the number of distinct prompts.",
                                       {"underpowered", "stale_copy"},
                                       check};

}  // namespace plumbline::doctor
