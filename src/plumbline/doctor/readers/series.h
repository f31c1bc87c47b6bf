/// Figures of training steps under one name, whoever logged them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "plumbline/doctor/evidence.h"
#include "plumbline/doctor/readers/flat_row.h"

namespace plumbline::doctor {

/// "reward", "reward_std", "zero_spread", "clipped", "length", "truth", "hinted", "hack", "grad_norm", or empty for a
/// figure that no finding looks at. Knows the names of TRL, verl, OpenRLHF, prime-rl and ours.
std::string_view canonical_series(std::string_view key);

/// Which of the figures that have to stay finite this is, by any trainer's name: a loss, a KL, the reward or its
/// standard deviation, the gradient's norm. Unset for all others, and for evaluations ("eval_loss").
std::optional<WatchedFigure::Kind> watched_kind(std::string_view key);

/// Adds the figures of one step; `step` counts on where the row has none. Non-finite values are counted, not kept.
class SeriesBuilder {
 public:
  explicit SeriesBuilder(std::string where) { log_.where = std::move(where); }
  void begin_step(std::optional<double> step);
  void add(std::string_view key, double value);
  /// Only whether it is finite: for figures of a line that is no whole step.
  void watch(std::string_view key, double value);
  /// A row of numbers ("reward": .5, ...), flat or below "data".
  void add_row(const FlatRow& row);
  bool empty() const { return log_.series.empty() && log_.watched.empty(); }
  TrainingLog take() { return std::move(log_); }

 private:
  TrainingLog log_;
  double step_ = 0;
};

/// Whether a row looks like one step's figures: a step or epoch, and at least one of ours.
bool is_step_row(const FlatRow& row);

}  // namespace plumbline::doctor
