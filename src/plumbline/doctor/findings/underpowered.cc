/// A claimed effect, or a stated tolerance, below what the items can show.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/stats/power.h"

namespace plumbline::doctor {
namespace {

/// A decision among the inputs names this report as its source and promotes.
bool is_claimed_elsewhere(const Evaluation& report, const Evidence& evidence) {
  const std::string name = std::filesystem::path(report.where).filename().string();
  return std::any_of(evidence.decisions.begin(), evidence.decisions.end(), [&](const Decision& decision) {
    return is_claim(decision.verdict) && std::filesystem::path(decision.source).filename().string() == name;
  });
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Comparison& comparison : evidence.comparisons) {
    const auto base = pass_rate(*comparison.base), candidate = pass_rate(*comparison.candidate);
    if (!base || !candidate || (*base == 0 && *candidate == 0)) continue;
    const EffectiveN distinct = effective_n(*comparison.candidate, comparison.base);
    const int64_t n = distinct.num_distinct > 0 ? distinct.num_distinct : num_items(*comparison.candidate);
    if (n == 0) continue;
    const double mde = minimum_detectable_effect(n);
    const Evaluation& report = comparison.report();
    const double delta = shown_delta(comparison).value_or(*candidate - *base);
    const bool claimed = report.claims_improvement == Known::kYes || is_claimed_elsewhere(report, evidence);
    if (report.tolerance ? mde <= *report.tolerance : !claimed || std::fabs(delta) >= mde) continue;
    const double wanted = report.tolerance ? *report.tolerance : std::max(std::fabs(delta), 0.005);
    Facts facts = {{"distinct_items", n}, {"minimal_detectable_effect", mde}, {"delta", delta}};
    if (report.tolerance) facts.emplace_back("tolerance", *report.tolerance);
    facts.emplace_back("items_needed", required_n(wanted));
    out.add(comparison.where(), std::move(facts));
  }
}

}  // namespace

const FindingKind kUnderpowered = {"underpowered",
                                   Severity::kWarning,
                                   "With this many distinct items an effect of the size that matters here could not be "
                                   "told from chance. A claim of it, or of its absence, is not supported.",
                                   "Evaluate on more distinct items; the evidence says how many the effect needs.",
                                   {"overclaim", "not_replicated"},
                                   check};

}  // namespace plumbline::doctor
