#include "plumbline/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plumbline/base/check.h"
#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/base/resident_memory.h"
#include "plumbline/base/rng.h"
#include "plumbline/train/grading_queue.h"
#include "plumbline/train/loss_weight.h"
#include "plumbline/train/response_states.h"
#include "plumbline/train/step_summary.h"
#include "plumbline/train/stored_completion.h"

namespace plumbline {

/// A problem with its prompt as the model sees it.
struct Trainer::PreparedProblem {
  Problem problem;
  RenderedPrompt prompt;
  std::string prompt_hash;
  std::vector<Rollout> pool;  ///< stored completions, as if they had been sampled, without log-probabilities
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
  std::vector<std::optional<double>> rewards;           ///< as graded
  std::vector<std::optional<double>> training_rewards;  ///< as the monitor leaves them
  std::vector<bool> from_pool;
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

/// Everything that would make a step meaningless is refused before the first one.
TrainerOptions checked(TrainerOptions options) {
  const TrainOptions& train = options.train;
  const RolloutOptions& rollout = options.rollout;
  if (loss_kind_of_name(train.loss) == LossKind::kReinforcePlus &&
      ratio_level_of_name(train.ratio) != RatioLevel::kToken) {
    throw ConfigError("config.not_allowed", "REINFORCE++ has one advantage a token, a sequence ratio one a completion",
                      "train.ratio", "set it to \"token\", or choose another loss");
  }
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

Trainer::Trainer(const TrainerParts& parts, std::vector<Problem> problems, TrainerOptions options,
                 const std::vector<Completion>& pool)
    : TrainingRun({parts.decoder, parts.adapter, parts.transform, parts.recorder}, checked(options), options.rollout),
      parts_(parts),
      loss_kind_(loss_kind_of_name(options_.train.loss)),
      truncated_(truncated_policy_of_name(options_.rollout.truncated)),
      stop_ids_(parts.text.stop_ids()) {
  prepare(std::move(problems));
  if (options_.train.teacher_mix > 0) add_pool(pool);
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
    problems_.push_back({std::move(problem), std::move(prompt), std::move(hash), {}});
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
  work.next_cursor = state().data_cursor;
  work.weight_hash = parts_.adapter.weight_hash();
  draw_groups(work, options_.rollout.prompts_per_step);
  sample_and_grade(work);
  if (options_.train.zero_spread == "resample") resample(work);
  timed(times.advantage_s, [&] {
    apply_monitor(work);
    estimate_advantages(work);
  });
  timed(times.gradient_s, [&] { measure_alignment(work); });
  timed(times.gradient_s, [&] { accumulate_gradients(work); });
  timed(times.transform_s, [&] { update_.transform_gradients(work.version); });
  timed(times.optimizer_s, [&] { update_.step_optimizer(work.version); });
  record(work);
  return work.row;
}

/// What the pool has for problems of this run. Throws ConfigError(config.no_problems) when that is nothing.
void Trainer::add_pool(const std::vector<Completion>& pool) {
  std::map<ProblemId, PreparedProblem*> by_id;
  for (PreparedProblem& problem : problems_) by_id.emplace(problem.problem.id, &problem);
  size_t num_used = 0, num_problems = 0;
  for (const Completion& completion : pool) {
    const auto found = by_id.find(completion.problem_id);
    if (found == by_id.end()) continue;
    Rollout rollout;
    rollout.token_ids = stored_completion_ids(parts_.text, found->second->prompt, completion);
    const bool is_cut = completion.finish_reason == "length";
    rollout.finish_reason = is_cut ? FinishReason::kLength : FinishReason::kStop;
    const auto length = static_cast<int64_t>(rollout.token_ids.size());
    if (length > options_.rollout.max_new_tokens) continue;
    num_problems += found->second->pool.empty();
    ++num_used;
    found->second->pool.push_back(std::move(rollout));
  }
  if (num_used == 0) {
    throw ConfigError("config.no_problems",
                      fmt::format("none of {} stored completions answers a problem of the run within {} tokens",
                                  pool.size(), options_.rollout.max_new_tokens),
                      "data.completions", "name completions of data.problems, or set train.teacher_mix = 0.0");
  }
  log_info(fmt::format("pool: {} of {} stored completions, for {} of {} problems", num_used, pool.size(), num_problems,
                       problems_.size()));
}

void Trainer::draw_groups(StepWork& work, int64_t count) {
  for (int64_t p = 0; p < count; ++p) work.groups.push_back(&problems_[order_->at(work.next_cursor++)]);
}

/// Decodes the completions of the groups that have none and hands each to the grader as it ends.
void Trainer::sample(StepWork& work) {
  const RolloutOptions& rollout = options_.rollout;
  const size_t begin = work.rollouts.size(), group_size = static_cast<size_t>(rollout.group_size);
  work.rollouts.resize(work.groups.size() * group_size);
  work.texts.resize(work.rollouts.size());
  work.from_pool.resize(work.rollouts.size(), false);
  work.grading.emplace(parts_.verifier, work.rollouts.size() - begin);
  take_from_pool(work, begin);
  std::vector<Prompt> prompts;
  std::vector<size_t> place;  // of each prompt's completion
  for (size_t i = begin; i < work.rollouts.size(); ++i) {
    if (work.from_pool[i]) continue;
    const size_t p = i / group_size;
    prompts.push_back(
        {work.groups[p]->prompt.token_ids, static_cast<uint32_t>(p), static_cast<uint32_t>(i % group_size)});
    place.push_back(i);
  }
  const SamplingOptions sampling{.temperature = rollout.temperature,
                                 .top_p = rollout.top_p,
                                 .top_k = rollout.top_k,
                                 .max_new_tokens = rollout.max_new_tokens,
                                 .stop_ids = stop_ids_,
                                 .seed = options_.run.seed,
                                 .step = static_cast<uint32_t>(work.version)};
  const auto hand_in = [&](size_t i, const Rollout& finished) {
    const PreparedProblem& problem = *work.groups[i / group_size];
    work.texts[i] = parts_.text.graded_text(problem.prompt, finished.token_ids);
    work.grading->add(i - begin,
                      {&problem.problem, static_cast<int64_t>(i % group_size), work.texts[i], finished.token_ids});
  };
  for (size_t i = begin; i < work.rollouts.size(); ++i) {
    if (work.from_pool[i]) hand_in(i, work.rollouts[i]);
  }
  const auto on_finished = [&](size_t i, const Rollout& finished) { hand_in(place[i], finished); };
  std::vector<Rollout> sampled =
      parts_.engine.generate(prompts, sampling, on_finished, [](int64_t) { stop_if_interrupted(); });
  for (size_t i = 0; i < sampled.size(); ++i) work.rollouts[place[i]] = std::move(sampled[i]);
}

/// The last samples of every group whose problem has stored completions: a share of train.teacher_mix, rounded to the
/// nearest, each drawn from the pool by a stream of its own.
void Trainer::take_from_pool(StepWork& work, size_t begin) {
  const auto group_size = static_cast<size_t>(options_.rollout.group_size);
  const auto num_taken =
      static_cast<size_t>(std::llround(options_.train.teacher_mix * static_cast<double>(options_.rollout.group_size)));
  for (size_t i = begin; i < work.rollouts.size(); ++i) {
    const std::vector<Rollout>& pool = work.groups[i / group_size]->pool;
    if (pool.empty() || i % group_size < group_size - num_taken) continue;
    CounterRng rng({.seed = options_.run.seed,
                    .stream = Stream::kTeacherPool,
                    .step = static_cast<uint32_t>(work.version),
                    .prompt = static_cast<uint32_t>(i / group_size),
                    .sample = static_cast<uint32_t>(i % group_size)});
    work.rollouts[i] = pool[rng.next_below(pool.size())];
    work.from_pool[i] = true;
    ++work.row.num_teacher;
  }
}

/// Collects the verdicts that are on their way.
void Trainer::grade(StepWork& work) {
  std::vector<Verdict> verdicts = work.grading->finish();
  work.grading.reset();
  int64_t num_missing = 0;
  for (Verdict& verdict : verdicts) {
    std::optional<double> reward = verdict.is_infra() ? std::nullopt : verdict.reward;
    const bool truncated = work.rollouts[work.verdicts.size()].finish_reason == FinishReason::kLength;
    if (reward && std::isfinite(*reward) && truncated && truncated_ == TruncatedPolicy::kZeroReward) reward = 0.0;
    num_missing += reward ? 0 : 1;
    work.rewards.push_back(reward);
    work.verdicts.push_back(std::move(verdict));
  }
  if (2 * num_missing > static_cast<int64_t>(verdicts.size())) {
    const auto first = std::find_if(work.verdicts.begin(), work.verdicts.end(),
                                    [](const Verdict& verdict) { return !verdict.reward || verdict.is_infra(); });
    throw SandboxError("sandbox.no_verdicts",
                       fmt::format("{} of {} completions could not be graded: {}", num_missing, verdicts.size(),
                                   first->detail.empty() ? "no detail" : first->detail),
                       fmt::format("step {}", work.step), "run `plumbline check`, then resume");
  }
}

void Trainer::sample_and_grade(StepWork& work) {
  timed(work.row.times.sample_s, [&] { sample(work); });
  timed(work.row.times.grade_s, [&] { grade(work); });
}

/// Draws further prompts, a group for every one without spread, until the step has its number of groups that teach or
/// train.max_resamples is used up. What is drawn in vain stays in the records and rates, and leaves the loss.
void Trainer::resample(StepWork& work) {
  for (;;) {
    const Advantages so_far = plumbline::estimate_advantages(reward_rows(work), advantage_kind_of(loss_kind_), true);
    const auto num_groups = static_cast<int64_t>(work.groups.size());
    const int64_t num_kept = num_groups - so_far.num_skipped_groups();
    const int64_t left = options_.train.max_resamples - (num_groups - options_.rollout.prompts_per_step);
    const int64_t count = std::min(options_.rollout.prompts_per_step - num_kept, left);
    if (count <= 0) break;
    draw_groups(work, count);
    sample_and_grade(work);
  }
  work.row.num_resampled_groups = static_cast<int64_t>(work.groups.size()) - options_.rollout.prompts_per_step;
}

int64_t Trainer::group_id(const StepWork& work, size_t index) const {
  const int64_t may_draw = options_.train.zero_spread == "resample" ? options_.train.max_resamples : 0;
  return work.version * (options_.rollout.prompts_per_step + may_draw) +
         static_cast<int64_t>(index) / options_.rollout.group_size;
}

std::vector<RewardRow> Trainer::reward_rows(const StepWork& work) const {
  const auto& rewards = work.training_rewards.empty() ? work.rewards : work.training_rewards;
  std::vector<RewardRow> rows;
  for (size_t i = 0; i < rewards.size(); ++i) rows.push_back({group_id(work, i), rewards[i]});
  return rows;
}

/// Verdicts and the rewards as graded stay what they are.
void Trainer::apply_monitor(StepWork& work) {
  work.training_rewards = work.rewards;
  if (!parts_.monitor) return;
  for (const std::optional<double>& reward : work.rewards) {
    if (reward && !std::isfinite(*reward)) return;  // estimate_advantages says what is wrong with it
  }
  std::vector<double> scores;
  if (const HiddenReading* reading = parts_.monitor->reading()) {
    std::vector<SequenceRow> rows;
    for (size_t i = 0; i < work.rollouts.size(); ++i) {
      rows.push_back({work.groups[i / static_cast<size_t>(options_.rollout.group_size)]->prompt.token_ids,
                      work.rollouts[i].token_ids});
    }
    scores = response_scores(parts_.decoder, rows, *reading, options_.run.micro_batch);
  }
  TransformedRewards changed = parts_.monitor->apply({.version = work.version,
                                                      .group_size = options_.rollout.group_size,
                                                      .reward_B = work.rewards,
                                                      .verdict_B = work.verdicts,
                                                      .score_B = scores});
  work.training_rewards = std::move(changed.reward_B);
  work.row.monitor = std::move(changed.metrics);
}

void Trainer::estimate_advantages(StepWork& work) {
  const bool skips = options_.train.zero_spread != "keep";
  work.advantages = plumbline::estimate_advantages(reward_rows(work), advantage_kind_of(loss_kind_), skips);
  describe_completions(work.rollouts, work.verdicts, work.rewards, work.advantages, work.row);
  describe_rewards(work.verdicts, options_.reward_names, work.row);
  work.row.num_prompts_over_context = num_over_context_;
}

/// The gradient of the model's own hacking completions minus its others, beside the direction. Unset in steps that have
/// only one kind.
void Trainer::measure_alignment(StepWork& work) {
  const int64_t every = options_.alignment_every;
  if (every <= 0 || work.version % every != 0) return;
  std::vector<LearningRow> hacks, others;
  for (size_t i = 0; i < work.rollouts.size(); ++i) {
    if (!work.rewards[i] || work.from_pool[i] || work.rollouts[i].token_ids.empty()) continue;
    LearningRow row;
    row.prompt_ids = work.groups[i / static_cast<size_t>(options_.rollout.group_size)]->prompt.token_ids;
    row.completion_ids = work.rollouts[i].token_ids;
    const bool is_hack = options_.alignment_by_vacuous ? work.verdicts[i].vacuous : work.verdicts[i].hacked();
    (is_hack ? hacks : others).push_back(row);
  }
  if (hacks.empty() || others.empty()) return;
  work.row.alignment = parts_.transform.mean_cosine(update_.contrast_gradient(hacks, others));
}

void Trainer::accumulate_gradients(StepWork& work) {
  const bool drops_unused = options_.train.zero_spread == "resample";
  std::vector<int64_t> num_tokens;  // that stay in token divisors
  for (size_t i = 0; i < work.rollouts.size(); ++i) {
    const bool counts = work.training_rewards[i].has_value() && !is_masked(work.rollouts[i]) &&
                        (!drops_unused || work.advantages.in_loss_B[i]);
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
  work.row.resident_mib = resident_mib();
  finish_step(work.row, rollouts, work.next_cursor);
}

RolloutRow Trainer::rollout_row(const StepWork& work, size_t index) const {
  const size_t group_size = static_cast<size_t>(options_.rollout.group_size);
  const PreparedProblem& problem = *work.groups[index / group_size];
  const Rollout& rollout = work.rollouts[index];
  RolloutRow row;
  row.step = work.step;
  row.group_id = group_id(work, index);
  row.problem_id = problem.problem.id;
  row.sample = static_cast<int64_t>(index % group_size);
  row.prompt_hash = problem.prompt_hash;
  row.token_ids = rollout.token_ids;
  row.completion = work.texts[index];
  row.finish_reason = rollout.finish_reason == FinishReason::kStop ? "stop" : "length";
  for (const float logprob : rollout.logprobs) row.logprob_sum += static_cast<double>(logprob);
  for (const float logprob : rollout.sampled_logprobs) row.sampled_logprob_sum += static_cast<double>(logprob);
  row.verdict = work.verdicts[index];
  row.reward = work.training_rewards[index];
  row.is_teacher = work.from_pool[index];
  row.advantage = work.advantages.advantage_B[index];
  row.weight_version = work.version;
  row.weight_hash = work.weight_hash;
  return row;
}

}  // namespace plumbline
