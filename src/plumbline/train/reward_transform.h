/// The seam between grading and advantages: what a monitor makes of a step's rewards. Verdicts, labels and every rate
/// that is reported stay as the trusted grader gave them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/record/verdict.h"

namespace plumbline {

/// One step, completion after completion; everything is borrowed. Completion i is sample i % group_size of the step's
/// prompt number i / group_size.
struct GradedStep {
  int64_t version = 0;  ///< of the weights that sampled
  int64_t group_size = 1;
  std::span<const std::optional<double>> reward_B;  ///< unset: no verdict
  std::span<const Verdict> verdict_B;
  /// Mean over the response's tokens of the hidden state's projection on the transform's reading, where it has one.
  std::span<const double> score_B;
};

struct TransformedRewards {
  std::vector<std::optional<double>> reward_B;  ///< what advantages are made of; unset leaves its group
  std::map<std::string, double> metrics;        ///< "monitor/..." in metrics.jsonl
};

/// A direction of the residual stream and where it is read.
struct HiddenReading {
  int64_t layer = 0;               ///< states after so many layers
  std::vector<float> direction_D;  ///< of norm 1
  double clean = 0;                ///< projection of the mean of clean answers
  double threshold = 0;            ///< half way between the means of hacks and clean answers, for a probe
};

/// Thread-safe: stateless between steps.
class RewardTransform {
 public:
  virtual ~RewardTransform() = default;
  /// What `score_B` is a projection on; none when no hidden states are needed.
  virtual const HiddenReading* reading() const { return nullptr; }
  virtual TransformedRewards apply(const GradedStep& step) const = 0;
};

}  // namespace plumbline
