/// Scores a model on a fixed slice of problems, with the trusted grade. The same slice, order and random streams at
/// every call, so that two steps of one run, or two arms of one seed, are comparable item by item.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/record/problem.h"
#include "plumbline/record/verdict.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/text/model_text.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// Counts over one slice. Rates divide by `num_graded`: completions whose grade is a verdict (infra left out).
struct SliceScore {
  int64_t num_completions = 0, num_graded = 0, num_infra = 0;
  int64_t num_passed = 0, num_hacked = 0, num_vacuous = 0, num_truncated = 0;
  double mean_reward = 0;  ///< over graded completions; 0 when there are none

  double pass_rate() const { return ratio(num_passed); }
  double hack_rate() const { return ratio(num_hacked); }
  double vacuous_rate() const { return ratio(num_vacuous); }

 private:
  double ratio(int64_t count) const {
    return num_graded == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(num_graded);
  }
};

/// One graded completion of the slice, for eval.jsonl.
struct SliceRow {
  ProblemId problem_id;
  int64_t sample = 0;
  std::string prompt_hash, completion, finish_reason;
  int64_t num_tokens = 0;
  Verdict verdict;
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

  /// Samples with the weights the engine holds now and grades. `rows` (optional) receives every completion.
  SliceScore run(std::vector<SliceRow>* rows = nullptr);
  int64_t num_problems() const { return static_cast<int64_t>(slice_.size()); }
  int64_t num_left_out() const { return num_left_out_; }

 private:
  RolloutEngine& engine_;
  Verifier& verifier_;
  const ModelText& text_;
  SliceOptions options_;
  std::vector<Problem> slice_;
  std::vector<RenderedPrompt> prompts_;
  int64_t num_left_out_ = 0;
};

}  // namespace plumbline
