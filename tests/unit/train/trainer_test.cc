#include "plumbline/train/trainer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"
#include "tests/support/run_files.h"
#include "tests/unit/train/tiny_run.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using test::files_below;
using test::metrics_without_times;
using test::split;
using test::steps_without_times;
using test::tiny_options;
using test::TinyRun;

constexpr char kModel[] = "golden/models/qwen3";

TEST(Trainer, ResumedRunIsBitIdentical) {
  PL_NEED_SHARED(kModel);
  TrainerOptions options = tiny_options();
  options.train.checkpoint_every = 2;
  options.evaluate_every = 2;
  const auto evaluate = [](TinyRun& run) {
    return [&run](int64_t step) { run.recorder.record_evaluation(step, {{"hash", run.adapter.weight_hash()}}); };
  };
  const test::TemporaryFolder whole, resumed;
  TinyRun uninterrupted(whole.path(), options);
  uninterrupted.trainer->set_evaluation(evaluate(uninterrupted));
  uninterrupted.trainer->train();
  {
    TinyRun first(resumed.path(), options);
    first.trainer->set_evaluation(evaluate(first));
    for (int64_t step = 1; step <= 3; ++step) {  // dies in step 3, after its rows and before any checkpoint of it
      if (step == 1) first.recorder.record_evaluation(0, {{"hash", first.adapter.weight_hash()}});
      first.trainer->run_step(step);
      if (step == 2) first.trainer->save();
    }
  }
  const Checkpoint checkpoint = load_checkpoint(latest_checkpoint(resumed.path() + "/checkpoints").value());
  ASSERT_EQ(checkpoint.state.step, 2);
  TinyRun second(resumed.path(), options, 2);
  second.trainer->set_evaluation(evaluate(second));
  second.trainer->resume(checkpoint);
  second.trainer->train();

  EXPECT_EQ(steps_without_times(resumed.path()), steps_without_times(whole.path()));
  EXPECT_EQ(metrics_without_times(resumed.path()), metrics_without_times(whole.path()));
  EXPECT_EQ(read_file(resumed.file("rollouts.jsonl")), read_file(whole.file("rollouts.jsonl")));
  EXPECT_EQ(read_file(resumed.file("eval.jsonl")), read_file(whole.file("eval.jsonl")));
  const auto got = files_below(resumed.file("checkpoints")), want = files_below(whole.file("checkpoints"));
  ASSERT_EQ(want.size(), 8u);  // two checkpoints of four files
  for (const auto& [name, content] : want) EXPECT_TRUE(got.contains(name) && got.at(name) == content) << name;
  EXPECT_EQ(split(read_file(whole.file("eval.jsonl")), '\n').size(), 3u);
}

TEST(Trainer, ZeroAdapterHasExactlyNoDivergenceAndTheBaseStaysAsItWas) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), tiny_options());
  const torch::Tensor base = run.decoder->linears()[0]->base_OI.clone();
  const StepRow first = run.trainer->run_step(1), second = run.trainer->run_step(2);
  EXPECT_EQ(first.kl.value(), 0.0);
  EXPECT_GT(second.kl.value(), 0.0);
  EXPECT_EQ(first.ratio_mean, 1.0);
  EXPECT_EQ(second.ratio_mean, 1.0);
  EXPECT_TRUE(torch::equal(run.decoder->linears()[0]->base_OI, base));
}

TEST(Trainer, SamplerAndTrainerAgreeOnTheSameWeights) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), tiny_options());
  for (int64_t step = 1; step <= 3; ++step) {
    const StepRow row = run.trainer->run_step(step);
    ASSERT_TRUE(row.mismatch_max) << step;
    EXPECT_LT(*row.mismatch_max, 1e-4) << step;  // measured 5e-6: float32, the temperature on both sides
  }
}

