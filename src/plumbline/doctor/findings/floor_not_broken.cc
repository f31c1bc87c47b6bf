/// Both arms at 0 while the verifier engaged: a measured floor.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const Comparison& comparison : evidence.comparisons) {
    const auto base = pass_rate(*comparison.base), candidate = pass_rate(*comparison.candidate);
    if (base != 0.0 || candidate != 0.0) continue;
    if (!verifier_engaged(*comparison.base) && !verifier_engaged(*comparison.candidate)) continue;
    Facts facts = {{"items", num_items(*comparison.candidate)}};
    if (const auto vsc = mean_vsc(*comparison.base)) facts.emplace_back("base_vsc", *vsc);
    if (const auto vsc = mean_vsc(*comparison.candidate)) facts.emplace_back("candidate_vsc", *vsc);
    const int64_t ran =
        count_failures(*comparison.base).failures_ran + count_failures(*comparison.candidate).failures_ran;
    if (ran > 0) facts.emplace_back("answers_that_ran_and_were_wrong", ran);
    out.add(comparison.where(), std::move(facts));
  }
}

}  // namespace

const FindingKind kFloorNotBroken = {
    "floor_not_broken",
    Severity::kInfo,
    "No item passed in either arm, and the verifier did read and check what was written: a genuine floor, not a broken "
    "measurement.",
    "Nothing is wrong here. Take easier items, or a stronger model, to see a difference.",
    {},
    check};

}  // namespace plumbline::doctor
