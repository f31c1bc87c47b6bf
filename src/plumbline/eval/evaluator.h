/// Scores a model on a fixed slice of problems, with the trusted grade. The same slice, order and random streams at
/// every call, so that two steps of one run, or two arms of one seed, are comparable item by item.
#pragma once

#include <cstdint>
#include <vector>

#include "plumbline/eval/item_runner.h"

namespace plumbline {

/// Counts over one slice. Rates divide by `num_graded`: completions whose grade is a verdict (infra left out).
struct SliceScore {
  int64_t num_completions = 0, num_graded = 0, num_infra = 0;
  int64_t num_passed = 0, num_hacked = 0, num_vacuous = 0, num_truncated = 0;
  int64_t num_rewarded = 0;  ///< graded completions with a reward; an undecided answer has none
  double mean_reward = 0;    ///< over those; 0 when there are none

  double pass_rate() const { return ratio(num_passed); }
  double hack_rate() const { return ratio(num_hacked); }
  double vacuous_rate() const { return ratio(num_vacuous); }

 private:
  double ratio(int64_t count) const {
    return num_graded == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(num_graded);
  }
};

struct SliceOptions {
  int64_t samples = 1;     ///< completions a problem
  double temperature = 0;  ///< 0 = greedy
  int64_t max_new_tokens = 256;
  int64_t context_tokens = 2048;
  uint64_t seed = 0;
};

/// Everything is borrowed. Problems whose prompt does not fit the context are left out at construction and counted.
class Evaluator {
 public:
  Evaluator(RolloutEngine& engine, Verifier& verifier, const ModelText& text, std::vector<Problem> slice,
            SliceOptions options);

  /// Samples with the weights the engine holds now and grades.
  SliceScore run();
  int64_t num_problems() const { return static_cast<int64_t>(list_.items.size()); }
  int64_t num_left_out() const { return list_.num_left_out; }

 private:
  RolloutEngine& engine_;
  Verifier& verifier_;
  const ModelText& text_;
  SliceOptions options_;
  std::vector<Problem> slice_;
  ItemList list_;  // points into slice_
};

}  // namespace plumbline
