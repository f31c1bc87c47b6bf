/// Means that cannot come from the items that the file names.
#include <cmath>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

void check_mean(const Evaluation& report, const Arm& arm, const StatedMean& mean, FindingSink& out) {
  constexpr double kSlack = 2e-6;  // rewards of rows are kept as float32
  const double allowed = mean.half_width + kSlack * std::max(1.0, std::fabs(mean.value));
  if (mean.of_rows) {
    if (std::fabs(*mean.of_rows - mean.value) <= allowed) return;
    out.add(report.where, {{"arm", arm.name},
                           {"figure", mean.name},
                           {"stated", mean.value},
                           {"mean_of_rows", *mean.of_rows},
                           {"rows", static_cast<int64_t>(arm.rows.size())}});
    return;
  }
  if (!mean.lowest || !mean.step || mean.num_items <= 0) {
    if (mean.num_items <= 0)
      out.not_checked(report.where, mean.name + " is taken as stated: the number of items is not given");
    return;
  }
  const double spacing = *mean.step / static_cast<double>(mean.num_items);
  if (spacing <= 2 * allowed) return;  // every rounded value is possible
  const double position = (mean.value - *mean.lowest) / spacing;
  const double distance = std::fabs(position - std::round(position)) * spacing;
  if (distance <= allowed && position > -0.5) return;
  out.add(report.where, {{"arm", arm.name},
                         {"figure", mean.name},
                         {"stated", mean.value},
                         {"items", mean.num_items},
                         {"nearest_possible", *mean.lowest + std::floor(position) * spacing},
                         {"next_possible", *mean.lowest + std::ceil(position) * spacing}});
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