TEST(Trainer, EqualRewardsAndNoPenaltyGiveExactlyNoGradient) {
  PL_NEED_SHARED(kModel);
  for (const char* policy : {"skip", "keep"}) {
    const test::TemporaryFolder folder;
    TrainerOptions options = tiny_options();
    options.train.beta = 0;
    options.train.zero_spread = policy;
    TinyRun run(folder.path(), options);
    run.verifier.reward = [](const GradeRequest&) { return 0.1; };
    const StepRow row = run.trainer->run_step(1);
    EXPECT_EQ(row.grad_norm, 0.0) << policy;
    EXPECT_EQ(row.num_zero_spread_groups, 2);
    EXPECT_EQ(row.num_skipped_groups, std::string(policy) == "skip" ? 2 : 0);
    EXPECT_FALSE(row.has_spread);
    EXPECT_FALSE(row.kl);
  }
}

TEST(Trainer, LearningRateZeroStaysFlat) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  options.train.lr = 0;
  options.train.steps = 5;
  TinyRun run(folder.path(), options);
  run.trainer->train();
  for (const auto& module : run.adapter.modules()) EXPECT_EQ(module.delta_R.abs().max().item<float>(), 0.0f);
  for (const std::string& line : split(read_file(folder.file("metrics.jsonl")), '\n')) {
    EXPECT_EQ(parse_json(line, "metrics").at("kl"), 0.0);
  }
}

TEST(Trainer, NaNRewardEndsTheRunAndIsNotRecorded) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), tiny_options());
  run.verifier.reward = [](const GradeRequest& request) { return request.sample == 2 ? std::nan("") : 1.0; };
  EXPECT_THROW(run.trainer->run_step(1), NumericError);
  EXPECT_TRUE(read_file(folder.file("metrics.jsonl")).empty());
  EXPECT_EQ(run.trainer->steps_done(), 0);
}

TEST(Trainer, MissingVerdictsLeaveTheirGroupUntilTheyAreTooMany) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), tiny_options());
  run.verifier.reward = [](const GradeRequest& request) {
    return request.sample < 2 ? std::optional<double>() : static_cast<double>(request.sample);
  };
  const StepRow row = run.trainer->run_step(1);
  EXPECT_EQ(row.num_infra, 4);
  EXPECT_EQ(row.reward_mean, 2.5);  // of 2 and 3: a missing verdict is not a 0
  run.verifier.reward = [](const GradeRequest& request) { return request.sample < 3 ? std::optional<double>() : 1.0; };
  EXPECT_THROW(run.trainer->run_step(2), SandboxError);
}

TEST(Trainer, EveryRolloutCarriesTheWeightsThatMadeIt) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), tiny_options());
  run.trainer->train();
  std::map<int64_t, std::set<std::string>> hashes;
  std::set<int64_t> groups;
  for (const std::string& line : split(read_file(folder.file("rollouts.jsonl")), '\n')) {
    const Json row = parse_json(line, "rollouts");
    EXPECT_EQ(row.at("weight_version"), row.at("step").get<int64_t>() - 1);
    hashes[row.at("weight_version")].insert(row.at("weight_hash").get<std::string>());
    groups.insert(row.at("group_id").get<int64_t>());
  }
  std::set<std::string> distinct;
  for (const auto& [version, of_version] : hashes) {
    EXPECT_EQ(of_version.size(), 1u);
    distinct.insert(*of_version.begin());
  }
  EXPECT_EQ(distinct.size(), 4u);
  EXPECT_EQ(groups.size(), 8u);
}

TEST(Trainer, PerturbedDeltaChangesHashAndRollouts) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder plain_folder, moved_folder;
  TinyRun plain(plain_folder.path(), tiny_options()), moved(moved_folder.path(), tiny_options());
  for (const auto& module : moved.adapter.modules()) {
    moved.adapter.set_delta(module.linear->name, torch::full_like(module.delta_R, 0.5));
  }
  moved.adapter.merge(11, 0);
  EXPECT_NE(moved.adapter.weight_hash(), plain.adapter.weight_hash());
  plain.trainer->run_step(1);
  moved.trainer->run_step(1);
  EXPECT_NE(read_file(moved_folder.file("rollouts.jsonl")), read_file(plain_folder.file("rollouts.jsonl")));
}

