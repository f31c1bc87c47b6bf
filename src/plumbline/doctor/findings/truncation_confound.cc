/// Failures that are cut completions, or an effect that is gone on items that neither arm cut.
#include <cmath>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr double kLeastEffect = 0.03;
constexpr size_t kLeastWhole = 5;
constexpr int64_t kLeastFailures = 8;

/// Most failures are cut and hardly any pass is: set when that holds for an arm.
std::optional<FailureCounts> concentration(const Arm& arm) {
  const FailureCounts counts = count_failures(arm);
  if (counts.failures < kLeastFailures || 2 * counts.failures_cut <= counts.failures) return {};
  // The share of cut rows among passes must be far lower, or length has nothing to do with passing.
  if (counts.passes > 0 && 4 * counts.passes_cut * counts.failures > counts.failures_cut * counts.passes) return {};
  if (counts.passes == 0) return {};
  return counts;
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Comparison& comparison : evidence.comparisons) {
    const RowPairs pairs = paired_rows(comparison);
    RowPairs whole;
    for (const auto& pair : pairs) {
      if (!is_cut(*pair.first) && !is_cut(*pair.second)) whole.push_back(pair);
    }
    const auto delta = paired_delta(pairs);
    const auto whole_delta = paired_delta(whole);
    const auto num_cut = static_cast<int64_t>(pairs.size() - whole.size());
    if (!delta || num_cut * 10 < static_cast<int64_t>(pairs.size())) continue;
    const bool vanishes = std::fabs(*delta) >= kLeastEffect && whole.size() >= kLeastWhole && whole_delta &&
                          std::fabs(*whole_delta) < std::fabs(*delta) / 3;
    const auto base = concentration(*comparison.base), candidate = concentration(*comparison.candidate);
    if (!vanishes && !base && !candidate) continue;
    Facts facts = {{"items", static_cast<int64_t>(pairs.size())}, {"items_cut_in_an_arm", num_cut}, {"delta", *delta}};
    if (whole_delta) facts.emplace_back("delta_on_uncut_items", *whole_delta);
    for (const auto& [name, counts] : {std::pair{"base", base}, {"candidate", candidate}}) {
      if (!counts) continue;
      facts.emplace_back(std::string(name) + "_failures", counts->failures);
      facts.emplace_back(std::string(name) + "_failures_cut", counts->failures_cut);
      facts.emplace_back(std::string(name) + "_passes_cut", counts->passes_cut);
    }
    out.add(comparison.where(), std::move(facts));
  }
}

}  // namespace

const FindingKind kTruncationConfound = {
    "truncation_confound",
    Severity::kWarning,
    "The difference between the arms, or most of the failures, comes from completions that hit the token limit. What "
    "is compared is length, not ability.",
    "Raise the token limit until almost nothing is cut and run both arms again; until then quote the difference on "
    "items that neither arm cut.",
    {"no_code_block", "one_arm_zero"},
    check};

}  // namespace plumbline::doctor
