/// Train and eval overlap.
#include <algorithm>
#include <set>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check_prompts(const TrainingRows& rows, const Evaluation& report, FindingSink& out) {
  if (report.where == rows.where) return;
  std::set<uint64_t> shared, all;
  for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
    if (!arm) continue;
    for (const ItemRow& row : arm->rows) {
      const bool by_text = row.prompt_text && rows.prompt_texts.count(row.prompt_text);
      const bool by_hash = row.prompt_hash && rows.prompt_hashes.count(row.prompt_hash);
      const uint64_t key = row.prompt_text ? row.prompt_text : row.prompt_hash;
      if (key) all.insert(key);
      if (by_text || by_hash) shared.insert(key);
    }
  }
  if (shared.empty()) return;
  out.add(rows.where + " and " + report.where, {{"evaluation_prompts", static_cast<int64_t>(all.size())},
                                                {"also_in_training", static_cast<int64_t>(shared.size())}});
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    if (report.overlap.empty() && report.contamination_free != Known::kNo) continue;
    Facts facts = {{"shared", static_cast<int64_t>(report.overlap.size())}};
    std::string names;
    for (size_t i = 0; i < std::min<size_t>(report.overlap.size(), 5); ++i)
      names += (names.empty() ? "" : ", ") + report.overlap[i];
    if (!names.empty()) facts.emplace_back("such_as", names);
    if (report.contamination_free == Known::kNo) facts.emplace_back("the_file_says_contaminated", std::string("yes"));
    out.add(report.where, std::move(facts));
  }
  for (const Decision& decision : evidence.decisions) {
    if (decision.contaminated) out.add(decision.where, {{"the_file_says_contaminated", std::string("yes")}});
  }
  for (const TrainingRows& rows : evidence.training_rows) {
    for (const Evaluation& report : evidence.evaluations) check_prompts(rows, report, out);
  }
}

}  // namespace

const FindingKind kContamination = {
    "contamination",
    Severity::kError,
    "Some of what is evaluated was trained on. The score mixes recall with ability, and no statistics can take them "
    "apart.",
    "Split by family before training, and evaluate on items that no training prompt holds.",
    {"overclaim"},
    check};

}  // namespace plumbline::doctor