std::vector<Json> rollouts_in(const test::TemporaryFolder& folder) {
  std::vector<Json> rows;
  for (const std::string& line : split(read_file(folder.file("rollouts.jsonl")), '\n')) {
    if (!line.empty()) rows.push_back(parse_json(line, "rollouts"));
  }
  return rows;
}

/// The stop token that was sampled is the model's own, and learnt; nothing comes after it.
TEST(Trainer, EveryTokenOfACompletionCountsInTheLossItsStopTokenIncludedAndNoneAfterIt) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  options.rollout.max_new_tokens = 60;
  options.train.zero_spread = "keep";
  TinyRun run(folder.path(), options);
  int64_t num_learnt = 0;
  for (int64_t step = 1; step <= 3; ++step) num_learnt += run.trainer->run_step(step).num_tokens;
  const std::vector<int64_t> stop_ids = run.text.stop_ids();
  ASSERT_GT(stop_ids.size(), 1u);
  int64_t num_sampled = 0, num_stopped = 0;
  for (const Json& row : rollouts_in(folder)) {
    const auto ids = row.at("token_ids").get<std::vector<int64_t>>();
    num_sampled += static_cast<int64_t>(ids.size());
    num_stopped += row.at("finish_reason") == "stop";
    for (const int64_t id : stop_ids) EXPECT_EQ(std::find(ids.begin(), ids.end() - 1, id), ids.end() - 1);
  }
  EXPECT_GT(num_stopped, 0);
  EXPECT_EQ(num_learnt, num_sampled);
}

/// The model has random weights: what it samples is hardly ever what its own tokenizer makes of the text.
TEST(Trainer, SampledIdsThatTheirTextDoesNotGiveBackAreLearntAsTheyWereSampled) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), tiny_options());
  for (int64_t step = 1; step <= 2; ++step) EXPECT_LT(*run.trainer->run_step(step).mismatch_max, 1e-4);
  int num_changed = 0;
  for (const Json& row : rollouts_in(folder)) {
    const auto text = row.at("completion").get<std::string>();
    num_changed += run.text.tokenizer().encode(text) != row.at("token_ids").get<std::vector<int64_t>>();
  }
  EXPECT_GT(num_changed, 8);  // of 16
}

/// The ratio starts from the whole distribution's log-probability; the truncated one's is larger, by the mass that was
/// cut off, and is kept beside it.
TEST(Trainer, TruncatedSamplingIsScoredByTheWholeDistributionAndBothSumsAreKept) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  options.rollout.top_p = 0.5;
  TinyRun run(folder.path(), options);
  const StepRow row = run.trainer->run_step(1);
  EXPECT_LT(*row.mismatch_max, 1e-4);
  EXPECT_EQ(row.ratio_mean, 1.0);
  for (const Json& rollout : rollouts_in(folder)) {
    const double whole = rollout.at("logprob_sum"), truncated = rollout.at("sampled_logprob_sum");
    const auto num_tokens = static_cast<double>(rollout.at("token_ids").size());
    EXPECT_LT(whole, truncated);
    EXPECT_GT(whole, truncated + num_tokens * std::log(0.5) - 1e-4);  // at least half of the mass is kept
  }
}

int64_t resident_bytes() {
  int64_t total = 0, resident = 0;
  std::istringstream(read_file("/proc/self/statm")) >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST(Trainer, SlowMemoryIsFlatOverTwoHundredSteps) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  options.train.steps = 200;
  TinyRun run(folder.path(), options);
  int64_t at_50_bytes = 0;
  for (int64_t step = 1; step <= 200; ++step) {
    run.trainer->run_step(step);
    if (step == 50) at_50_bytes = resident_bytes();
  }
  EXPECT_LT(resident_bytes() - at_50_bytes, int64_t{4} << 20);
}

