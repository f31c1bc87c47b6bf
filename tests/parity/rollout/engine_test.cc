/// The engine on golden checkpoints: greedy ids as transformers gives them, and what must not depend on company.
#include "plumbline/rollout/engine.h"

#include <gtest/gtest.h>

#include <cstring>

#include "plumbline/base/error.h"
#include "tests/support/golden_model.h"

namespace plumbline {
namespace {

using test::GoldenModel;

std::vector<int64_t> to_vector(const torch::Tensor& ids_T) {
  const torch::Tensor ids = ids_T.contiguous();
  return {ids.const_data_ptr<int64_t>(), ids.const_data_ptr<int64_t>() + ids.numel()};
}

class Engine : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    PL_NEED_SHARED("golden/models/" + GetParam());
    golden_ = std::make_unique<GoldenModel>(GetParam());
    decoder_ = load_decoder(golden_->folder, torch::kFloat32, torch::kCPU);
    sampling_.max_new_tokens = 24;
    sampling_.seed = 11;
  }

  /// Different prompts and samples, `count` in all.
  std::vector<Prompt> mixed_prompts(uint32_t count) const {
    std::vector<Prompt> prompts;
    for (uint32_t i = 0; i < count; ++i) {
      prompts.push_back({to_vector(golden_->row(i / 2 % GoldenModel::kNumRows, "ids")), i / 2, i % 2});
    }
    return prompts;
  }

  std::unique_ptr<GoldenModel> golden_;
  std::unique_ptr<Decoder> decoder_;
  SamplingOptions sampling_;
};

void expect_same(const Rollout& a, const Rollout& b) {
  EXPECT_EQ(a.token_ids, b.token_ids);
  EXPECT_EQ(a.finish_reason, b.finish_reason);
  ASSERT_EQ(a.logprobs.size(), b.logprobs.size());
  EXPECT_EQ(std::memcmp(a.logprobs.data(), b.logprobs.data(), a.logprobs.size() * sizeof(float)), 0);
  EXPECT_EQ(a.sampled_logprobs, b.sampled_logprobs);
}

TEST_P(Engine, GreedyIdsAreTransformers) {
  sampling_.temperature = 0;
  std::vector<Prompt> prompts;
  for (int64_t i = 0; i < GoldenModel::kNumRows; ++i) prompts.push_back({to_vector(golden_->row(i, "ids")), 0, 0});
  const auto rollouts = LocalEngine(*decoder_, 8).generate(prompts, sampling_);
  for (int64_t i = 0; i < GoldenModel::kNumRows; ++i) {
    const Rollout& rollout = rollouts[static_cast<size_t>(i)];
    EXPECT_EQ(rollout.token_ids, to_vector(golden_->row(i, "greedy.ids")));
    const torch::Tensor reference = golden_->row(i, "greedy.logprob");
    for (int64_t t = 0; t < reference.size(0); ++t) {
      EXPECT_NEAR(rollout.logprobs[static_cast<size_t>(t)], reference[t].item<float>(), 7e-5);
    }
    EXPECT_EQ(rollout.finish_reason, FinishReason::kLength);
  }
}

TEST_P(Engine, ASequenceDoesNotDependOnItsCompany) {
  LocalEngine engine(*decoder_, 64);
  for (const double top_p : {1.0, 0.9}) {
    sampling_.top_p = top_p;
    const std::vector<Prompt> prompts = mixed_prompts(21);
    const auto together = engine.generate(prompts, sampling_);
    for (size_t i = 0; i < prompts.size(); i += 4) {
      expect_same(together[i], engine.generate(std::span(&prompts[i], 1), sampling_)[0]);
    }
    for (const size_t count : {2u, 5u, 9u}) {
      const auto few = engine.generate(std::span(prompts).subspan(3, count), sampling_);
      for (size_t i = 0; i < count; ++i) expect_same(few[i], together[i + 3]);
    }
  }
}

TEST_P(Engine, OrderQueueAndCompactionChangeNothing) {
  const std::vector<Prompt> prompts = mixed_prompts(12);
  // Some end early: the stop ids are what one sequence says first or soon.
  const auto free = LocalEngine(*decoder_, 16).generate(prompts, sampling_);
  sampling_.stop_ids = {free[0].token_ids[0], free[5].token_ids[3], free[7].token_ids[9]};
  const auto wide = LocalEngine(*decoder_, 16).generate(prompts, sampling_);
  const auto queued = LocalEngine(*decoder_, 3).generate(prompts, sampling_);
  const std::vector<Prompt> reversed(prompts.rbegin(), prompts.rend());
  const auto backwards = LocalEngine(*decoder_, 8).generate(reversed, sampling_);
  size_t num_stopped = 0;
  for (size_t i = 0; i < prompts.size(); ++i) {
    expect_same(wide[i], queued[i]);
    expect_same(wide[i], backwards[prompts.size() - 1 - i]);
    num_stopped += wide[i].finish_reason == FinishReason::kStop;
    // The part before the stop is what the unstopped run said.
    for (size_t t = 0; t < wide[i].token_ids.size(); ++t) EXPECT_EQ(wide[i].token_ids[t], free[i].token_ids[t]);
  }
  EXPECT_GE(num_stopped, 3u);
  EXPECT_LT(num_stopped, prompts.size());
}

