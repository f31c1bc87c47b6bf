/// golden/method/02_logprob.
#include "plumbline/model/token_logprob.h"

#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// Hidden states whose logits are exactly the stored ones: the head is the identity.
Tensor identity_head(const Tensor& logits_NV) {
  return torch::eye(logits_NV.size(1), logits_NV.options());
}

Tensor masked(const Tensor& values_BT, const Tensor& mask_BT) {
  return torch::where(mask_BT, values_BT, torch::zeros_like(values_BT));
}

class LogprobGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { PL_NEED_SHARED("golden/method/02_logprob"); }
};

TEST_P(LogprobGolden, LogprobAndEntropyAtEveryTemperatureInPiecesOfEverySize) {
  test::GoldenCase golden("02_logprob", GetParam());
  const Tensor logits_BTV = golden.input("logits"), ids_BT = golden.tensor("in.ids");
  const Tensor mask_BT = golden.tensor("in.mask").to(torch::kBool);
  const Tensor logits_NV = logits_BTV.flatten(0, 1), head = identity_head(logits_NV);
  std::vector<int64_t> chunks = golden.params().at("chunks").get<std::vector<int64_t>>();
  chunks.push_back(512);
  for (const auto& [name, temperature] : golden.params().at("temperatures").items()) {
    for (const int64_t chunk : chunks) {
      const Tensor logprobs = token_logprobs(logits_NV, head, ids_BT.flatten(), temperature.get<double>(), chunk);
      const Tensor entropies = token_entropies(logits_NV, head, temperature.get<double>(), chunk);
      golden.expect("logprob." + name, masked(logprobs.view_as(ids_BT), mask_BT));
      golden.expect("entropy." + name, masked(entropies.view_as(ids_BT), mask_BT));
    }
  }
}

TEST_P(LogprobGolden, GradientOfTheLogits) {
  test::GoldenCase golden("02_logprob", GetParam());
  const double temperature = golden.params().at("grad_temperature").get<double>();
  const Tensor ids_BT = golden.tensor("in.ids");
  const Tensor mask_N = golden.tensor("in.mask").to(torch::kBool).flatten();
  const Tensor weight_N = golden.input("weight").flatten();
  for (const int64_t chunk : {1, 5, 512}) {
    const Tensor logits_NV = golden.input("logits").flatten(0, 1).requires_grad_(true);
    const Tensor logprobs =
        token_logprobs(logits_NV, identity_head(logits_NV.detach()), ids_BT.flatten(), temperature, chunk);
    (masked(logprobs, mask_N) * weight_N).sum().backward();
    golden.expect("grad_logits", logits_NV.grad());
  }
}

TEST_P(LogprobGolden, Bfloat16LogitsAreWidenedBeforeTheSoftmax) {
  test::GoldenCase golden("02_logprob", GetParam());
  const Tensor ids_BT = golden.tensor("in.ids"), mask_BT = golden.tensor("in.mask").to(torch::kBool);
  Tensor logits_NV = golden.tensor("in.logits_bf16").flatten(0, 1);
  if (golden.dtype() == torch::kFloat64) logits_NV = logits_NV.to(torch::kFloat64);
  const Tensor head = identity_head(logits_NV);
  golden.expect("bf16_logprob",
                masked(token_logprobs(logits_NV, head, ids_BT.flatten(), 1.0, 4).view_as(ids_BT), mask_BT));
  golden.expect("bf16_entropy", masked(token_entropies(logits_NV, head, 1.0, 4).view_as(ids_BT), mask_BT));
}

TEST_P(LogprobGolden, OffsetsInfinitiesAndFlatRows) {
  test::GoldenCase golden("02_logprob", GetParam());
  const Tensor logits_NV = golden.input("edge_logits");
  golden.expect("edge_logprob", logprobs_of_logits(logits_NV, golden.tensor("in.edge_ids"), 1.0));
  golden.expect("edge_entropy", entropies_of_logits(logits_NV, 1.0));
}

TEST_P(LogprobGolden, CompletionTokensAreReadOnePlaceBefore) {
  test::GoldenCase golden("02_logprob", GetParam());
  const Tensor logits_BLV = golden.input("align_logits"), ids_BL = golden.tensor("in.align_ids");
  const Tensor prompt_len = golden.tensor("in.prompt_len"), completion_len = golden.tensor("in.completion_len");
  const int64_t num_rows = logits_BLV.size(0), longest = completion_len.max().item<int64_t>();
  Tensor logprob_BT = torch::zeros({num_rows, longest}, logits_BLV.options()), nll_B = logprob_BT.select(1, 0).clone();
  for (int64_t row = 0; row < num_rows; ++row) {
    const int64_t begin = prompt_len[row].item<int64_t>(), count = completion_len[row].item<int64_t>();
    const Tensor logits_NV = logits_BLV[row].slice(0, begin - 1, begin - 1 + count);
    const Tensor logprob_N =
        token_logprobs(logits_NV, identity_head(logits_NV), ids_BL[row].slice(0, begin, begin + count), 1.0, 2);
    logprob_BT[row].slice(0, 0, count).copy_(logprob_N);
    nll_B[row] = -logprob_N.mean();
  }
  golden.expect("align_logprob", logprob_BT);
  golden.expect("align_nll", nll_B);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, LogprobGolden, testing::Values("float32", "float64"),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace plumbline
