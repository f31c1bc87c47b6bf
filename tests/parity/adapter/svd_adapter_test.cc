/// golden/method/01_svd_adapter.
#include "plumbline/adapter/svd_adapter.h"

#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// One layer whose linears are the golden ones; its forward pass is never run, the linears are used one by one.
std::unique_ptr<Decoder> decoder_of(const std::map<std::string, Tensor>& weights, const Tensor& square_bias_O) {
  DecoderConfig config;
  config.num_layers = 1, config.head_size = 2, config.num_heads = config.num_kv_heads = 1;
  const Tensor filler = torch::eye(2, weights.at("square").options());
  DecoderLayer layer;
  const std::vector<std::pair<std::string, Linear*>> named = {
      {"tall", &layer.q},          {"wide", &layer.k},      {"square", &layer.v},       {"deficient", &layer.o},
      {"gate", &layer.mlp().gate}, {"up", &layer.mlp().up}, {"down", &layer.mlp().down}};
  for (const auto& [name, linear] : named) {
    linear->name = name;
    linear->base_OI = linear->weight_OI = weights.count(name) ? weights.at(name) : filler;
    if (name == "square") linear->bias_O = square_bias_O;
  }
  return std::make_unique<Decoder>(config, filler, std::vector<DecoderLayer>{layer}, filler[0], filler, "golden");
}

std::unique_ptr<Decoder> golden_decoder(const test::GoldenCase& golden, torch::ScalarType dtype) {
  std::map<std::string, Tensor> weights;
  for (const std::string& module : golden.modules()) weights[module] = golden.input("W." + module).to(dtype);
  return decoder_of(weights, golden.input("bias.square").to(dtype));
}

/// Gradient of delta from the rows [begin, end) alone.
Tensor gradient_of_rows(SvdAdapter& adapter, const Linear& linear, const Tensor& x_NI, const Tensor& gy_NO,
                        int64_t begin, int64_t end) {
  adapter.begin_gradients();
  (linear.forward(x_NI.slice(0, begin, end)) * gy_NO.slice(0, begin, end)).sum().backward();
  return adapter.take_gradients().at(linear.name);
}

/// Forward, gradient of delta (whole and row by row) and of x, and the merged weight of every module.
void expect_all(test::GoldenCase& golden, SvdAdapter& adapter, bool merges) {
  for (const auto& module : adapter.modules()) {
    const std::string& name = module.linear->name;
    adapter.set_delta(name, golden.input("delta." + name) + golden.input("delta_hack." + name));
  }
  adapter.merge(0, 0);
  for (const auto& module : adapter.modules()) {
    const Linear& linear = *module.linear;
    const Tensor gy_NO = golden.input("gy." + linear.name), x_NI = golden.input("x." + linear.name);
    const Tensor leaf_NI = x_NI.clone().requires_grad_(true), y_NO = linear.forward(leaf_NI);
    (y_NO * gy_NO).sum().backward();
    golden.expect("y." + linear.name, y_NO);
    golden.expect("grad_x." + linear.name, leaf_NI.grad());
    if (merges) golden.expect("w_merged." + linear.name, linear.weight_OI);
    const int64_t num_rows = x_NI.size(0);
    golden.expect("grad_delta." + linear.name, gradient_of_rows(adapter, linear, x_NI, gy_NO, 0, num_rows));
    std::vector<Tensor> rows;
    for (int64_t row = 0; row < num_rows; ++row) {
      rows.push_back(gradient_of_rows(adapter, linear, x_NI, gy_NO, row, row + 1));
    }
    golden.expect("grad_rows." + linear.name, torch::stack(rows));
    golden.expect("grad_delta." + linear.name, torch::stack(rows).sum(0));
    adapter.disable();
    golden.expect("y_base." + linear.name, linear.forward(x_NI));
    adapter.enable();
  }
}

class AdapterGolden : public testing::TestWithParam<std::tuple<std::string, MergeRounding>> {
 protected:
  void SetUp() override { PL_NEED_SHARED("golden/method/01_svd_adapter"); }
};

TEST_P(AdapterGolden, ForwardGradientsAndMergeInTheStoredBasis) {
  const auto& [kind, rounding] = GetParam();
  test::GoldenCase golden("01_svd_adapter", kind);
  const auto decoder = golden_decoder(golden, golden.dtype());
  std::map<std::string, SvdBasis> bases;
  for (const std::string& name : golden.modules()) {
    bases[name] = {golden.input("U." + name), golden.input("S." + name), golden.input("Vh." + name)};
  }
  SvdAdapter adapter(*decoder, bases, rounding);
  expect_all(golden, adapter, rounding != MergeRounding::kUnmerged);
}

TEST_P(AdapterGolden, ZeroKnobsAreExactlyTheBase) {
  const auto& [kind, rounding] = GetParam();
  test::GoldenCase golden("01_svd_adapter", kind);
  for (const auto dtype : {golden.dtype(), torch::kBFloat16}) {
    const auto decoder = golden_decoder(golden, dtype);
    SvdAdapter adapter(*decoder, golden.modules(), rounding, /*use_cache=*/false);
    for (const auto& module : adapter.modules()) {
      const Linear& linear = *module.linear;
      const auto bias = linear.bias_O.defined() ? std::optional<Tensor>(linear.bias_O) : std::nullopt;
      const Tensor x_NI = golden.input("x." + linear.name).to(dtype), y_NO = linear.forward(x_NI);
      EXPECT_EQ((y_NO - at::linear(x_NI, linear.base_OI, bias)).abs().max().item<double>(), 0.0) << linear.name;
      if (dtype == golden.dtype()) golden.expect("y_base." + linear.name, y_NO);
    }
  }
}

std::string name_of_path(MergeRounding rounding) {
  return rounding == MergeRounding::kUnmerged ? "Unmerged" : "Merged";
}

INSTANTIATE_TEST_SUITE_P(DtypesAndPaths, AdapterGolden,
                         testing::Combine(testing::Values("float32", "float64"),
                                          testing::Values(MergeRounding::kStochastic, MergeRounding::kUnmerged)),
                         [](const auto& suite) {
                           return std::get<0>(suite.param) + name_of_path(std::get<1>(suite.param));
                         });

class OwnBasisGolden : public testing::TestWithParam<MergeRounding> {
 protected:
  void SetUp() override { PL_NEED_SHARED("golden/method/01_svd_adapter"); }
};

TEST_P(OwnBasisGolden, ForwardGradientsAndMergeWithOurOwnSvd) {
  test::GoldenCase golden("01_svd_adapter", "float32_own_svd");
  const auto decoder = golden_decoder(golden, torch::kFloat32);
  SvdAdapter adapter(*decoder, {"tall", "wide", "square"}, GetParam(), /*use_cache=*/false);
  expect_all(golden, adapter, GetParam() != MergeRounding::kUnmerged);
}

INSTANTIATE_TEST_SUITE_P(Paths, OwnBasisGolden, testing::Values(MergeRounding::kStochastic, MergeRounding::kUnmerged),
                         [](const auto& suite) { return name_of_path(suite.param); });

}  // namespace
}  // namespace plumbline
