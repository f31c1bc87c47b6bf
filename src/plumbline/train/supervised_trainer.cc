#include "plumbline/train/supervised_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/train/step_summary.h"
#include "plumbline/train/stored_completion.h"

namespace plumbline {
namespace {

TrainerOptions checked(TrainerOptions options) {
  if (options.train.beta != 0) {
    throw ConfigError("config.conflict", "supervised fine-tuning has no KL", "train.beta", "set it to 0.0");
  }
  return options;
}

RolloutOptions without_temperature(RolloutOptions rollout) {
  rollout.temperature = 1;
  return rollout;
}

}  // namespace

SupervisedTrainer::SupervisedTrainer(const RunParts& parts, const ModelText& text, const SupervisedData& data,
                                     TrainerOptions options)
    : TrainingRun(parts, checked(options), without_temperature(options.rollout)), parts_(parts) {
  prepare(text, data);
  order_.emplace(options_.order_seed, num_examples());
}

void SupervisedTrainer::prepare(const ModelText& text, const SupervisedData& data) {
  std::map<ProblemId, RenderedPrompt> prompts;
  for (const Problem& problem : data.problems) prompts.emplace(problem.id, text.render(problem));
  for (const Completion& completion : data.completions) {
    const auto found = prompts.find(completion.problem_id);
    if (found == prompts.end()) {
      throw DataError("data.unknown_problem", "a completion answers a problem that is not in data.problems",
                      "problem " + completion.problem_id.text, "name the problems it was written for, and their split");
    }
    const RenderedPrompt& prompt = found->second;
    if (prompt.token_ids.empty()) {
      throw DataError("data.empty_prompt", "a prompt renders to no tokens", "problem " + completion.problem_id.text,
                      "give it a prompt, or choose another template");
    }
    Example example{prompt.token_ids, stored_completion_ids(text, prompt, completion)};
    const auto length = static_cast<int64_t>(example.prompt_ids.size() + example.completion_ids.size());
    if (length > options_.rollout.context_tokens) {
      ++num_over_context_;
    } else {
      examples_.push_back(std::move(example));
    }
  }
  if (examples_.empty()) {
    throw ConfigError("config.no_problems",
                      fmt::format("none of {} completions fits into {} tokens with its prompt", num_over_context_,
                                  options_.rollout.context_tokens),
                      "rollout.context_tokens", "raise it, or name other completions");
  }
  log_info(prompt_line(prompts.at(data.completions.front().problem_id)));
  log_info(fmt::format("{} completions to learn, {} in a step", num_examples(), options_.train.batch_size));
  if (num_over_context_ > 0) {
    log_warning(fmt::format("{} of {} completions are left out: they do not fit into {} tokens with their prompts",
                            num_over_context_, num_over_context_ + num_examples(), options_.rollout.context_tokens));
  }
}

StepRow SupervisedTrainer::run_step(int64_t step) {
  PL_CHECK(step == state().step + 1, "steps are made in order");
  StepRow row;
  row.step = step;
  row.is_sampled = false;
  int64_t cursor = state().data_cursor, num_tokens = 0;
  std::vector<LearningRow> rows;
  for (int64_t i = 0; i < options_.train.batch_size; ++i) {
    const Example& example = examples_[order_->at(cursor++)];
    LearningRow& learning = rows.emplace_back();
    learning.prompt_ids = example.prompt_ids;
    learning.completion_ids = example.completion_ids;
    const auto length = static_cast<int64_t>(example.completion_ids.size());
    num_tokens += length;
    row.length_min = i == 0 ? static_cast<double>(length) : std::min(row.length_min, static_cast<double>(length));
    row.length_max = std::max(row.length_max, static_cast<double>(length));
  }
  for (LearningRow& learning : rows) learning.weight = 1.0 / static_cast<double>(num_tokens);
  row.num_completions = options_.train.batch_size;
  row.length_mean = static_cast<double>(num_tokens) / static_cast<double>(row.num_completions);
  row.num_prompts_over_context = num_over_context_;
  row.weight_hash = parts_.adapter.weight_hash();
  timed(row.times.gradient_s, [&] { update_.accumulate_supervised(rows); });
  timed(row.times.transform_s, [&] { update_.transform_gradients(step - 1); });
  timed(row.times.optimizer_s, [&] { update_.step_optimizer(step - 1); });
  describe_update(update_.metrics(), false, row);
  finish_step(row, {}, cursor);
  return row;
}

}  // namespace plumbline
