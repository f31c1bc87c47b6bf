#include "plumbline/rollout/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"

namespace plumbline {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

torch::Tensor logits_of(const std::vector<float>& row) {
  return torch::tensor(row).unsqueeze(0);
}

torch::Tensor uniforms(int64_t count, uint64_t seed) {
  CounterRng rng(StreamKey{.seed = seed});
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = rng.next_unit();
  return torch::tensor(values);
}

/// How often each token is drawn in `count` draws from one row of logits.
std::vector<int64_t> histogram(const std::vector<float>& row, const SamplingOptions& sampling, int64_t count) {
  constexpr int64_t kRows = 20'000;
  std::vector<int64_t> counts(row.size(), 0);
  for (int64_t done = 0; done < count; done += kRows) {
    const torch::Tensor logits = logits_of(row).expand({kRows, static_cast<int64_t>(row.size())});
    const SampledTokens tokens = sample_tokens(logits, uniforms(kRows, static_cast<uint64_t>(done)), sampling);
    const auto* ids = tokens.ids_B.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < kRows; ++i) ++counts[static_cast<size_t>(ids[i])];
  }
  return counts;
}

double chi_square(const std::vector<int64_t>& counts, const std::vector<double>& probs) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (probs[i] == 0) {
      EXPECT_EQ(counts[i], 0) << "token " << i << " has probability zero";
      continue;
    }
    const double expected = total * probs[i];
    sum += (static_cast<double>(counts[i]) - expected) * (static_cast<double>(counts[i]) - expected) / expected;
  }
  return sum;
}

std::vector<double> softmax(const std::vector<float>& row, double temperature) {
  std::vector<double> probs;
  for (const float logit : row) probs.push_back(std::exp(static_cast<double>(logit) / temperature));
  const double sum = std::accumulate(probs.begin(), probs.end(), 0.0);
  for (double& prob : probs) prob /= sum;
  return probs;
}

TEST(Sampler, AMillionDrawsFollowTheProbabilitiesAndNeverHitZero) {
  // -inf first, last and between, and one logit whose probability underflows to zero in float32.
  const std::vector<float> row = {kNever, 1.5f, kNever, 0.0f, 2.0f, -200.0f, kNever, 0.7f, -1.0f, kNever};
  SamplingOptions sampling;
  sampling.temperature = 0.7;
  std::vector<double> probs = softmax(row, sampling.temperature);
  probs[5] = 0;
  // 5 possible tokens, 4 degrees of freedom: P(chi^2 > 23.5) = 1e-4.
  EXPECT_LT(chi_square(histogram(row, sampling, 1'000'000), probs), 23.5);
}

TEST(Sampler, ExtremeUniformsStayAmongPossibleTokens) {
  const torch::Tensor logits = logits_of({kNever, 0.0f, kNever, 1.0f, kNever}).expand({4, 5});
  const torch::Tensor extremes = torch::tensor(std::vector<double>{0x1.0p-54, 1.0 - 0x1.0p-53, 1.0, 0.0});
  for (const double top_p : {1.0, 0.9}) {
    SamplingOptions sampling;
    sampling.top_p = top_p;
    const SampledTokens tokens = sample_tokens(logits, extremes, sampling);
    for (int64_t i = 0; i < 4; ++i) {
      const auto id = tokens.ids_B[i].item<int64_t>();
      EXPECT_TRUE(id == 1 || id == 3) << id;
    }
  }
}

