/// A whole run on the smallest golden model: everything that a Trainer borrows, with a grader that is a function of the
/// text alone.
#pragma once

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>

#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/base/sha256.h"
#include "plumbline/train/trainer.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline::test {

/// Reward 0, 1, 2 or 3 by a hash of the text, or whatever `reward` says. Unset = our own failure.
class TextVerifier final : public Verifier {
 public:
  std::function<std::optional<double>(const GradeRequest&)> reward = [](const GradeRequest& request) {
    return std::optional<double>(static_cast<double>(sha256_hex(request.completion)[0] % 4));
  };
  void submit(GradeRequest request, OnAnswer on_answer) override {
    GradeAnswer answer;
    Verdict& verdict = answer.verdict;
    verdict.problem_id = request.problem->id;
    verdict.sample = request.sample;
    verdict.reward = reward(request);
    verdict.outcome = !verdict.reward ? Outcome::kInfra : *verdict.reward > 2 ? Outcome::kPass : Outcome::kWrong;
    verdict.label = verdict.reward == 2.0 ? Label::kRewardHack : Label::kIncorrect;
    {
      const std::lock_guard lock(mutex_);
      seen.push_back(request.completion);
    }
    on_answer(std::move(answer));
  }
  std::vector<std::string> seen;

 private:
  std::mutex mutex_;
};

inline TrainerOptions tiny_options() {
  TrainerOptions options;
  options.train.steps = 4;
  options.train.lr = 0.05;
  options.train.warmup_steps = 0;
  options.train.beta = 0.01;
  options.train.checkpoint_every = 0;
  options.rollout.group_size = 4;
  options.rollout.prompts_per_step = 2;
  options.rollout.max_new_tokens = 8;
  options.rollout.context_tokens = 128;
  options.rollout.temperature = 0.7;
  options.run.seed = 11;
  options.run.micro_batch = 3;
  options.resume_hint = "plumbline train --resume RUN";
  return options;
}

inline std::vector<Problem> tiny_problems() {
  std::vector<Problem> problems;
  for (int i = 0; i < 5; ++i) {
    Problem& problem = problems.emplace_back();
    problem.id = {std::to_string(100 + i), true};
    problem.prompt = {{"user", "Add " + std::to_string(i) + " and 2."}};
  }
  return problems;
}

/// Everything but the options and the run folder is made anew by each object, as by a new process.
class TinyRun {
 public:
  TinyRun(std::string folder, TrainerOptions options, int64_t resume_step = 0,
          std::vector<Problem> problems = tiny_problems(), const RewardTransform* monitor = nullptr,
          const std::vector<Completion>& pool = {})
      : decoder(load_decoder(shared_path("golden/models/qwen3"), torch::kFloat32, torch::kCPU)),
        adapter(*decoder, {"attn-mlp"}, MergeRounding::kStochastic, false),
        engine(*decoder, 8),
        text(ModelText::load(shared_path("golden/models/qwen3"))),
        recorder(folder, resume_step) {
    at::set_num_threads(1);  // matrices of 48 columns
    options.checkpoints_folder = folder + "/checkpoints";
    trainer =
        std::make_unique<Trainer>(TrainerParts{*decoder, adapter, engine, verifier, transform, text, recorder, monitor},
                                  std::move(problems), std::move(options), pool);
  }

  std::unique_ptr<Decoder> decoder;
  SvdAdapter adapter;
  LocalEngine engine;
  TextVerifier verifier;
  IdentityTransform transform;
  ModelText text;
  RunRecorder recorder;
  std::unique_ptr<Trainer> trainer;
};

}  // namespace plumbline::test
