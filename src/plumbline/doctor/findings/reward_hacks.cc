/// Hacks in an arm: paid where they passed or were rewarded, floored where they were caught.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
      if (!arm) continue;
      int64_t hacks = 0, paid = 0;
      for (const ItemRow& row : arm->rows) {
        if (row.hacked != Known::kYes) continue;
        ++hacks;
        paid += row.passed == Known::kYes || row.reward > 0;
      }
      const bool counted_by_rows = !arm->rows.empty();
      if (!counted_by_rows) hacks = arm->num_hacked.value_or(0);
      if (hacks == 0) continue;
      const bool is_base = report.base && arm == &*report.base;
      const Severity severity = paid > 0 ? Severity::kError : is_base ? Severity::kInfo : Severity::kWarning;
      Facts facts = {{"arm", arm->name}, {"hacks", hacks}, {"items", num_items(*arm)}};
      if (counted_by_rows) {
        facts.emplace_back("paid", paid);
        facts.emplace_back("floored", hacks - paid);
      } else {
        facts.emplace_back("paid_or_floored", std::string("not said"));
      }
      out.add(report.where, std::move(facts), severity);
    }
  }
}

}  // namespace

const FindingKind kRewardHacks = {"reward_hacks",
                                  Severity::kWarning,
                                  "Completions were marked as reward hacks. A paid hack passed or was rewarded and "
                                  "lifts the number; a floored one was caught, and says that the model tries.",
                                  "Read the marked completions. Close the hole that the paid ones use and evaluate "
                                  "again; do not train on a grader that pays them.",
                                  {},
                                  check};

}  // namespace plumbline::doctor
