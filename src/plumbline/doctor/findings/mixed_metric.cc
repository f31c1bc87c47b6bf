/// Reports of one sweep that judge by different metrics.
#include <map>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void add(const std::map<std::string, std::string>& metrics, FindingSink& out) {
  if (metrics.size() < 2) return;
  Facts facts;
  std::string places;
  for (const auto& [metric, where] : metrics) {
    facts.emplace_back(metric, where);
    places += (places.empty() ? "" : " and ") + where;
  }
  out.add(places, std::move(facts));
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const auto& sweep : sweeps(evidence)) {
    std::map<std::string, std::string> metrics;  // metric -> one place
    for (const Evaluation* report : sweep) {
      if (!report->metric.empty()) metrics.emplace(report->metric, report->where);
    }
    add(metrics, out);
  }
  std::map<std::string, std::map<std::string, std::string>> by_task;
  for (const Decision& decision : evidence.decisions) {
    if (!decision.metric.empty()) by_task[decision.task].emplace(decision.metric, decision.where);
  }
  for (const auto& [task, metrics] : by_task) add(metrics, out);
}

}  // namespace

const FindingKind kMixedMetric = {
    "mixed_metric",
    Severity::kError,
    "Runs that are summed up together report different headline metrics. Their numbers cannot be averaged or compared.",
    "Choose one metric before the sweep and evaluate every run anew with it.",
    {"impossible_value", "mean_reward_headline", "pin_mismatch"},
    check};

}  // namespace plumbline::doctor
