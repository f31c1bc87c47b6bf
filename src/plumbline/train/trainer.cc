#include "plumbline/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/base/check.h"
#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/train/grading_queue.h"
#include "plumbline/train/loss_weight.h"
#include "plumbline/train/step_summary.h"

namespace plumbline {

/// A problem with its prompt as the model sees it.
struct Trainer::PreparedProblem {
  Problem problem;
  RenderedPrompt prompt;
  std::string prompt_hash;
};

/// What one step carries from phase to phase. Completion i belongs to group i / G; vectors have one entry a completion.
struct Trainer::StepWork {
  int64_t step = 0, version = 0;
  int64_t next_cursor = 0;
  std::vector<const PreparedProblem*> groups;
  std::vector<Rollout> rollouts;
  std::vector<std::string> texts;
  std::optional<GradingQueue> grading;
  std::vector<Verdict> verdicts;
  std::vector<std::optional<double>> rewards;
  Advantages advantages;
  std::string weight_hash;
  StepRow row;
};

namespace {

TruncatedPolicy truncated_policy_of_name(const std::string& name) {
  if (name == "keep") return TruncatedPolicy::kKeep;
  if (name == "mask") return TruncatedPolicy::kMask;
  if (name == "zero_reward") return TruncatedPolicy::kZeroReward;
  throw ConfigError("config.not_allowed", fmt::format("there is no policy \"{}\" for truncated completions", name),
                    "rollout.truncated", "choose keep, mask or zero_reward");
}

void refuse_unbuilt(bool is_built, const std::string& key, const std::string& asked, const std::string& there_is) {
  if (is_built) return;
  throw ConfigError("config.not_supported", fmt::format("{} is not there yet; there is: {}", asked, there_is), key,
                    "set " + key + " to " + there_is);
}

/// Everything that would make a step meaningless is refused before the first one.
TrainerOptions checked(TrainerOptions options) {
  const TrainOptions& train = options.train;
  const RolloutOptions& rollout = options.rollout;
  if (loss_kind_of_name(train.loss) == LossKind::kReinforcePlus &&
      ratio_level_of_name(train.ratio) != RatioLevel::kToken) {
    throw ConfigError("config.not_allowed", "REINFORCE++ has one advantage a token, a sequence ratio one a completion",
                      "train.ratio", "set it to \"token\", or choose another loss");
  }
  refuse_unbuilt(train.zero_spread == "skip" || train.zero_spread == "keep", "train.zero_spread",
                 "\"" + train.zero_spread + "\"", "\"skip\" or \"keep\"");
  refuse_unbuilt(train.teacher_mix == 0, "train.teacher_mix", "mixing in a teacher", "0");
  if (rollout.group_size < 2) {
    throw ConfigError("config.group_size", "a group of one completion has no advantage", "rollout.group_size",
                      "set it to 2 or more");
  }
  if (rollout.temperature <= 0) {
    throw ConfigError("config.temperature", "training needs sampling, not greedy decoding", "rollout.temperature",
                      "set it above 0");
  }
  if (train.betas.size() != 2) {
    throw ConfigError("config.not_allowed", "AdamW has two betas", "train.betas", "write [0.9, 0.99]");
  }
  return options;
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts, std::vector<Problem> problems, TrainerOptions options)
    : TrainingRun({parts.decoder, parts.adapter, parts.transform, parts.recorder}, checked(options), options.rollout),
      parts_(parts),
      loss_kind_(loss_kind_of_name(options_.train.loss)),
      truncated_(truncated_policy_of_name(options_.rollout.truncated)),
      stop_ids_(parts.text.stop_ids()) {
  prepare(std::move(problems));
  if (options_.rollout.top_p < 1 || options_.rollout.top_k > 0) {
    log_warning(
        "truncated sampling is off-policy: the ratio uses log-probabilities of the whole distribution; "
        "rollouts.jsonl holds both sums");
  }
  order_.emplace(options_.order_seed, static_cast<int64_t>(problems_.size()));
}

Trainer::~Trainer() = default;

std::string Trainer::console_heading() const {
  return console_note() + "\n" + console_header();
}

std::string Trainer::console_row(const StepRow& row, double eta_s) const {
  return console_line(row, eta_s);
}

void Trainer::prepare(std::vector<Problem> problems) {
  const RolloutOptions& rollout = options_.rollout;
  for (Problem& problem : problems) {
    RenderedPrompt prompt = parts_.text.render(problem);
    const int64_t num_tokens = static_cast<int64_t>(prompt.token_ids.size());
    if (num_tokens == 0) {
      throw DataError("data.empty_prompt", "a prompt renders to no tokens", "problem " + problem.id.text,
                      "give it a prompt, or choose another template");
    }
    if (num_tokens + rollout.max_new_tokens > rollout.context_tokens) {
      ++num_over_context_;
      continue;
    }
    std::string hash = prompt.hash();
    problems_.push_back({std::move(problem), std::move(prompt), std::move(hash)});
  }
  if (problems_.empty()) {
    throw ConfigError("config.no_problems",
                      fmt::format("none of {} problems fits: prompt and {} new tokens must be at most {} tokens",
                                  num_over_context_, rollout.max_new_tokens, rollout.context_tokens),
                      "rollout.context_tokens", "raise it, lower rollout.max_new_tokens, or name other problems");
  }
  log_info(prompt_line(problems_.front().prompt));
  if (num_over_context_ > 0) {
    log_warning(fmt::format("{} of {} problems are left out: their prompts do not fit into {} tokens",
                            num_over_context_, num_over_context_ + static_cast<int64_t>(problems_.size()),
                            rollout.context_tokens));
  }
}

StepRow Trainer::run_step(int64_t step) {
  PL_CHECK(step == state().step + 1, "steps are made in order");
  StepWork work;
  work.step = work.row.step = step;
  work.version = step - 1;
  PhaseTimes& times = work.row.times;
  timed(times.sample_s, [&] { sample(work); });
  timed(times.grade_s, [&] { grade(work); });
  timed(times.advantage_s, [&] { estimate_advantages(work); });
  timed(times.gradient_s, [&] { accumulate_gradients(work); });
  timed(times.transform_s, [&] { update_.transform_gradients(work.version); });
  timed(times.optimizer_s, [&] { update_.step_optimizer(work.version); });
  record(work);
  return work.row;
}

void Trainer::draw_prompts(StepWork& work) {
  work.next_cursor = state().data_cursor;
  for (int64_t p = 0; p < options_.rollout.prompts_per_step; ++p) {
    work.groups.push_back(&problems_[order_->at(work.next_cursor++)]);
  }
}

/// Decodes all completions and hands each to the grader as it ends.
void Trainer::sample(StepWork& work) {
  const RolloutOptions& rollout = options_.rollout;
  draw_prompts(work);
  work.weight_hash = parts_.adapter.weight_hash();
  std::vector<Prompt> prompts;
  for (size_t p = 0; p < work.groups.size(); ++p) {
    for (int64_t g = 0; g < rollout.group_size; ++g) {
      prompts.push_back({work.groups[p]->prompt.token_ids, static_cast<uint32_t>(p), static_cast<uint32_t>(g)});
    }
  }
  const SamplingOptions sampling{.temperature = rollout.temperature,
                                 .top_p = rollout.top_p,
                                 .top_k = rollout.top_k,
                                 .max_new_tokens = rollout.max_new_tokens,
                                 .stop_ids = stop_ids_,
                                 .seed = options_.run.seed,
                                 .step = static_cast<uint32_t>(work.version)};
  work.texts.resize(prompts.size());
  work.grading.emplace(parts_.verifier, prompts.size());
  const auto on_finished = [&](size_t i, const Rollout& finished) {
    const PreparedProblem& problem = *work.groups[prompts[i].prompt];
    work.texts[i] = parts_.text.graded_text(problem.prompt, finished.token_ids);
    work.grading->add(i, {&problem.problem, prompts[i].sample, work.texts[i], finished.token_ids});
  };
  work.rollouts = parts_.engine.generate(prompts, sampling, on_finished, [](int64_t) { stop_if_interrupted(); });
}

void Trainer::grade(StepWork& work) {
  work.verdicts = work.grading->finish();
  work.grading.reset();
  int64_t num_missing = 0;
  for (size_t i = 0; i < work.verdicts.size(); ++i) {
    std::optional<double> reward = work.verdicts[i].is_infra() ? std::nullopt : work.verdicts[i].reward;
    const bool truncated = work.rollouts[i].finish_reason == FinishReason::kLength;
    if (reward && std::isfinite(*reward) && truncated && truncated_ == TruncatedPolicy::kZeroReward) reward = 0.0;
    num_missing += reward ? 0 : 1;
    work.rewards.push_back(reward);
  }
  if (2 * num_missing > static_cast<int64_t>(work.verdicts.size())) {
    const auto first = std::find_if(work.verdicts.begin(), work.verdicts.end(),
                                    [](const Verdict& verdict) { return !verdict.reward || verdict.is_infra(); });
    throw SandboxError("sandbox.no_verdicts",
                       fmt::format("{} of {} completions could not be graded: {}", num_missing, work.verdicts.size(),
                                   first->detail.empty() ? "no detail" : first->detail),
                       fmt::format("step {}", work.step), "run `plumbline check`, then resume");
  }
}

void Trainer::estimate_advantages(StepWork& work) {
  std::vector<RewardRow> rows;
  const int64_t first_group = work.version * options_.rollout.prompts_per_step;
  for (size_t i = 0; i < work.rewards.size(); ++i) {
    rows.push_back({first_group + static_cast<int64_t>(i) / options_.rollout.group_size, work.rewards[i]});
  }
  work.advantages =
      plumbline::estimate_advantages(rows, advantage_kind_of(loss_kind_), options_.train.zero_spread == "skip");
  describe_completions(work.rollouts, work.verdicts, work.rewards, work.advantages, work.row);
  describe_rewards(work.verdicts, options_.reward_names, work.row);
  work.row.num_prompts_over_context = num_over_context_;
}

void Trainer::accumulate_gradients(StepWork& work) {
  std::vector<int64_t> num_tokens;  // that stay in token divisors
  for (size_t i = 0; i < work.rollouts.size(); ++i) {
    const bool counts = work.rewards[i].has_value() && !is_masked(work.rollouts[i]);
    num_tokens.push_back(counts ? static_cast<int64_t>(work.rollouts[i].token_ids.size()) : 0);
  }
  const RolloutOptions& rollout = options_.rollout;
  const std::vector<double> weights =
      loss_weights(loss_kind_, num_tokens, {rollout.group_size, rollout.prompts_per_step, rollout.max_new_tokens},
                   consecutive_micro_batches(static_cast<int64_t>(work.rollouts.size()), options_.run.micro_batch));
  std::vector<LearningRow> rows;
  for (size_t i = 0; i < work.rollouts.size(); ++i) {
    if (!work.advantages.in_loss_B[i] || num_tokens[i] == 0) continue;
    const auto& prompt = work.groups[i / static_cast<size_t>(rollout.group_size)]->prompt;
    rows.push_back({prompt.token_ids, work.rollouts[i].token_ids, work.rollouts[i].logprobs,
                    work.advantages.advantage_B[i], weights[i]});
  }
  update_.accumulate_gradients(rows);
}

bool Trainer::is_masked(const Rollout& rollout) const {
  return truncated_ == TruncatedPolicy::kMask && rollout.finish_reason == FinishReason::kLength;
}

/// Writes the rows, then makes the step count: until here it can be given up without a trace.
void Trainer::record(StepWork& work) {
  const double start_s = now_s();
  describe_update(update_.metrics(), options_.train.beta > 0, work.row);
  work.row.weight_hash = work.weight_hash;
  std::vector<RolloutRow> rollouts;
  for (size_t i = 0; i < work.rollouts.size(); ++i) rollouts.push_back(rollout_row(work, i));
  work.row.times.record_s = now_s() - start_s;
  finish_step(work.row, rollouts, work.next_cursor);
}

RolloutRow Trainer::rollout_row(const StepWork& work, size_t index) const {
  const size_t group_size = static_cast<size_t>(options_.rollout.group_size);
  const PreparedProblem& problem = *work.groups[index / group_size];
  const Rollout& rollout = work.rollouts[index];
  RolloutRow row;
  row.step = work.step;
  row.group_id = work.version * options_.rollout.prompts_per_step + static_cast<int64_t>(index / group_size);
  row.problem_id = problem.problem.id;
  row.sample = static_cast<int64_t>(index % group_size);
  row.prompt_hash = problem.prompt_hash;
  row.token_ids = rollout.token_ids;
  row.completion = work.texts[index];
  row.finish_reason = rollout.finish_reason == FinishReason::kStop ? "stop" : "length";
  for (const float logprob : rollout.logprobs) row.logprob_sum += static_cast<double>(logprob);
  for (const float logprob : rollout.sampled_logprobs) row.sampled_logprob_sum += static_cast<double>(logprob);
  row.verdict = work.verdicts[index];
  row.reward = work.rewards[index];
  row.advantage = work.advantages.advantage_B[index];
  row.weight_version = work.version;
  row.weight_hash = work.weight_hash;
  return row;
}

}  // namespace plumbline
