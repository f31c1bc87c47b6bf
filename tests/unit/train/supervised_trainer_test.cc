#include "plumbline/train/supervised_trainer.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/train/stored_completion.h"
#include "tests/support/run_files.h"
#include "tests/unit/train/tiny_run.h"

namespace plumbline {
namespace {

constexpr char kModel[] = "golden/models/qwen3";

TrainerOptions supervised_options() {
  TrainerOptions options = test::tiny_options();
  options.train.objective = "sft";
  options.train.beta = 0;
  options.train.batch_size = 3;
  options.train.steps = 4;
  return options;
}

SupervisedData supervised_data() {
  SupervisedData data{test::tiny_problems(), {}};
  for (size_t i = 0; i < data.problems.size(); ++i) {
    for (int64_t sample = 0; sample < 2; ++sample) {
      data.completions.push_back({data.problems[i].id, sample, "It is " + std::to_string(i + 2) + ".", {}, "stop", {}});
    }
  }
  return data;
}

/// Everything is made anew by each object, as by a new process.
struct SupervisedRun {
  SupervisedRun(const std::string& folder, TrainerOptions options, int64_t resume_step = 0,
                const SupervisedData& data = supervised_data(), torch::ScalarType dtype = torch::kFloat32)
      : decoder(load_decoder(test::shared_path(kModel), dtype, torch::kCPU)),
        adapter(*decoder, {"attn-mlp"}, MergeRounding::kNearest, false),
        text(ModelText::load(test::shared_path(kModel))),
        recorder(folder, resume_step, {}, false) {
    at::set_num_threads(1);
    options.checkpoints_folder = folder + "/checkpoints";
    trainer = std::make_unique<SupervisedTrainer>(RunParts{*decoder, adapter, transform, recorder}, text, data,
                                                  std::move(options));
  }
  std::unique_ptr<Decoder> decoder;
  SvdAdapter adapter;
  IdentityTransform transform;
  ModelText text;
  RunRecorder recorder;
  std::unique_ptr<SupervisedTrainer> trainer;
};

/// Mean NLL a token over all completions, from the definition: whole logits, one sequence at a time.
double mean_nll(SupervisedRun& run, const SupervisedData& data) {
  double sum = 0;
  int64_t count = 0;
  for (const Completion& completion : data.completions) {
    const auto problem = std::find_if(data.problems.begin(), data.problems.end(),
                                      [&](const Problem& own) { return own.id == completion.problem_id; });
    std::vector<int64_t> ids = run.text.render(*problem).token_ids;
    const int64_t begin = static_cast<int64_t>(ids.size());
    for (const int64_t id : run.text.tokenizer().encode(completion.completion)) ids.push_back(id);
    ids.push_back(run.text.tokenizer().id_of(run.text.special_tokens().at("eos_token")));
    const int64_t length = static_cast<int64_t>(ids.size());
    ForwardBatch batch;
    batch.ids_BT = torch::tensor(ids, torch::kInt64).view({1, length});
    batch.positions_BT = torch::arange(length, torch::kInt64).view({1, length});
    const torch::NoGradGuard no_grad;
    const torch::Tensor logp_TV = torch::log_softmax(run.decoder->logits(run.decoder->hidden(batch)[0]), -1);
    for (int64_t t = begin; t < length; ++t) sum -= logp_TV[t - 1][ids[static_cast<size_t>(t)]].item<double>();
    count += length - begin;
  }
  return sum / static_cast<double>(count);
}

TEST(SupervisedTrainer, LossIsTheMeanNegativeLogLikelihoodOfTheStepsTokens) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  const SupervisedData data = supervised_data();
  TrainerOptions options = supervised_options();
  options.train.batch_size = static_cast<int64_t>(data.completions.size());
  SupervisedRun run(folder.path(), options, 0, data, torch::kFloat64);
  const double want = mean_nll(run, data);
  const StepRow row = run.trainer->run_step(1);
  EXPECT_NEAR(row.loss, want, 1e-9 * want);
  EXPECT_LT(mean_nll(run, data), want);
}

/// AdamW's first step is the sign of the gradient; so the gradient itself is seen with a plain one: its direction is
/// checked against central differences of the loss by definition.
TEST(SupervisedTrainer, GradientAgreesWithFiniteDifferences) {
  PL_NEED_SHARED(kModel);
  class Keeper final : public GradientTransform {
   public:
    torch::Tensor gradient(const std::string& module, const torch::Tensor& gradient_R) override {
      return seen[module] = gradient_R.clone();
    }
    torch::Tensor update(const std::string&, const torch::Tensor& old_R, const torch::Tensor&) override {
      return old_R;
    }
    std::map<std::string, torch::Tensor> seen;
  };
  const test::TemporaryFolder folder;
  const SupervisedData data = supervised_data();
  TrainerOptions options = supervised_options();
  options.train.batch_size = static_cast<int64_t>(data.completions.size());
  SupervisedRun run(folder.path(), options, 0, data, torch::kFloat64);
  Keeper keeper;
  SupervisedTrainer trainer({*run.decoder, run.adapter, keeper, run.recorder}, run.text, data, options);
  trainer.run_step(1);
  const double h = 1e-5;
  size_t checked = 0;
  for (size_t i = 0; i < run.adapter.modules().size(); i += 5) {
    const auto& module = run.adapter.modules()[i];
    const int64_t coordinate = module.delta_R.numel() / 2;
    double sides[2];
    for (const int side : {0, 1}) {
      torch::Tensor moved = torch::zeros_like(module.delta_R);
      moved[coordinate] = side ? h : -h;
      run.adapter.set_delta(module.linear->name, moved);
      run.adapter.merge(0, 0);
      sides[side] = mean_nll(run, data);
    }
    run.adapter.set_delta(module.linear->name, torch::zeros_like(module.delta_R));
    EXPECT_NEAR(keeper.seen.at(module.linear->name)[coordinate].item<double>(), (sides[1] - sides[0]) / (2 * h), 1e-7)
        << module.linear->name;
    ++checked;
  }
  EXPECT_GT(checked, 2u);
}

TEST(SupervisedTrainer, MicroBatchesChangeNothing) {
  PL_NEED_SHARED(kModel);
  std::vector<double> losses, norms;
  for (const int64_t micro_batch : {1, 2, 8}) {
    const test::TemporaryFolder folder;
    TrainerOptions options = supervised_options();
    options.train.batch_size = 8;
    options.run.micro_batch = micro_batch;
    SupervisedRun run(folder.path(), options, 0, supervised_data(), torch::kFloat64);
    const StepRow row = run.trainer->run_step(1);
    losses.push_back(row.loss);
    norms.push_back(row.grad_norm);
  }
  for (size_t i = 1; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], losses[0], 1e-10);
    EXPECT_NEAR(norms[i], norms[0], 1e-8 * norms[0]);
  }
}

