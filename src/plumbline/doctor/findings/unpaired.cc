/// Two arms without rows that can be laid side by side.
#include <algorithm>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

/// Rows on both sides, as many, and without ids.
bool same_order(const Comparison& comparison) {
  const auto has_no_id = [](const ItemRow& row) { return row.item == 0; };
  const auto& base = comparison.base->rows;
  const auto& candidate = comparison.candidate->rows;
  return !base.empty() && base.size() == candidate.size() && std::all_of(base.begin(), base.end(), has_no_id);
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Comparison& comparison : evidence.comparisons) {
    const auto base_rows = static_cast<int64_t>(comparison.base->rows.size());
    const auto candidate_rows = static_cast<int64_t>(comparison.candidate->rows.size());
    if (base_rows == 0 && candidate_rows == 0 && !pass_rate(*comparison.base) && !mean_reward(*comparison.base) &&
        comparison.base->means.empty())
      continue;
    const auto pairs = static_cast<int64_t>(paired_rows(comparison).size());
    if (10 * pairs >= 9 * std::max(base_rows, candidate_rows) && pairs > 0) continue;
    if (pairs == 0 && same_order(comparison)) {
      out.not_checked(comparison.where(), "rows have no ids; they could only be paired by their order");
      continue;
    }
    out.add(comparison.where(), {{"base_items", num_items(*comparison.base)},
                                 {"candidate_items", num_items(*comparison.candidate)},
                                 {"base_rows", base_rows},
                                 {"candidate_rows", candidate_rows},
                                 {"pairs", pairs}});
  }
}

}  // namespace

const FindingKind kUnpaired = {
    "unpaired",
    Severity::kWarning,
    "Two arms are compared by their means alone. Without item-level rows nobody can tell how many items changed, and "
    "the interval of the difference is unknown.",
    "Keep the rows of both arms, with the same ids (lm-evaluation-harness: --log_samples), and compare item by item.",
    {},
    check};

}  // namespace plumbline::doctor
