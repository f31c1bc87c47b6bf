/// num_generations differs over the runs of one sweep.
#include <map>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/doctor/readers/flat_row.h"

namespace plumbline::doctor {
namespace {

void check(const Evidence& evidence, FindingSink& out) {
  std::map<std::string, std::map<int64_t, std::string>> sizes;  // task and model -> size -> one place
  for (const TrainingSetup& setup : evidence.setups) {
    if (setup.group_size)
      sizes[setup.task + "|" + setup.model + "|" + setup.sweep].emplace(*setup.group_size, setup.where);
  }
  for (const auto& sweep : sweeps(evidence)) {
    for (const Evaluation* report : sweep) {
      const auto pin = report->pins.find("num_generations");
      if (pin == report->pins.end()) continue;
      if (const auto size = number_of_text(pin->second))
        sizes["eval|" + report->task + "|" + report->model].emplace(static_cast<int64_t>(*size), report->where);
    }
  }
  for (const auto& [sweep, places] : sizes) {
    if (places.size() < 2) continue;
    Facts facts;
    std::string where;
    for (const auto& [size, place] : places) {
      facts.emplace_back("generations_" + std::to_string(size), place);
      where += (where.empty() ? "" : " and ") + place;
    }
    out.add(where, std::move(facts));
  }
}

}  // namespace

const FindingKind kGroupSizeMixed = {
    "group_size_mixed",
    Severity::kError,
    "The runs drew groups of different sizes. The advantage is normalised within a group, so the estimator itself "
    "differs; their results are not replications of one another.",
    "Train the odd run again with the same number of generations per prompt.",
    {"pin_mismatch"},
    check};

}  // namespace plumbline::doctor
