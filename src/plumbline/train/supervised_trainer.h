/// Supervised fine-tuning on stored completions: train.objective = "sft". One step takes the next train.batch_size
/// completions, each behind its problem's prompt as training and evaluation render it:
///
///     L = - sum over the step's completion tokens of log softmax(z)[token] / number of those tokens      (nats)
///
/// Source: maximum likelihood. The denominator counts the tokens of the whole step, closing tokens included, so that no
/// split into micro-batches changes it (it is TRL's with num_items_in_batch). Prompts are not learnt. Logits are not
/// divided by a temperature: rollout.temperature belongs to sampling. Adapter, gradient transform, optimizer, schedule,
/// records, checkpoints and evaluation are those of trainer.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumbline/record/completion.h"
#include "plumbline/record/problem.h"
#include "plumbline/text/model_text.h"
#include "plumbline/train/problem_order.h"
#include "plumbline/train/training_run.h"

namespace plumbline {

/// Completions and the problems that they answer; hints are applied.
struct SupervisedData {
  std::vector<Problem> problems;
  std::vector<Completion> completions;
};

/// Not thread-safe. Order of the completions: Stream::kProblemOrder of (order_seed, epoch); merging as in trainer.h.
class SupervisedTrainer final : public TrainingRun {
 public:
  /// `text` is borrowed. Encodes everything once; completions that do not fit into rollout.context_tokens with their
  /// prompt are left out and counted, those of problems that are not in the data are an error.
  /// Throws DataError: data.unknown_problem, data.empty_prompt, data.empty_completion, data.no_stop_token;
  /// ConfigError(config.no_problems) when nothing is left; ConfigError(config.conflict) for train.beta above 0.
  SupervisedTrainer(const RunParts& parts, const ModelText& text, const SupervisedData& data, TrainerOptions options);

  /// Throws NumericError when the gradients are not finite several steps in a row.
  StepRow run_step(int64_t step) override;

  int64_t num_examples() const { return static_cast<int64_t>(examples_.size()); }

 protected:
  std::string console_heading() const override { return supervised_header(); }
  std::string console_row(const StepRow& row, double eta_s) const override { return supervised_line(row, eta_s); }

 private:
  struct Example {
    std::vector<int64_t> prompt_ids, completion_ids;
  };
  void prepare(const ModelText& text, const SupervisedData& data);

  RunParts parts_;
  std::vector<Example> examples_;
  std::optional<ProblemOrder> order_;
};

}  // namespace plumbline
