/// Mean pairwise kappa below .40.
#include <algorithm>
#include <map>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr double kLeastKappa = 0.40;

void check(const Evidence& evidence, FindingSink& out) {
  std::map<std::string, std::vector<const Agreement*>> files;
  for (const Agreement& agreement : evidence.agreements) files[agreement.where].push_back(&agreement);
  for (const auto& [where, pairs] : files) {
    double sum = 0;
    for (const Agreement* pair : pairs) sum += pair->kappa;
    const double mean = sum / static_cast<double>(pairs.size());
    if (mean >= kLeastKappa) continue;
    Facts facts = {{"mean_kappa", mean}, {"least", kLeastKappa}};
    for (size_t i = 0; i < std::min<size_t>(pairs.size(), 6); ++i) {
      facts.emplace_back(pairs[i]->pair, pairs[i]->kappa);
      if (pairs[i]->num_items > 0) facts.emplace_back("verdicts on the same items", pairs[i]->num_items);
    }
    out.add(where, std::move(facts));
  }
}

}  // namespace

const FindingKind kJudgeDisagreement = {"judge_disagreement",
                                        Severity::kWarning,
                                        "The judges agree little more than chance would make them (Cohen's kappa below "
                                        ".40). An average of their verdicts is no measurement of the answers.",
                                        "Read items on which they differ, sharpen the question, and make no claim "
                                        "until two judge families reach kappa .40.",
                                        {},
                                        check};

}  // namespace plumbline::doctor
