/// Means that cannot come from the items that the file names.
#include <algorithm>
#include <cmath>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/stats/granularity.h"

namespace plumbline::doctor {
namespace {

void check_mean(const Evaluation& report, const Arm& arm, const StatedMean& mean, FindingSink& out) {
  constexpr double kSlack = 2e-6;  // rewards of rows are kept as float32
  if (mean.of_rows) {
    const double allowed = 0.5 * std::pow(10, -mean.decimals) + kSlack * std::max(1.0, std::fabs(mean.value));
    if (std::fabs(*mean.of_rows - mean.value) <= allowed) return;
    out.add(report.where, {{"arm", arm.name},
                           {"figure", mean.name},
                           {"stated", mean.value},
                           {"mean_of_rows", *mean.of_rows},
                           {"rows", static_cast<int64_t>(arm.rows.size())}});
    return;
  }
  if (mean.possible.empty() || mean.num_items <= 0) {
    out.not_checked(report.where, mean.name + " is taken as stated: " +
                                      (mean.possible.empty() ? "the values of one item are not known"
                                                             : "the number of items is not given"));
    return;
  }
  if (is_possible_mean(mean.value, mean.num_items, mean.possible, mean.decimals)) return;
  out.add(report.where, {{"arm", arm.name},
                         {"figure", mean.name},
                         {"stated", mean.value},
                         {"decimals", int64_t{mean.decimals}},
                         {"items", mean.num_items}});
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
      if (!arm) continue;
      for (const StatedMean& mean : arm->means) check_mean(report, *arm, mean, out);
    }
  }
}

}  // namespace

const FindingKind kImpossibleValue = {
    "impossible_value",
    Severity::kError,
    "A stated mean is not among the values that its items can give, or is not the mean of the rows beside it. It was "
    "left over from another run, mixed from two, or computed over other items.",
    "Compute the mean from the rows again, and find out which run the number came from before quoting it.",
    {"mean_reward_headline"},
    check};

}  // namespace plumbline::doctor
