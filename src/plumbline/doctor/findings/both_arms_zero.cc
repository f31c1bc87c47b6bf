/// Both arms at 0 passes and nothing that shows a verifier at work: the harness is suspect before the model is.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const Comparison& comparison : evidence.comparisons) {
    const auto base = pass_rate(*comparison.base), candidate = pass_rate(*comparison.candidate);
    if (base != 0.0 || candidate != 0.0) continue;
    if (verifier_engaged(*comparison.base) || verifier_engaged(*comparison.candidate)) continue;
    const FailureCounts counts = count_failures(*comparison.candidate);
    Facts facts = {{"base_pass_rate", 0.0},
                   {"candidate_pass_rate", 0.0},
                   {"base_items", num_items(*comparison.base)},
                   {"candidate_items", num_items(*comparison.candidate)}};
    if (counts.with_text > 0) facts.emplace_back("candidate_rows_without_code_fence", counts.prose);
    out.add(comparison.where(), std::move(facts));
  }
}

}  // namespace

const FindingKind kBothArmsZero = {"both_arms_zero",
                                   Severity::kError,
                                   "Neither arm passed a single item, and nothing in the rows shows that answers were "
                                   "read and judged. A measurement that can only say 0 says nothing about the model.",
                                   "Read five completions. If they are prose, render the prompts with the model's chat "
                                   "template; if they hold answers, run the verifier on one known-good answer.",
                                   {"underpowered"},
                                   check};

}  // namespace plumbline::doctor
