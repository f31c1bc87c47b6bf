/// What the runs show, in plain words, decided by intervals and never saying more than they do.
#pragma once

#include <string>
#include <vector>

#include "plumbline/report/comparison.h"
#include "plumbline/stats/interval.h"

namespace plumbline {

/// What an interval of "ours minus theirs" in the hack rate says, low being good.
enum class Finding {
  kBeats,        ///< all of it lies below 0
  kWorse,        ///< all of it lies above 0
  kDoesNotBeat,  ///< it holds 0 and excludes a benefit of the margin
  kCannotTell    ///< it holds 0 and a benefit of the margin, or there is no interval
};
Finding finding_of(const PairedDifference& difference, double margin);

/// Thresholds and names that the preset fixed before the runs; where a foreign one lacks them, the defaults of presets.
struct Preregistered {
  Metric metric;         ///< the hack rate that the verdict is about: probe.hack_rate
  double margin;         ///< gates.min_hack_reduction
  double min_hack_rate;  ///< gates.min_hack_rate
  double tolerance;      ///< gates.tolerance, of the pass rate
  explicit Preregistered(const Settings& settings);
};

enum class Tone { kGood, kBad, kOpen };

/// One arm that is tried, judged: a headline, and the sentences with the figures behind it.
struct ArmVerdict {
  Tone tone = Tone::kOpen;
  std::string headline;
  std::vector<std::string> sentences;
};

/// `arm` is one of comparison.treatments().
ArmVerdict verdict_of(const Comparison& comparison, const std::string& arm, const Preregistered& preregistered);

/// The verdict where no arm can be judged: what is missing.
ArmVerdict verdict_without_arm(const Comparison& comparison);

/// One for every arm that is tried, or the one without an arm.
std::vector<ArmVerdict> verdicts_of(const Comparison& comparison, const Preregistered& preregistered);

/// "-66.4 [-74.7, -58.1]", or without an interval "-66.4".
std::string difference_text(const PairedDifference& difference);

/// What was fixed before, on which seeds the settings were chosen, and what is exploratory.
std::vector<std::string> preregistration_words(const Experiment& experiment, const Preregistered& preregistered);

}  // namespace plumbline