TEST(Trainer, GraderSeesTheTextWithoutTheStopToken) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  options.rollout.max_new_tokens = 60;
  TinyRun run(folder.path(), options);
  for (int64_t step = 1; step <= 3; ++step) run.trainer->run_step(step);
  const auto stop_ids = run.text.stop_ids();
  int num_stopped = 0;
  for (const std::string& line : split(read_file(folder.file("rollouts.jsonl")), '\n')) {
    const Json row = parse_json(line, "rollouts");
    const auto ids = row.at("token_ids").get<std::vector<int64_t>>();
    const bool stopped = row.at("finish_reason") == "stop";
    num_stopped += stopped;
    EXPECT_EQ(std::find(stop_ids.begin(), stop_ids.end(), ids.back()) != stop_ids.end(), stopped);
    for (const StopToken& stop : run.text.stop_tokens()) {
      EXPECT_EQ(row.at("completion").get<std::string>().find(stop.token), std::string::npos);
    }
  }
  EXPECT_GT(num_stopped, 0);
}

TEST(Trainer, TruncatedCompletionsFollowTheirPolicy) {
  PL_NEED_SHARED(kModel);
  TrainerOptions options = tiny_options();
  options.rollout.max_new_tokens = 2;  // nearly all run into the limit
  options.train.beta = 0;
  std::map<std::string, StepRow> rows;
  for (const char* policy : {"keep", "mask", "zero_reward"}) {
    const test::TemporaryFolder folder;
    options.rollout.truncated = policy;
    TinyRun run(folder.path(), options);
    rows[policy] = run.trainer->run_step(1);
  }
  ASSERT_EQ(rows["keep"].truncated_rate, 1.0);
  EXPECT_GT(rows["keep"].grad_norm, 0.0);
  EXPECT_EQ(rows["mask"].grad_norm, 0.0);
  EXPECT_EQ(rows["mask"].reward_mean, rows["keep"].reward_mean);
  EXPECT_EQ(rows["zero_reward"].reward_mean, 0.0);
}

TEST(Trainer, LongPromptsAreLeftOutAndCounted) {
  PL_NEED_SHARED(kModel);
  auto problems = test::tiny_problems();
  problems[1].prompt[0].content = std::string(2000, 'x');
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), tiny_options(), 0, problems);
  EXPECT_EQ(run.trainer->run_step(1).num_prompts_over_context, 1);
  TrainerOptions none = tiny_options();
  none.rollout.context_tokens = 9;
  const test::TemporaryFolder other;
  EXPECT_THROW(TinyRun(other.path(), none), ConfigError);
}

/// Delta after one step, all modules in one vector.
torch::Tensor delta_after_a_step(const std::string& loss, int64_t micro_batch) {
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  options.train.loss = loss;
  options.train.zero_spread = "keep";
  options.run.micro_batch = micro_batch;
  TinyRun run(folder.path(), options);
  run.trainer->run_step(1);
  std::vector<torch::Tensor> deltas;
  for (const auto& module : run.adapter.modules()) deltas.push_back(module.delta_R);
  return torch::cat(deltas);
}

TEST(Trainer, MicroBatchesChangeNoLossButBnpo) {
  PL_NEED_SHARED(kModel);
  for (const char* loss : {"dr_grpo", "grpo", "dapo", "rloo", "reinforce++", "bnpo"}) {
    const torch::Tensor whole = delta_after_a_step(loss, 8), split = delta_after_a_step(loss, 3);
    const double difference = (whole - split).norm().item<double>() / whole.norm().item<double>();
    // The first step of AdamW is the sign of the gradient: coordinates whose gradient is rounding may flip.
    if (std::string(loss) == "bnpo") {
      EXPECT_GT(difference, 0.02);
    } else {
      EXPECT_LT(difference, 1e-3) << loss;
    }
  }
}

