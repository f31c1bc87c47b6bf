/// A judge without real verdicts.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastCalls = 5;
constexpr double kAllowedShare = 0.02;

void check(const Evidence& evidence, FindingSink& out) {
  for (const JudgeCounts& judge : evidence.judges) {
    const int64_t failed = judge.transport_error + judge.unparsable;
    const int64_t total = judge.num_real() + failed;
    if (total < kLeastCalls || failed == 0) continue;
    const double share = static_cast<double>(failed) / static_cast<double>(total);
    const bool is_dead = judge.supported + judge.not_supported == 0;
    if (!is_dead && share <= kAllowedShare) continue;
    Facts facts = {{"judge", judge.judge}};
    if (!judge.arm.empty()) facts.emplace_back("arm", judge.arm);
    facts.insert(facts.end(), {{"calls", total},
                               {"supported", judge.supported},
                               {"not_supported", judge.not_supported},
                               {"transport_errors", judge.transport_error},
                               {"unparsable", judge.unparsable}});
    if (judge.stated_rate) facts.emplace_back("stated_support_rate", *judge.stated_rate);
    out.add(judge.where, std::move(facts), is_dead || share > 0.5 ? Severity::kError : Severity::kWarning);
  }
}

}  // namespace

const FindingKind kJudgeOutage = {
    "judge_outage",
    Severity::kError,
    "Most of this judge's calls failed or gave nothing that can be read as a verdict, and what is left is no opinion "
    "about the items.",
    "Repair the access (key, model name, limits), check it with one call, and judge the arm again.",
    {"one_arm_zero", "judge_disagreement"},
    check};

}  // namespace plumbline::doctor
