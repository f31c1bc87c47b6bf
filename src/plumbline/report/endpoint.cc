#include "plumbline/report/endpoint.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumbline {
namespace {

constexpr size_t kFinalSteps = 5;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Metric kMetrics[] = {Metric::kHacked, Metric::kVacuous, Metric::kPass, Metric::kReward};

const char* decode_of(Basis basis) {
  return basis == Basis::kGreedySlice ? "greedy" : "sampled";
}

double value_of(const SliceEvaluation& evaluation, Metric metric) {
  if (metric == Metric::kReward) return evaluation.mean_reward;
  const int64_t count = metric == Metric::kHacked    ? evaluation.num_hacked
                        : metric == Metric::kVacuous ? evaluation.num_vacuous
                                                     : evaluation.num_passed;
  return static_cast<double>(count) / static_cast<double>(evaluation.num_graded);
}

/// Mean of values[end - width, end) without NaN entries (nothing graded); NaN when nothing is left.
double mean_before(const std::vector<double>& values, size_t end) {
  double sum = 0, count = 0;
  for (size_t i = end > kFinalSteps ? end - kFinalSteps : 0; i < end; ++i) {
    if (std::isnan(values[i])) continue;
    sum += values[i];
    ++count;
  }
  return count == 0 ? kNan : sum / count;
}

std::optional<Endpoint> last_steps(const ArmRun& run) {
  if (run.steps.rows.empty()) return std::nullopt;
  Endpoint endpoint;
  for (const Metric metric : kMetrics) {
    const std::vector<double> values = run.steps.column(column_of(metric));
    const double value = mean_before(values, values.size());
    if (std::isnan(value)) return std::nullopt;
    endpoint.values[static_cast<size_t>(metric)] = value;
  }
  if (run.steps.has_column("N")) {
    const std::vector<double> counts = run.steps.column("N");
    for (size_t i = counts.size() > kFinalSteps ? counts.size() - kFinalSteps : 0; i < counts.size(); ++i) {
      if (std::isfinite(counts[i]) && counts[i] >= 0 && counts[i] < 1e9) {
        endpoint.num_graded += static_cast<int64_t>(counts[i]);
      }
    }
  }
  return endpoint;
}

}  // namespace

const char* name_of(Metric metric) {
  constexpr const char* kNames[] = {"hacked (strict)", "vacuous", "trusted pass", "reward"};
  return kNames[static_cast<size_t>(metric)];
}

const char* column_of(Metric metric) {
  constexpr const char* kColumns[] = {"hack", "vacuous", "gt", "rew"};
  return kColumns[static_cast<size_t>(metric)];
}

const char* words_of(Basis basis) {
  switch (basis) {
    case Basis::kSampledSlice:
      return "sampled completions of the fixed held-out slice";
    case Basis::kGreedySlice:
      return "greedy completions of the fixed held-out slice";
    case Basis::kLastSteps:
      return "training completions, mean of five steps";
  }
  return "";
}

std::optional<Endpoint> endpoint_of(const ArmRun& run, Basis basis) {
  if (basis == Basis::kLastSteps) return last_steps(run);
  for (const SliceEvaluation& evaluation : run.evaluations) {
    const bool is_last = run.steps_done() > 0 && evaluation.step == run.steps_done();
    if (!is_last || evaluation.decode != decode_of(basis) || evaluation.num_graded == 0) continue;
    Endpoint endpoint;
    for (const Metric metric : kMetrics) endpoint.values[static_cast<size_t>(metric)] = value_of(evaluation, metric);
    endpoint.num_graded = evaluation.num_graded;
    endpoint.num_truncated = evaluation.num_truncated;
    return endpoint;
  }
  return std::nullopt;
}

Basis common_basis(std::span<const ArmRun* const> runs) {
  for (const Basis basis : {Basis::kSampledSlice, Basis::kGreedySlice}) {
    const bool all_have =
        std::all_of(runs.begin(), runs.end(), [&](const ArmRun* run) { return endpoint_of(*run, basis).has_value(); });
    if (all_have && !runs.empty()) return basis;
  }
  return Basis::kLastSteps;
}

Curve curve_of(const ArmRun& run, Basis basis, Metric metric) {
  if (basis == Basis::kLastSteps) return smoothed_column(run, column_of(metric));
  Curve curve;
  for (const SliceEvaluation& evaluation : run.evaluations) {
    if (evaluation.decode != decode_of(basis) || evaluation.num_graded == 0) continue;
    curve.step.push_back(static_cast<double>(evaluation.step));
    curve.value.push_back(value_of(evaluation, metric));
  }
  return curve;
}

Curve smoothed_column(const ArmRun& run, const std::string& column) {
  if (run.steps.rows.empty() || !run.steps.has_column(column)) return {};
  const std::vector<double> values = run.steps.column(column);
  Curve curve{run.steps.column("step"), {}};
  for (size_t i = 0; i < values.size(); ++i) {
    curve.value.push_back(std::isnan(values[i]) ? kNan : mean_before(values, i + 1));
  }
  return curve;
}

}  // namespace plumbline
