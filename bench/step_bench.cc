/// A training step's two halves on a real model: step_bench MODEL DTYPE DEVICE THREADS, a round for every line of
/// stdin. rollout: 2 prompts of 128 tokens, 8 completions each, 128 new tokens, T = 1, through the engine. training:
/// the gradient of the adapter on these 16 sequences, AdamW, and the merge into new weights, through PolicyUpdate.
/// bench/step_bench.py runs it in turn with the same work in transformers (bench/peers/transformers_step.py).
#include <ATen/Parallel.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>

#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/model/decoder.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/train/policy_update.h"

namespace plumbline {
namespace {

constexpr uint32_t kPrompts = 2, kGroup = 8;
constexpr int64_t kPromptTokens = 128, kNewTokens = 128;

/// Wall time, and CPU time of the process: the one to compare on a machine that others use (OMP_WAIT_POLICY=passive).
struct Timing {
  double wall_s = now_s(), cpu_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
};

void report(const char* what, const Timing& start, int64_t num_tokens) {
  const Timing end;
  std::printf("%s wall_s %.4f cpu_s %.4f tokens %ld\n", what, end.wall_s - start.wall_s, end.cpu_s - start.cpu_s,
              static_cast<long>(num_tokens));
  std::fflush(stdout);
}

std::vector<Prompt> prompts() {
  std::vector<Prompt> result;
  for (uint32_t p = 0; p < kPrompts; ++p) {
    Prompt prompt{std::vector<int64_t>(kPromptTokens), p, 0};
    for (int64_t t = 0; t < kPromptTokens; ++t) prompt.token_ids[static_cast<size_t>(t)] = 100 + p + t * 7;
    for (prompt.sample = 0; prompt.sample < kGroup; ++prompt.sample) result.push_back(prompt);
  }
  return result;
}

int run(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: step_bench MODEL DTYPE DEVICE THREADS\n");
    return 2;
  }
  at::set_num_threads(std::atoi(argv[4]));
  const auto decoder = load_decoder(argv[1], dtype_of_name(argv[2]), device_of_name(argv[3]));
  SvdAdapter adapter(*decoder, {"attn-mlp"}, MergeRounding::kNearest);
  TrainOptions train;
  train.beta = 0;
  RolloutOptions rollout;
  rollout.temperature = 1;
  RunOptions run_options;
  run_options.micro_batch = kPrompts * kGroup;
  IdentityTransform identity;
  PolicyUpdate update(*decoder, adapter, identity, train, rollout, run_options);
  update.put_weights(0);
  SamplingOptions sampling;
  sampling.max_new_tokens = kNewTokens;
  const std::vector<Prompt> asked = prompts();
  std::string line;
  for (int64_t round = 0; std::getline(std::cin, line); ++round) {
    const Timing rollout_start;
    sampling.step = static_cast<uint32_t>(round);
    const std::vector<Rollout> rollouts = LocalEngine(*decoder, kPrompts * kGroup).generate(asked, sampling);
    report("rollout", rollout_start, kPrompts * kGroup * kNewTokens);
    std::vector<LearningRow> rows;
    for (size_t i = 0; i < rollouts.size(); ++i) {
      rows.push_back({asked[i].token_ids, rollouts[i].token_ids, rollouts[i].logprobs, i % 2 == 0 ? 1.0 : -1.0,
                      1.0 / static_cast<double>(kPrompts * kGroup * kNewTokens)});
    }
    const Timing train_start;
    update.accumulate_gradients(rows);
    update.transform_gradients(round);
    update.step_optimizer(round);
    report("training", train_start, kPrompts * kGroup * (kPromptTokens + kNewTokens));
  }
  return 0;
}

}  // namespace
}  // namespace plumbline

int main(int argc, char** argv) {
  try {
    return plumbline::run(argc, argv);
  } catch (const plumbline::Error& error) {
    std::fprintf(stderr, "%s\n", error.line().c_str());
    return static_cast<int>(error.exit_code());
  }
}
