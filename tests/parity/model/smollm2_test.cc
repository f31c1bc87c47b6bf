/// SmolLM2 out of its quantised GGUF file against transformers on the same dequantised weights
/// (tests/golden/smollm2/README.md).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/json.h"
#include "tests/support/golden_model.h"

namespace plumbline {
namespace {

constexpr double kTolerance = 2e-3;

TEST(SmolLM2Slow, LogitsAndGreedyTokensAreTransformers) {
  PL_NEED_SMOLLM2();
  const torch::NoGradGuard no_grad;
  const std::string path = test::source_path("tests/golden/smollm2/logits.json");
  const Json golden = parse_json(read_file(path), path);
  const auto decoder = load_decoder(test::smollm2_path(), torch::kFloat32, torch::kCPU);
  EXPECT_EQ(decoder->config().family, "llama");
  EXPECT_TRUE(decoder->config().tied_head);
  test::Budget budget("SmolLM2");
  for (const Json& row : golden) {
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
  }
  const auto greedy = golden[0].at("greedy").get<std::vector<int64_t>>();
  std::vector<int64_t> ids = golden[0].at("ids").get<std::vector<int64_t>>();
  const auto num_prompt = static_cast<int64_t>(ids.size());
  ids.insert(ids.end(), greedy.begin(), greedy.end());
  const torch::Tensor hidden_TD = decoder->hidden(test::plain_batch(torch::tensor(ids).unsqueeze(0)))[0];
  const torch::Tensor chosen =
      decoder->logits(hidden_TD.slice(0, num_prompt - 1, static_cast<int64_t>(ids.size()) - 1)).argmax(-1);
  EXPECT_TRUE(at::equal(chosen, torch::tensor(greedy)));
}

}  // namespace
}  // namespace plumbline
