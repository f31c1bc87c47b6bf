/// A judge or an arm at 0 where another, on the same items, is not.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/stats/interval.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastItems = 20;
constexpr double kPlenty = 0.1;  ///< the other side's rate, at the lower end of its interval

bool is_same_items(const JudgeCounts& a, const JudgeCounts& b) {
  if (!a.items_hash.empty() && !b.items_hash.empty()) return a.items_hash == b.items_hash;
  return a.num_items == b.num_items;
}

void check_judges(const JudgeCounts& zero, const JudgeCounts& other, FindingSink& out) {
  const bool same_judge = zero.judge == other.judge;
  if (&zero == &other || (!same_judge && zero.arm != other.arm) || !is_same_items(zero, other)) return;
  const int64_t judged = other.supported + other.not_supported;
  if (judged < kLeastItems || wilson_interval(other.supported, judged).low < kPlenty) return;
  out.add(zero.where, {{"judge", zero.judge},
                       {"arm", zero.arm},
                       {"supported", zero.supported},
                       {"items", zero.num_items},
                       {"replies_that_are_no_verdict", zero.unparsable},
                       {"other_judge", other.judge},
                       {"other_arm", other.arm},
                       {"other_supported", other.supported},
                       {"other_items", other.num_items}});
}

void check_arms(const Comparison& comparison, const Arm& zero, const Arm& other, const char* name, FindingSink& out) {
  const auto zero_rate = pass_rate(zero), other_rate = pass_rate(other);
  const int64_t n = num_items(zero), other_n = num_items(other);
  if (zero_rate != 0.0 || !other_rate || n < kLeastItems || other_n < kLeastItems || verifier_engaged(zero)) return;
  const auto passes = static_cast<int64_t>(*other_rate * static_cast<double>(other_n) + 0.5);
  if (passes < 0 || passes > other_n || wilson_interval(passes, other_n).low < kPlenty) return;
  out.add(comparison.where(), {{"arm_at_zero", std::string(name)}, {"items", n}, {"other_pass_rate", *other_rate}},
          Severity::kWarning);
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const JudgeCounts& zero : evidence.judges) {
    if (zero.supported > 0 || zero.num_items < kLeastItems) continue;
    for (const JudgeCounts& other : evidence.judges) check_judges(zero, other, out);
  }
  for (const Comparison& comparison : evidence.comparisons) {
    check_arms(comparison, *comparison.base, *comparison.candidate, "base", out);
    check_arms(comparison, *comparison.candidate, *comparison.base, "candidate", out);
  }
}

}  // namespace

const FindingKind kOneArmZero = {"one_arm_zero",
                                 Severity::kError,
                                 "One side is at exactly 0 and the other is far from it on the same items. Judges and "
                                 "models rarely differ that cleanly; an outage, a parser or a template usually does.",
                                 "Read a few raw replies or completions of the side that is at 0.",
                                 {"judge_disagreement"},
                                 check};

}  // namespace plumbline::doctor
