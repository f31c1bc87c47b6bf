/// A field of comparability (evaluation.md section 5) that differs over runs that are compared.
#include <algorithm>
#include <set>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kMostText = 120;

/// Tasks whose items depend on the seed: their split hash differs between seeds as it should.
bool split_follows_seed(const std::string& task) {
  return task == "invention" || task == "provenance" || task == "concept";
}

void check_field(const std::vector<const Evaluation*>& sweep, const std::string& name, FindingSink& out) {
  const Evaluation* first = nullptr;
  for (const Evaluation* report : sweep) {
    const auto pin = report->pins.find(name);
    if (pin == report->pins.end()) continue;
    if (name == "split_hash" && split_follows_seed(report->task) && first && first->seed != report->seed) continue;
    if (!first) {
      first = report;
      continue;
    }
    const std::string& value = first->pins.at(name);
    if (value == pin->second) continue;
    out.add(first->where + " and " + report->where,
            {{"field", name}, {"first", value.substr(0, kMostText)}, {"other", pin->second.substr(0, kMostText)}});
    return;
  }
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const auto& sweep : sweeps(evidence)) {
    std::set<std::string> names;
    for (const Evaluation* report : sweep) {
      for (const auto& [name, value] : report->pins) names.insert(name);
    }
    if (sweep.front()->format == "lm-eval" || sweep.front()->format == "inspect")
      continue;  // compared arm by arm below
    for (const std::string& name : names) {
      if (name != "num_generations" && name != "metric") check_field(sweep, name, out);
    }
  }
  for (const Comparison& comparison : evidence.comparisons) {
    const Evaluation& base = *comparison.base_file;
    const Evaluation& candidate = *comparison.candidate_file;
    if (&base == &candidate) continue;
    for (const auto& [name, value] : base.pins) {
      const auto other = candidate.pins.find(name);
      if (other == candidate.pins.end() || other->second == value) continue;
      out.add(
          comparison.where(),
          {{"field", name}, {"base", value.substr(0, kMostText)}, {"candidate", other->second.substr(0, kMostText)}});
    }
  }
}

}  // namespace

const FindingKind kPinMismatch = {
    "pin_mismatch",
    Severity::kError,
    "Reports that are compared differ in a setting that changes the number by itself. Their difference says nothing "
    "about the models.",
    "Run the odd ones again with the same settings; the evidence names the field and both values.",
    {"mixed_metric", "underpowered", "not_replicated", "unpaired"},
    check};

}  // namespace plumbline::doctor