TEST(Sampler, TopKAndTopPRenormaliseAndReportBothLogprobs) {
  const std::vector<float> row = {std::log(0.1f), std::log(0.4f), std::log(0.2f), std::log(0.3f)};
  struct Case {
    int64_t top_k;
    double top_p;
    std::vector<double> probs;
  };
  // By hand: top-p 0.65 keeps .4 and .3; top-k 3 keeps .4 .3 .2 and of those (.444, .333, .222) top-p 0.7 keeps two.
  const std::vector<Case> cases = {{2, 1.0, {0, 4.0 / 7, 0, 3.0 / 7}},
                                   {0, 0.65, {0, 4.0 / 7, 0, 3.0 / 7}},
                                   {0, 0.75, {0, 4.0 / 9, 2.0 / 9, 3.0 / 9}},
                                   {3, 0.7, {0, 4.0 / 7, 0, 3.0 / 7}},
                                   {1, 1.0, {0, 1, 0, 0}},
                                   {0, 1e-9, {0, 1, 0, 0}}};
  for (const Case& c : cases) {
    SamplingOptions sampling;
    sampling.top_k = c.top_k;
    sampling.top_p = c.top_p;
    EXPECT_LT(chi_square(histogram(row, sampling, 100'000), c.probs), 18.5) << c.top_k << " " << c.top_p;
    const SampledTokens tokens = sample_tokens(logits_of(row).expand({50, 4}), uniforms(50, 3), sampling);
    for (int64_t i = 0; i < 50; ++i) {
      const auto id = static_cast<size_t>(tokens.ids_B[i].item<int64_t>());
      EXPECT_NEAR(tokens.logprobs_B[i].item<float>(), row[id], 1e-6);
      EXPECT_NEAR(tokens.sampled_logprobs_B[i].item<float>(), std::log(c.probs[id]), 1e-6);
    }
  }
}

TEST(Sampler, TopKKeepsTies) {
  SamplingOptions sampling;
  sampling.top_k = 2;
  const std::vector<double> probs = {0, 0, std::exp(1) / (std::exp(1) + 2), 1 / (std::exp(1) + 2),
                                     1 / (std::exp(1) + 2)};
  EXPECT_LT(chi_square(histogram({-1, -2, 1, 0, 0}, sampling, 100'000), probs), 18.5);
}

TEST(Sampler, GreedyTakesTheFirstOfTheLargestAtTemperatureOne) {
  SamplingOptions sampling;
  sampling.temperature = 0;
  const SampledTokens tokens = sample_tokens(logits_of({0, 2, 2, 1}), {}, sampling);
  EXPECT_EQ(tokens.ids_B[0].item<int64_t>(), 1);
  EXPECT_NEAR(tokens.logprobs_B[0].item<float>(), std::log(softmax({0, 2, 2, 1}, 1)[1]), 1e-6);
}

TEST(Sampler, MarksRowsThatAreNotFinite) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const torch::Tensor logits = at::cat({logits_of({1, 2}), logits_of({1, nan}), logits_of({inf, 1}),
                                        logits_of({kNever, 1}), logits_of({kNever, kNever})});
  for (const double temperature : {0.0, 1.0}) {
    SamplingOptions sampling;
    sampling.temperature = temperature;
    const torch::Tensor finite = sample_tokens(logits, uniforms(5, 1), sampling).finite_B;
    const std::vector<bool> expected = {true, false, false, true, false};
    for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(finite[i].item<bool>(), expected[static_cast<size_t>(i)]) << i;
  }
}

TEST(Sampler, OptionsWithoutAMeaningAreRefused) {
  const auto refused = [](auto change) {
    SamplingOptions sampling;
    change(sampling);
    try {
      check_sampling(sampling);
      return false;
    } catch (const ConfigError& error) {
      return error.id() == "config.out_of_range";
    }
  };
  EXPECT_FALSE(refused([](SamplingOptions&) {}));
  EXPECT_TRUE(refused([](SamplingOptions& s) { s.temperature = -1; }));
  EXPECT_TRUE(refused([](SamplingOptions& s) { s.temperature = std::nan(""); }));
  EXPECT_TRUE(refused([](SamplingOptions& s) { s.temperature = 1e-39; }));
  EXPECT_FALSE(refused([](SamplingOptions& s) { s.temperature = 0.01; }));
  EXPECT_TRUE(refused([](SamplingOptions& s) { s.top_p = 0; }));
  EXPECT_TRUE(refused([](SamplingOptions& s) { s.top_p = 1.1; }));
  EXPECT_TRUE(refused([](SamplingOptions& s) { s.top_k = -1; }));
  EXPECT_TRUE(refused([](SamplingOptions& s) { s.max_new_tokens = 0; }));
}

}  // namespace
}  // namespace plumbline