TEST(Trainer, WhatIsNotBuiltOrMeaninglessIsRefused) {
  PL_NEED_SHARED(kModel);
  const std::vector<std::function<void(TrainerOptions&)>> changes = {
      [](auto& options) { options.train.loss = "ppo"; },
      [](auto& options) { options.train.kl = "k4"; },
      [](auto& options) {
        options.train.loss = "reinforce++";
        options.train.ratio = "sequence";
      },
      [](auto& options) { options.train.teacher_mix = 0.5; },  // and no pool
      [](auto& options) { options.train.stop_when = {"hack_rate > 1"}; },
      [](auto& options) { options.rollout.group_size = 1; },
      [](auto& options) { options.rollout.temperature = 0; },
      [](auto& options) { options.train.betas = {0.9}; },
      [](auto& options) { options.rollout.truncated = "drop"; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    const test::TemporaryFolder folder;
    TrainerOptions options = tiny_options();
    changes[i](options);
    EXPECT_THROW(TinyRun(folder.path(), options), ConfigError) << i;
  }
}

TEST(Trainer, CheckpointOfAnotherSeedIsRefused) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  std::string saved;
  {
    TinyRun run(folder.path(), options);
    run.trainer->run_step(1);
    saved = run.trainer->save();
  }
  options.run.seed = 12;
  TinyRun other(folder.path(), options, 1);
  EXPECT_THROW(other.trainer->resume(load_checkpoint(saved)), DataError);
}

/// The interrupt flag of a process cannot be taken back, so this runs in one of its own.
TEST(TrainerDeathTest, InterruptGivesUpTheStepAndSavesTheLastWholeOne) {
  PL_NEED_SHARED(kModel);
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto interrupted_run = [] {
    const test::TemporaryFolder folder;
    TinyRun run(folder.path(), tiny_options());
    watch_interrupts();
    run.verifier.reward = [&run](const GradeRequest& request) {  // with spread, so that there is a gradient to give up
      if (run.trainer->steps_done() == 1 && !interrupt_requested()) std::raise(SIGINT);
      return static_cast<double>(request.sample);
    };
    try {
      run.trainer->train();
    } catch (const Interrupted& stop) {
      const Checkpoint checkpoint = load_checkpoint(latest_checkpoint(folder.file("checkpoints")).value());
      EXPECT_EQ(keep_rows_until(folder.file("steps.tsv"), 99), 1) << "the step given up left a row";
      if (testing::Test::HasFailure()) std::exit(1);
      std::fprintf(stderr, "%s; at step %d\n", stop.message().c_str(), static_cast<int>(checkpoint.state.step));
      std::exit(static_cast<int>(stop.exit_code()));
    }
  };
  EXPECT_EXIT(interrupted_run(), testing::ExitedWithCode(130), "Go on with: plumbline train --resume RUN; at step 1");
}

std::vector<Json> rows_in(const std::string& path) {
  std::vector<Json> rows;
  for (const std::string& line : split(read_file(path), '\n')) rows.push_back(parse_json(line, path));
  return rows;
}

TEST(Trainer, ResamplingReplacesGroupsWithoutSpreadUntilItsBudgetIsUsedUp) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder, vain_folder;
  TrainerOptions options = tiny_options();
  options.train.zero_spread = "resample";
  options.train.max_resamples = 3;
  options.train.beta = 0;
  TinyRun run(folder.path(), options);
  // Problems 100 and 101 teach nothing, the others do.
  run.verifier.reward = [](const GradeRequest& request) {
    return request.problem->id.text < "102" ? 1.0 : static_cast<double>(request.sample);
  };
  int64_t num_drawn = 0;
  for (int64_t step = 1; step <= 4; ++step) {
    const StepRow row = run.trainer->run_step(step);
    EXPECT_EQ(row.num_groups - row.num_skipped_groups, 2) << step;
    EXPECT_EQ(row.num_groups, 2 + row.num_resampled_groups);
    EXPECT_EQ(row.num_completions, 4 * row.num_groups);
    EXPECT_GT(row.grad_norm, 0);
    num_drawn += row.num_resampled_groups;
  }
  EXPECT_GT(num_drawn, 0);
  std::set<int64_t> groups;
  std::map<int64_t, int> size;
  for (const Json& row : rows_in(folder.file("rollouts.jsonl"))) {
    groups.insert(row.at("group_id").get<int64_t>());
    ++size[row.at("group_id").get<int64_t>()];
  }
  EXPECT_EQ(groups.size(), static_cast<size_t>(8 + num_drawn));
  for (const auto& [group, count] : size) EXPECT_EQ(count, 4) << group;

  TinyRun vain(vain_folder.path(), options);
  vain.verifier.reward = [](const GradeRequest&) { return 1.0; };
  const StepRow row = vain.trainer->run_step(1);
  EXPECT_EQ(row.num_resampled_groups, 3);
  EXPECT_EQ(row.grad_norm, 0.0);
}