TEST(SupervisedTrainer, ResumedRunIsBitIdentical) {
  PL_NEED_SHARED(kModel);
  TrainerOptions options = supervised_options();
  options.train.checkpoint_every = 2;
  const test::TemporaryFolder whole, resumed;
  SupervisedRun(whole.path(), options).trainer->train();
  {
    SupervisedRun first(resumed.path(), options);
    for (int64_t step = 1; step <= 3; ++step) {  // dies after step 3, with a checkpoint of step 2
      first.trainer->run_step(step);
      if (step == 2) first.trainer->save();
    }
  }
  const Checkpoint checkpoint = load_checkpoint(latest_checkpoint(resumed.path() + "/checkpoints").value());
  SupervisedRun second(resumed.path(), options, 2);
  second.trainer->resume(checkpoint);
  second.trainer->train();
  EXPECT_EQ(test::steps_without_times(resumed.path()), test::steps_without_times(whole.path()));
  EXPECT_EQ(test::metrics_without_times(resumed.path()), test::metrics_without_times(whole.path()));
  EXPECT_EQ(test::files_below(resumed.path() + "/checkpoints"), test::files_below(whole.path() + "/checkpoints"));
}

TEST(SupervisedTrainer, WhatWasNotMeasuredIsNotANumber) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder folder;
  SupervisedRun run(folder.path(), supervised_options());
  run.trainer->train();
  const Json row = parse_json(test::split(read_file(folder.file("metrics.jsonl")), '\n').at(0), "metrics");
  for (const char* absent : {"reward", "pass_rate", "hack_rate", "kl", "frac_reward_zero_std", "num_infra"}) {
    EXPECT_FALSE(row.contains(absent)) << absent;
  }
  EXPECT_TRUE(row.at("loss").is_number());
  EXPECT_EQ(row.at("num_completions"), 3);
  EXPECT_EQ(read_file(folder.file("rollouts.jsonl")), "");
}

TEST(SupervisedTrainer, CutCompletionsHaveNoClosingTokenAndLongOnesAreCounted) {
  PL_NEED_SHARED(kModel);
  const ModelText text = ModelText::load(test::shared_path(kModel));
  const SupervisedData data = supervised_data();
  const RenderedPrompt prompt = text.render(data.problems[0]);
  Completion completion = data.completions[0];
  const auto whole = stored_completion_ids(text, prompt, completion);
  completion.finish_reason = "length";
  const auto cut = stored_completion_ids(text, prompt, completion);
  EXPECT_EQ(cut.size() + 1, whole.size());
  EXPECT_EQ(text.tokenizer().decode_text(cut), "It is 2.");
  completion.completion = "";
  EXPECT_THROW(stored_completion_ids(text, prompt, completion), DataError);

  SupervisedData mixed = data;
  mixed.completions[1].completion = std::string(4000, 'x');
  const test::TemporaryFolder folder;
  EXPECT_EQ(SupervisedRun(folder.path(), supervised_options(), 0, mixed).trainer->num_over_context(), 1);
}

TEST(SupervisedTrainer, WhatCannotBeLearntIsRefused) {
  PL_NEED_SHARED(kModel);
  const test::TemporaryFolder one, two, three;
  SupervisedData unknown = supervised_data();
  unknown.completions[0].problem_id = {"no such problem", false};
  EXPECT_THROW(SupervisedRun(one.path(), supervised_options(), 0, unknown), DataError);
  TrainerOptions with_kl = supervised_options();
  with_kl.train.beta = 0.1;
  EXPECT_THROW(SupervisedRun(two.path(), with_kl), ConfigError);
  TrainerOptions short_context = supervised_options();
  short_context.rollout.context_tokens = 3;
  EXPECT_THROW(SupervisedRun(three.path(), short_context), ConfigError);
}

}  // namespace
}  // namespace plumbline
