/// Runs of one experiment compared: arms over their seeds, differences of the same seed, control draws one by one.
/// Only complete runs enter, and a mean over several seeds never stands against a single one: differences are taken
/// over the seeds that both sides have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/report/endpoint.h"
#include "plumbline/report/run_folder.h"
#include "plumbline/stats/paired_test.h"

namespace plumbline {

/// Runs that differ in arm and seed alone.
struct Experiment {
  std::vector<const ArmRun*> runs;      ///< complete, each arm and seed once
  std::vector<const ArmRun*> repeated;  ///< the same arm and seed again: left out
  Settings differing;                   ///< of the settings in which experiments differ: ours
};

/// Complete runs grouped by what they share: every setting that can change a result, and the hashes of model and data.
/// Borrows from `set`.
std::vector<Experiment> experiments_of(const RunSet& set);

/// One arm over its seeds.
struct ArmFigures {
  std::string arm;
  std::vector<const ArmRun*> runs;  ///< by seed
  std::vector<Endpoint> endpoints;  ///< one a run

  std::vector<double> values(Metric metric) const;
  double mean(Metric metric) const;
  /// Over seeds; unset for one.
  std::optional<double> sd(Metric metric) const;
};

/// One side minus the other over the seeds that both have; where a side has several arms (control draws), the mean of a
/// seed counts, and seeds that lack one of them do not.
struct Contrast {
  std::vector<uint64_t> seeds;
  PairedDifference difference;
  double mean_of = 0, mean_against = 0;  ///< over these seeds
};

struct RankResult {
  int64_t num_runs = 0, num_controls = 0;
  int64_t num_controls_above = 0;  ///< controls that lie above every run
  double p = 1;                    ///< exact, one-sided
};

class Comparison {
 public:
  explicit Comparison(const Experiment& experiment);

  Basis basis() const { return basis_; }
  /// Vanilla, then arms that are tried, then controls, each in the order of the probe.
  const std::vector<ArmFigures>& arms() const { return arms_; }
  const ArmFigures* find(const std::string& arm) const;
  /// Arms that are neither vanilla nor a control.
  std::vector<std::string> treatments() const;
  /// Control arms, of one kind or ("") of all.
  std::vector<std::string> controls(const std::string& kind = "") const;
  /// Unset when they share no seed.
  std::optional<Contrast> contrast(const std::vector<std::string>& arms, const std::vector<std::string>& against,
                                   Metric metric) const;
  /// The arm's runs against all control runs, low being good. Unset without a control.
  std::optional<RankResult> rank_below_controls(const std::string& arm, Metric metric) const;

 private:
  std::map<uint64_t, double> by_seed(const std::vector<std::string>& arms, Metric metric) const;

  Basis basis_ = Basis::kLastSteps;
  std::vector<ArmFigures> arms_;
};

}  // namespace plumbline