TEST_P(Engine, StopsOnAnyStopIdAndIncludesItOnce) {
  sampling_.temperature = 0;
  const std::vector<Prompt> prompts = {{to_vector(golden_->row(0, "ids")), 0, 0}};
  const std::vector<int64_t> greedy = to_vector(golden_->row(0, "greedy.ids"));
  sampling_.stop_ids = {decoder_->config().vocab_size - 1, greedy[5]};  // the second one occurs
  const Rollout rollout = LocalEngine(*decoder_, 4).generate(prompts, sampling_)[0];
  const auto first = std::find(greedy.begin(), greedy.end(), greedy[5]);
  EXPECT_EQ(rollout.token_ids, std::vector<int64_t>(greedy.begin(), first + 1));
  EXPECT_EQ(rollout.finish_reason, FinishReason::kStop);
  EXPECT_EQ(rollout.logprobs.size(), rollout.token_ids.size());
}

TEST_P(Engine, RespectsMaxNewTokensAndReportsEveryToken) {
  for (const int64_t max_new : {1, 7}) {
    sampling_.max_new_tokens = max_new;
    const std::vector<Prompt> prompts = mixed_prompts(5);
    std::vector<size_t> finished;
    std::vector<std::vector<int64_t>> streamed(prompts.size());
    int64_t num_tokens = 0;
    LocalEngine engine(*decoder_, 2);
    engine.watch_tokens([&](size_t i, int64_t id) { streamed[i].push_back(id); });
    const auto rollouts = engine.generate(
        prompts, sampling_, [&](size_t i, const Rollout&) { finished.push_back(i); },
        [&](int64_t count) { num_tokens += count; });
    std::sort(finished.begin(), finished.end());
    EXPECT_EQ(finished, (std::vector<size_t>{0, 1, 2, 3, 4}));
    for (size_t i = 0; i < prompts.size(); ++i) {
      EXPECT_EQ(static_cast<int64_t>(rollouts[i].token_ids.size()), max_new);
      EXPECT_EQ(streamed[i], rollouts[i].token_ids);
    }
    EXPECT_EQ(num_tokens, max_new * 5);
  }
}

TEST_P(Engine, LogprobsAreThoseOfATrainingForwardAtTheSameTemperature) {
  const torch::NoGradGuard no_grad;
  sampling_.temperature = 0.7;
  const std::vector<Prompt> prompts = mixed_prompts(6);
  const auto rollouts = LocalEngine(*decoder_, 8).generate(prompts, sampling_);
  for (size_t i = 0; i < prompts.size(); ++i) {
    std::vector<int64_t> ids = prompts[i].token_ids;
    ids.insert(ids.end(), rollouts[i].token_ids.begin(), rollouts[i].token_ids.end());
    const auto num_prompt = static_cast<int64_t>(prompts[i].token_ids.size());
    const torch::Tensor hidden = decoder_->hidden(test::plain_batch(torch::tensor(ids).unsqueeze(0)))[0];
    const torch::Tensor logprobs = at::log_softmax(decoder_->logits(hidden) / 0.7, -1);
    for (size_t t = 0; t < rollouts[i].token_ids.size(); ++t) {
      const auto position = num_prompt - 1 + static_cast<int64_t>(t);
      EXPECT_NEAR(rollouts[i].logprobs[t], logprobs[position][rollouts[i].token_ids[t]].item<float>(), 1e-4);
    }
  }
}

TEST_P(Engine, SeedStepPromptAndSampleEachChangeTheStream) {
  const auto run = [&](uint64_t seed, uint32_t step, uint32_t prompt, uint32_t sample) {
    sampling_.seed = seed;
    sampling_.step = step;
    const std::vector<Prompt> prompts = {{to_vector(golden_->row(0, "ids")), prompt, sample}};
    return LocalEngine(*decoder_, 4).generate(prompts, sampling_)[0].token_ids;
  };
  const auto first = run(1, 0, 0, 0);
  EXPECT_EQ(first, run(1, 0, 0, 0));
  EXPECT_NE(first, run(2, 0, 0, 0));
  EXPECT_NE(first, run(1, 1, 0, 0));
  EXPECT_NE(first, run(1, 0, 1, 0));
  EXPECT_NE(first, run(1, 0, 0, 1));
}

TEST_P(Engine, LogitsThatAreNotFiniteNameTheSequence) {
  decoder_->norm_D().fill_(std::nanf(""));
  try {
    const std::vector<Prompt> prompts = {{{5, 6}, 4, 2}};
    LocalEngine(*decoder_, 4).generate(prompts, sampling_);
    FAIL();
  } catch (const NumericError& error) {
    EXPECT_EQ(error.id(), "numeric.logits");
    EXPECT_NE(error.where().find("prompt 4, sample 2"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Dense, Engine, ::testing::Values("llama-gqa", "qwen2", "qwen3"), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace plumbline
