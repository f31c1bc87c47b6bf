/// models/tiny against transformers (tests/golden/tiny, made by tools/reference/tiny_golden.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/json.h"
#include "tests/support/golden_model.h"

namespace plumbline {
namespace {

constexpr double kTolerance = 1e-4;

TEST(TinyModel, LogitsAndGreedyTokensAreTransformers) {
  const torch::NoGradGuard no_grad;
  at::set_num_threads(1);
  const std::string path = test::source_path("tests/golden/tiny/logits.json");
  const auto decoder = load_decoder(test::source_path("models/tiny"), torch::kFloat32, torch::kCPU);
  EXPECT_EQ(decoder->config().family, "qwen3");
  EXPECT_EQ(decoder->linears().size(), 28u);
  EXPECT_TRUE(decoder->config().tied_head);
  test::Budget budget("tiny");
  for (const Json& row : parse_json(read_file(path), path)) {
    const auto ids = row.at("ids").get<std::vector<int64_t>>();
    const torch::Tensor hidden_TD = decoder->hidden(test::plain_batch(torch::tensor(ids).unsqueeze(0)))[0];
    for (const Json& place : row.at("positions")) {
      const torch::Tensor logits_V = decoder->logits(hidden_TD[place.at("position").get<int64_t>()]);
      const torch::Tensor top = torch::tensor(place.at("top_ids").get<std::vector<int64_t>>());
      const torch::Tensor reference = torch::tensor(place.at("top_logits").get<std::vector<double>>());
      budget.expect("top logits", logits_V.index_select(0, top), reference, kTolerance);
      budget.expect("logsumexp", logits_V.logsumexp(0),
                    torch::scalar_tensor(place.at("logsumexp").get<double>(), torch::kFloat64), kTolerance);
    }
    const auto greedy = row.at("greedy").get<std::vector<int64_t>>();
    auto whole = row.at("prompt_ids").get<std::vector<int64_t>>();
    const auto num_prompt = static_cast<int64_t>(whole.size());
    whole.insert(whole.end(), greedy.begin(), greedy.end());
    const torch::Tensor states_TD = decoder->hidden(test::plain_batch(torch::tensor(whole).unsqueeze(0)))[0];
    const torch::Tensor chosen =
        decoder->logits(states_TD.slice(0, num_prompt - 1, static_cast<int64_t>(whole.size()) - 1)).argmax(-1);
    EXPECT_TRUE(at::equal(chosen, torch::tensor(greedy)));
  }
}

}  // namespace
}  // namespace plumbline
