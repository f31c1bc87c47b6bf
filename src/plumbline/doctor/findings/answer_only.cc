/// Step rows that pass without a derivation.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastRows = 3;

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
      if (!arm) continue;
      int64_t accepted = 0, idle = 0, told = 0;
      for (const ItemRow& row : arm->rows) {
        if (row.passed != Known::kYes || row.verdict != StepVerdict::kAccepted || !(row.vsc >= 1)) continue;
        ++accepted;
        told += row.num_distinct >= 0;
        idle += row.num_distinct >= 0 && row.num_distinct <= 1;
      }
      const bool by_file = report.proposer_answers_only && accepted > 0;
      if (!by_file && (idle < kLeastRows || 5 * idle < told)) continue;
      Facts facts = {{"arm", arm->name}, {"accepted_rows_with_vsc_1", accepted}};
      if (told > 0) facts.emplace_back("of_them_without_a_derivation", idle);
      if (by_file) facts.emplace_back("proposer", std::string("answer-only"));
      out.add(report.where, std::move(facts));
    }
  }
}

}  // namespace

const FindingKind kAnswerOnly = {
    "answer_only",
    Severity::kWarning,
    "Rows count as verified derivations although they only state the answer: no step, the same expression again and "
    "again, or a factor of 1 around it. Their coverage of 1 proves nothing.",
    "Ask for at least two distinct steps that begin with the problem (the work requirement), and count the other rows "
    "as no_work.",
    {"overclaim", "mean_reward_headline"},
    check};

}  // namespace plumbline::doctor