TEST(Trainer, ResamplingThatIsNotNeededChangesNothing) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder plain_folder, folder;
  TrainerOptions options = tiny_options();
  TinyRun plain(plain_folder.path(), options);
  options.train.zero_spread = "resample";
  TinyRun other(folder.path(), options);
  for (TinyRun* run : {&plain, &other}) {
    run->verifier.reward = [](const GradeRequest& request) { return static_cast<double>(request.sample); };
    run->trainer->run_step(1);
  }
  EXPECT_EQ(plain.adapter.weight_hash(), other.adapter.weight_hash());
}

std::vector<Completion> pool_of(const std::vector<Problem>& problems) {
  std::vector<Completion> pool;
  for (const Problem& problem : problems) {
    for (int64_t sample = 0; sample < 3; ++sample) {
      pool.push_back({problem.id, sample, "It is " + std::to_string(sample) + ".", {}, "stop", {}});
    }
  }
  return pool;
}

TEST(Trainer, TeachersCompletionsAreTheirShareOfEveryGroupAndAreGradedLikeTheOthers) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  TrainerOptions options = tiny_options();
  options.train.teacher_mix = 0.5;
  options.rollout.max_new_tokens = 16;
  TinyRun run(folder.path(), options, 0, test::tiny_problems(), nullptr, pool_of(test::tiny_problems()));
  const StepRow row = run.trainer->run_step(1);
  EXPECT_EQ(row.num_teacher, 4);
  EXPECT_GT(row.grad_norm, 0);
  for (const Json& rollout : rows_in(folder.file("rollouts.jsonl"))) {
    const bool is_stored = rollout.at("sample") >= 2;
    EXPECT_EQ(rollout.contains("source"), is_stored);
    EXPECT_EQ(rollout.at("logprob_sum").is_null(), is_stored);
    EXPECT_TRUE(rollout.at("reward").is_number());
    if (!is_stored) continue;
    EXPECT_EQ(rollout.at("completion").get<std::string>().substr(0, 6), "It is ");
    EXPECT_EQ(rollout.at("finish_reason"), "stop");
  }
}

TEST(Trainer, WhatTheModelSamplesDoesNotDependOnTheTeacher) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder plain_folder, folder;
  TrainerOptions options = tiny_options();
  options.rollout.max_new_tokens = 16;
  TinyRun plain(plain_folder.path(), options);
  plain.trainer->run_step(1);
  options.train.teacher_mix = 0.25;
  TinyRun mixed(folder.path(), options, 0, test::tiny_problems(), nullptr, pool_of(test::tiny_problems()));
  mixed.trainer->run_step(1);
  const auto want = rows_in(plain_folder.file("rollouts.jsonl")), got = rows_in(folder.file("rollouts.jsonl"));
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].at("token_ids") == want[i].at("token_ids"), i % 4 != 3) << i;
  }
}

/// Takes 10 off the reward of sample 1 and screens sample 2 out.
class SomeMonitor final : public RewardTransform {
 public:
  TransformedRewards apply(const GradedStep& step) const override {
    TransformedRewards result{{step.reward_B.begin(), step.reward_B.end()}, {{"seen", 1.0}}};
    for (size_t i = 0; i < result.reward_B.size(); ++i) {
      if (i % 4 == 1) *result.reward_B[i] -= 10;
      if (i % 4 == 2) result.reward_B[i].reset();
    }
    return result;
  }
};

