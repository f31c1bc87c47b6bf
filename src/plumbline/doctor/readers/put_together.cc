/// Samples to their results, single arms side by side.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {
namespace {

namespace fs = std::filesystem;

/// samples_<task>.jsonl or samples_<task>_<date>.jsonl; tasks hold underscores too.
bool is_of_task(const LmEvalPart& samples, const std::string& task) {
  return samples.task == task || samples.task.starts_with(task + "_");
}

void link_samples(Collector& collector) {
  for (LmEvalPart& samples : collector.lm_samples) {
    LmEvalPart* home = nullptr;
    for (LmEvalPart& results : collector.lm_results) {
      if (results.folder != samples.folder || results.evaluation.has_rows() || !is_of_task(samples, results.task))
        continue;
      const bool exact = !results.date.empty() && samples.task.ends_with(results.date);
      if (!home || exact || results.task.size() > home->task.size()) home = &results;
      if (exact) break;
    }
    if (!home) {
      collector.not_checked(samples.evaluation.where, "stated figures",
                            "there is no results file of this task beside it");
      collector.evidence.evaluations.push_back(std::move(samples.evaluation));
      continue;
    }
    Arm& arm = home->evaluation.candidate;
    arm.rows = std::move(samples.evaluation.candidate.rows);
    arm.train_marked_prompts = samples.evaluation.candidate.train_marked_prompts;
    for (StatedMean& mean : arm.means) {
      const auto sum = samples.row_sums.find(mean.name);
      if (sum == samples.row_sums.end() || !arm.n || sum->second.second != *arm.n || mean.possible.empty()) continue;
      mean.of_rows = sum->second.first / static_cast<double>(sum->second.second);
    }
  }
  for (LmEvalPart& results : collector.lm_results) {
    collector.evidence.evaluations.push_back(std::move(results.evaluation));
  }
  collector.lm_results.clear();
  collector.lm_samples.clear();
}

bool names_base(const std::string& where) {
  for (const fs::path& part : fs::path(where)) {
    if (part.string().starts_with("base")) return true;
  }
  return false;
}

/// Rows of one arm of one file beside the other arm's rows in another.
bool is_half(const Evaluation& report, bool base) {
  if (report.format != "rows") return false;
  return base ? report.base && report.candidate.rows.empty() : !report.base && report.candidate.name == "candidate";
}

void pair_halves(Evidence& evidence) {
  for (const Evaluation& base : evidence.evaluations) {
    if (!is_half(base, true)) continue;
    for (const Evaluation& candidate : evidence.evaluations) {
      if (!is_half(candidate, false) || candidate.seed != base.seed || candidate.task != base.task) continue;
      evidence.comparisons.push_back({&base, &candidate, &*base.base, &candidate.candidate});
    }
  }
}

bool is_single(const Evaluation& report) {
  return !report.base && (report.format == "lm-eval" || report.format == "inspect" || report.format == "rows") &&
         report.candidate.name != "candidate" && !report.candidate.rows_are_foreign_verdicts;
}

/// Which of several single arms of one task is the base: the one without an adapter, else the one whose path says so.
const Evaluation* base_among(const std::vector<const Evaluation*>& group) {
  std::vector<const Evaluation*> bases;
  for (const Evaluation* report : group) {
    if (report->is_candidate_base && report->adapter.empty()) bases.push_back(report);
  }
  if (bases.size() == 1 && group.size() > 1) return bases.front();
  const auto named = [](const Evaluation* report) { return names_base(report->where); };
  if (std::count_if(group.begin(), group.end(), named) == 1) return *std::find_if(group.begin(), group.end(), named);
  return group.size() == 2 ? group.front() : nullptr;
}

void pair_singles(Evidence& evidence) {
  std::map<std::string, std::vector<const Evaluation*>> groups;
  for (const Evaluation& report : evidence.evaluations) {
    if (is_single(report)) groups[report.format + "|" + report.task].push_back(&report);
  }
  for (const auto& [key, group] : groups) {
    const Evaluation* base = base_among(group);
    if (!base) continue;
    for (const Evaluation* candidate : group) {
      if (candidate != base) evidence.comparisons.push_back({base, candidate, &base->candidate, &candidate->candidate});
    }
  }
}

}  // namespace

void put_together(Collector& collector) {
  link_samples(collector);
  Evidence& evidence = collector.evidence;
  for (const Evaluation& report : evidence.evaluations) {
    if (report.base && !is_half(report, true)) {
      evidence.comparisons.push_back({&report, &report, &*report.base, &report.candidate});
    }
  }
  pair_halves(evidence);
  pair_singles(evidence);
}

}  // namespace plumbline::doctor
