/// Where a run ended: its rates at the last step, and on what they rest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/report/run_folder.h"

namespace plumbline {

enum class Metric { kHacked, kVacuous, kPass, kReward };
inline constexpr size_t kNumMetrics = 4;

/// Name for tables, and the column of steps.tsv.
const char* name_of(Metric metric);
const char* column_of(Metric metric);

/// What end figures rest on, the best first. Runs are compared on a basis that all of them have.
enum class Basis {
  kSampledSlice,  ///< the held-out slice, sampled, after the last step
  kGreedySlice,   ///< the same, decoded greedily
  kLastSteps      ///< training completions of the last five steps
};
/// "sampled completions of the held-out slice after the last step".
const char* words_of(Basis basis);

struct Endpoint {
  std::array<double, kNumMetrics> values{};  ///< rates in [0, 1]; reward as it is
  int64_t num_graded = 0;                    ///< completions behind them; 0 = not known
  int64_t num_truncated = 0;                 ///< of a slice
  double operator[](Metric metric) const { return values[static_cast<size_t>(metric)]; }
};

/// Unset when the run has no such figures (no evaluation after its last step, nothing graded).
std::optional<Endpoint> endpoint_of(const ArmRun& run, Basis basis);

/// The best basis that every one of the runs has; kLastSteps when there is no better one.
Basis common_basis(std::span<const ArmRun* const> runs);

/// One figure over the steps of a run. NaN where it was not measured.
struct Curve {
  std::vector<double> step, value;
};
/// From the slice, or from steps.tsv as the trailing mean of up to five steps.
Curve curve_of(const ArmRun& run, Basis basis, Metric metric);
/// A column of steps.tsv, smoothed likewise; empty when the run has no such column.
Curve smoothed_column(const ArmRun& run, const std::string& column);

}  // namespace plumbline