TEST(Trainer, AMonitorChangesAdvantagesAndLeavesTheTrustedFiguresAlone) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder plain_folder, folder;
  TinyRun plain(plain_folder.path(), tiny_options());
  const SomeMonitor monitor;
  TinyRun watched(folder.path(), tiny_options(), 0, test::tiny_problems(), &monitor);
  const StepRow want = plain.trainer->run_step(1), got = watched.trainer->run_step(1);
  EXPECT_EQ(got.reward_mean, want.reward_mean);
  EXPECT_EQ(got.pass_rate, want.pass_rate);
  EXPECT_EQ(got.hack_rate, want.hack_rate);
  EXPECT_EQ(got.num_infra, 0);  // screened out is not broken
  EXPECT_EQ(got.monitor.at("seen"), 1.0);
  const auto plain_rows = rows_in(plain_folder.file("rollouts.jsonl")), rows = rows_in(folder.file("rollouts.jsonl"));
  for (size_t i = 0; i < rows.size(); ++i) {
    Json own = rows[i].at("verdict"), other = plain_rows[i].at("verdict");
    EXPECT_EQ(own, other) << i;
    EXPECT_EQ(rows[i].at("reward").is_null(), i % 4 == 2);
    if (i % 4 == 1) EXPECT_EQ(rows[i].at("reward").get<double>(), plain_rows[i].at("reward").get<double>() - 10);
    if (i % 4 == 1) EXPECT_LT(rows[i].at("advantage").get<double>(), 0);
    if (i % 4 == 2) EXPECT_EQ(rows[i].at("advantage").get<double>(), 0);
  }
}

TEST(Trainer, ARuleOfThePresetEndsTheRunAndAResumedOneToo) {
  PL_NEED_SHARED(kModel);
  TrainerOptions options = tiny_options();
  options.train.steps = 10;
  options.train.stop_when = {"reward >= 1 for 3 steps"};
  options.train.onset_steps = 2;
  const test::TemporaryFolder whole, resumed;
  const auto paid = [](const GradeRequest& request) {
    return std::optional(2.0 + static_cast<double>(request.sample % 2) / 2);
  };
  TinyRun run(whole.path(), options);
  run.verifier.reward = paid;
  run.trainer->train();
  EXPECT_EQ(run.trainer->steps_done(), 3);
  EXPECT_EQ(run.trainer->stopped_by(), "reward >= 1 for 3 steps");
  {
    TinyRun first(resumed.path(), options);
    first.verifier.reward = paid;
    first.trainer->run_step(1);
    first.trainer->run_step(2);
    first.trainer->save();
  }
  const Checkpoint checkpoint = load_checkpoint(latest_checkpoint(resumed.path() + "/checkpoints").value());
  EXPECT_EQ(checkpoint.state.stop_counts, (std::vector<int64_t>{2}));
  TinyRun second(resumed.path(), options, 2);
  second.verifier.reward = paid;
  second.trainer->resume(checkpoint);
  second.trainer->train();
  EXPECT_EQ(second.trainer->steps_done(), 3);
  EXPECT_EQ(metrics_without_times(resumed.path()), metrics_without_times(whole.path()));
}

TEST(Trainer, TheOnsetOfHackingIsInEveryRowFromThenOn) {
  PL_NEED_SHARED(kModel);
  TrainerOptions options = tiny_options();
  options.train.steps = 5;
  options.train.onset_steps = 2;
  const test::TemporaryFolder folder;
  TinyRun run(folder.path(), options);
  int64_t step = 0;
  run.verifier.reward = [&](const GradeRequest& request) {  // 2 is a hack in this grader, 3 a pass
    return std::optional(step >= 2 && request.sample > 0 ? 2.0 : 3.0);
  };
  for (step = 1; step <= 4; ++step) {
    const StepRow row = run.trainer->run_step(step);
    EXPECT_EQ(row.onset_step, step >= 3 ? std::optional<int64_t>(2) : std::nullopt) << step;
  }
}

}  // namespace
}  // namespace plumbline
