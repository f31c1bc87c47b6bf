/// Headline numbers drawn at a temperature above 0, once an item.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    if (!report.temperature || *report.temperature <= 0 || report.samples_per_item > 1) continue;
    if (!report.has_rows() && !pass_rate(report.candidate)) continue;
    out.add(report.where, {{"temperature", *report.temperature},
                           {"samples_per_item", report.samples_per_item},
                           {"items", num_items(report.candidate)}});
  }
}

}  // namespace

const FindingKind kSampledHeadline = {
    "sampled_headline",
    Severity::kWarning,
    "The headline comes from one sampled completion an item. Another draw gives another number, and the interval does "
    "not know of it.",
    "Evaluate greedily (temperature 0), or draw many samples an item and report pass@k with its estimator.",
    {},
    check};

}  // namespace plumbline::doctor
