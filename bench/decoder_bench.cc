/// Decode and training speed of the plain decoder: decoder_bench MODEL DTYPE DEVICE THREADS.
/// decode: 8 sequences of 64 prompt tokens, 64 new ones each, greedy, through the engine. train: forward and backward
/// of 4 rows of 256 tokens, gradients of every linear's weight, mean NLL of the last 128 tokens. bench/peers/ has the
/// same work in transformers.
#include <ATen/Parallel.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/model/decoder.h"
#include "plumbline/model/token_logprob.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/tensor/dtype.h"

namespace plumbline {
namespace {

constexpr int64_t kSequences = 8, kPromptTokens = 64, kNewTokens = 64;
constexpr int64_t kRows = 4, kRowTokens = 256, kScoredTokens = 128;

/// Wall time, and CPU time of the process: the one to compare on a machine that others use (OMP_WAIT_POLICY=passive).
struct Timing {
  double wall_s = 1e9, cpu_s = 1e9;

  static Timing now() { return {now_s(), static_cast<double>(std::clock()) / CLOCKS_PER_SEC}; }
  Timing since(const Timing& start, double units) const {
    return {(wall_s - start.wall_s) / units, (cpu_s - start.cpu_s) / units};
  }
  void keep_best(const Timing& other) {
    wall_s = std::min(wall_s, other.wall_s);
    cpu_s = std::min(cpu_s, other.cpu_s);
  }
};

/// What a decode step takes, prefill and first tokens left out.
Timing decode_step(const Decoder& decoder) {
  std::vector<Prompt> prompts;
  for (uint32_t i = 0; i < kSequences; ++i) {
    prompts.push_back({std::vector<int64_t>(kPromptTokens, 100 + i), i, 0});
    for (int64_t t = 0; t < kPromptTokens; ++t) prompts.back().token_ids[static_cast<size_t>(t)] += t * 7;
  }
  SamplingOptions sampling;
  sampling.temperature = 0;
  sampling.max_new_tokens = kNewTokens;
  Timing first, last;
  int64_t num_steps = 0;
  LocalEngine(decoder, kSequences).generate(prompts, sampling, {}, [&](int64_t) {
    last = Timing::now();
    if (num_steps++ == 0) first = last;
  });
  return last.since(first, static_cast<double>(num_steps - 1));
}

Timing train_pass(Decoder& decoder) {
  ForwardBatch batch;
  batch.ids_BT =
      (at::arange(kRows * kRowTokens, torch::kInt64) * 31 % 5000).view({kRows, kRowTokens}).to(decoder.device());
  batch.positions_BT = at::arange(kRowTokens, batch.ids_BT.options()).expand({kRows, kRowTokens});
  const Timing start = Timing::now();
  const torch::Tensor hidden_BTD = decoder.hidden(batch);
  const torch::Tensor scored_ND = hidden_BTD.narrow(1, kRowTokens - kScoredTokens - 1, kScoredTokens).flatten(0, 1);
  const torch::Tensor ids_N = batch.ids_BT.narrow(1, kRowTokens - kScoredTokens, kScoredTokens).flatten();
  (-token_logprobs(scored_ND, decoder.head_VD(), ids_N, 1.0).mean()).backward();
  const double grad = decoder.linears()[0]->weight_OI.grad().abs().max().item<double>();  // waits for the device
  const Timing timing = Timing::now().since(start, 1);
  if (!(grad > 0)) std::abort();
  for (Linear* linear : decoder.linears()) linear->weight_OI.mutable_grad().reset();
  return timing;
}

int run(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: decoder_bench MODEL DTYPE DEVICE THREADS\n");
    return 2;
  }
  at::set_num_threads(std::atoi(argv[4]));
  const auto decoder = load_decoder(argv[1], dtype_of_name(argv[2]), device_of_name(argv[3]));
  Timing decode, train;
  for (int i = 0; i < 3; ++i) decode.keep_best(decode_step(*decoder));
  for (Linear* linear : decoder->linears()) linear->weight_OI.requires_grad_(true);
  for (int i = 0; i < 3; ++i) train.keep_best(train_pass(*decoder));
  std::printf("decode %s: %.1f tok/s, %.1f ms a step, CPU %.1f ms\n", argv[2], kSequences / decode.wall_s,
              1e3 * decode.wall_s, 1e3 * decode.cpu_s);
  std::printf("train %s: %.0f tok/s, %.2f s, CPU %.2f s\n", argv[2], kRows * kRowTokens / train.wall_s, train.wall_s,
              train.cpu_s);
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
