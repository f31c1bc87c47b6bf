#include "plumbline/report/comparison.h"

#include <algorithm>
#include <set>

#include "plumbline/stats/moments.h"
#include "plumbline/stats/rank_test.h"

namespace plumbline {
namespace {

/// Settings that cannot change a figure, or that are what the arms of an experiment differ in.
bool is_neutral(const std::string& key) {
  static const std::set<std::string> kNeutral = {"run.arm",
                                                 "run.seed",
                                                 "run.threads",
                                                 "run.micro_batch",
                                                 "grade.workers",
                                                 "steer.direction",
                                                 "grade.cache",
                                                 "train.checkpoint_every",
                                                 "train.keep_checkpoints"};
  return kNeutral.contains(key) || key.starts_with("probe.") || key.starts_with("gates.");
}

/// What must be equal for two runs to be comparable.
Settings fingerprint(const ArmRun& run) {
  Settings shared;
  for (const auto& [key, value] : run.settings) {
    if (!is_neutral(key)) shared[key] = value;
  }
  for (const auto& [key, value] : run.provenance) {
    if (key == "model_hash" || key == "data_hash" || key == "template_hash" || key == "grader_version") {
      shared[key] = value;
    }
  }
  return shared;
}

/// Keys on which the fingerprints do not agree.
std::set<std::string> differing_keys(const std::vector<Settings>& fingerprints) {
  std::set<std::string> keys, differing;
  for (const Settings& settings : fingerprints) {
    for (const auto& [key, value] : settings) keys.insert(key);
  }
  for (const std::string& key : keys) {
    const std::string first = setting_of(fingerprints.front(), key, "(not set)");
    for (const Settings& settings : fingerprints) {
      if (setting_of(settings, key, "(not set)") != first) differing.insert(key);
    }
  }
  return differing;
}

void add_run(Experiment& experiment, const ArmRun& run) {
  const bool is_there = std::any_of(experiment.runs.begin(), experiment.runs.end(), [&](const ArmRun* other) {
    return other->arm == run.arm && other->seed == run.seed;
  });
  (is_there ? experiment.repeated : experiment.runs).push_back(&run);
}

int order_of(const std::string& arm) {
  if (arm == "vanilla") return 0;
  return arm_of_name(arm).is_control() ? 2 : 1;
}

}  // namespace

std::vector<Experiment> experiments_of(const RunSet& set) {
  std::vector<Experiment> experiments;
  std::vector<Settings> fingerprints;
  for (const ArmRun& run : set.runs) {
    if (run.state != RunState::kComplete) continue;
    const Settings shared = fingerprint(run);
    const auto found = std::find(fingerprints.begin(), fingerprints.end(), shared);
    if (found == fingerprints.end()) {
      fingerprints.push_back(shared);
      add_run(experiments.emplace_back(), run);
    } else {
      add_run(experiments[static_cast<size_t>(found - fingerprints.begin())], run);
    }
  }
  if (experiments.size() < 2) return experiments;
  for (const std::string& key : differing_keys(fingerprints)) {
    for (size_t i = 0; i < experiments.size(); ++i) {
      experiments[i].differing[key] = setting_of(fingerprints[i], key, "(not set)");
    }
  }
  return experiments;
}

std::vector<double> ArmFigures::values(Metric metric) const {
  std::vector<double> values;
  for (const Endpoint& endpoint : endpoints) values.push_back(endpoint[metric]);
  return values;
}

double ArmFigures::mean(Metric metric) const {
  return mean_of(values(metric));
}

std::optional<double> ArmFigures::sd(Metric metric) const {
  if (endpoints.size() < 2) return std::nullopt;
  return sample_sd(values(metric));
}

Comparison::Comparison(const Experiment& experiment) : basis_(common_basis(experiment.runs)) {
  for (const ArmRun* run : experiment.runs) {
    const std::optional<Endpoint> endpoint = endpoint_of(*run, basis_);
    if (!endpoint) continue;  // nothing was graded in its last steps
    auto arm = std::find_if(arms_.begin(), arms_.end(), [&](const ArmFigures& other) { return other.arm == run->arm; });
    if (arm == arms_.end()) arm = arms_.insert(arms_.end(), ArmFigures{run->arm, {}, {}});
    const auto place =
        std::find_if(arm->runs.begin(), arm->runs.end(), [&](const ArmRun* other) { return other->seed > run->seed; });
    arm->endpoints.insert(arm->endpoints.begin() + (place - arm->runs.begin()), *endpoint);
    arm->runs.insert(place, run);
  }
  std::stable_sort(arms_.begin(), arms_.end(),
                   [](const ArmFigures& a, const ArmFigures& b) { return order_of(a.arm) < order_of(b.arm); });
}

const ArmFigures* Comparison::find(const std::string& arm) const {
  const auto found =
      std::find_if(arms_.begin(), arms_.end(), [&](const ArmFigures& other) { return other.arm == arm; });
  return found == arms_.end() ? nullptr : &*found;
}

std::vector<std::string> Comparison::treatments() const {
  std::vector<std::string> names;
  for (const ArmFigures& arm : arms_) {
    if (order_of(arm.arm) == 1) names.push_back(arm.arm);
  }
  return names;
}

std::vector<std::string> Comparison::controls(const std::string& kind) const {
  std::vector<std::string> names;
  for (const ArmFigures& arm : arms_) {
    const bool is_kind = kind.empty() || arm_of_name(arm.arm).kind == kind;
    if (order_of(arm.arm) == 2 && is_kind) names.push_back(arm.arm);
  }
  return names;
}

std::map<uint64_t, double> Comparison::by_seed(const std::vector<std::string>& arms, Metric metric) const {
  std::map<uint64_t, std::vector<double>> values;
  size_t num_arms = 0;
  for (const std::string& name : arms) {
    const ArmFigures* arm = find(name);
    if (!arm) continue;
    ++num_arms;
    for (size_t i = 0; i < arm->runs.size(); ++i) values[arm->runs[i]->seed].push_back(arm->endpoints[i][metric]);
  }
  std::map<uint64_t, double> means;
  for (const auto& [seed, of_seed] : values) {
    if (of_seed.size() == num_arms) means[seed] = mean_of(of_seed);
  }
  return means;
}

std::optional<Contrast> Comparison::contrast(const std::vector<std::string>& arms,
                                             const std::vector<std::string>& against, Metric metric) const {
  const std::map<uint64_t, double> ours = by_seed(arms, metric), theirs = by_seed(against, metric);
  Contrast contrast;
  std::vector<double> differences, of, other;
  for (const auto& [seed, value] : ours) {
    const auto found = theirs.find(seed);
    if (found == theirs.end()) continue;
    contrast.seeds.push_back(seed);
    differences.push_back(value - found->second);
    of.push_back(value);
    other.push_back(found->second);
  }
  if (differences.empty()) return std::nullopt;
  contrast.difference = paired_difference(differences);
  // Student's t does not know that rates differ by 1 at most; what lies beyond is no possible value.
  if (auto& interval = contrast.difference.interval; interval && metric != Metric::kReward) {
    interval = Interval{std::max(interval->low, -1.0), std::min(interval->high, 1.0)};
  }
  contrast.mean_of = mean_of(of);
  contrast.mean_against = mean_of(other);
  return contrast;
}

std::optional<RankResult> Comparison::rank_below_controls(const std::string& arm, Metric metric) const {
  const ArmFigures* ours = find(arm);
  std::vector<double> controls;
  for (const std::string& name : this->controls()) {
    const std::vector<double> values = find(name)->values(metric);
    controls.insert(controls.end(), values.begin(), values.end());
  }
  if (!ours || controls.empty()) return std::nullopt;
  const std::vector<double> values = ours->values(metric);
  constexpr size_t kMostExact = 200;
  if (values.size() + controls.size() > kMostExact) return std::nullopt;
  RankResult result{static_cast<int64_t>(values.size()), static_cast<int64_t>(controls.size()), 0,
                    rank_test_below(values, controls)};
  const double highest = *std::max_element(values.begin(), values.end());
  result.num_controls_above = std::count_if(controls.begin(), controls.end(), [&](double v) { return v > highest; });
  return result;
}

}  // namespace plumbline
