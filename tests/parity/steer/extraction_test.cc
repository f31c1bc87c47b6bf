/// golden/method/04_extraction: mean difference, singular axes and noise floor, control, refresh.
#include "plumbline/steer/extraction.h"

#include "tests/support/golden_case.h"

namespace plumbline {
namespace {

using torch::Tensor;

std::vector<int64_t> row_ids(const test::GoldenCase& golden, const std::string& name, int64_t row) {
  const int64_t count = golden.tensor("in." + name + "_len")[row].item<int64_t>();
  const Tensor ids = golden.tensor("in." + name + "_ids")[row].slice(0, 0, count).contiguous();
  return {ids.const_data_ptr<int64_t>(), ids.const_data_ptr<int64_t>() + count};
}

std::vector<TokenizedPair> golden_pairs(const test::GoldenCase& golden) {
  std::vector<TokenizedPair> pairs;
  const int64_t num_pairs = golden.params().at("n_pairs").get<int64_t>();
  for (int64_t row = 0; row < num_pairs; ++row) {
    pairs.push_back({row_ids(golden, "prompt", row), row_ids(golden, "hack", row), row_ids(golden, "clean", row), "A",
                     row >= golden.params().at("n_train").get<int64_t>()});
  }
  return pairs;
}

std::map<std::string, SvdBasis> golden_bases(const test::GoldenCase& golden) {
  std::map<std::string, SvdBasis> bases;
  for (const std::string& module : golden.modules()) {
    bases[module] = {golden.input("U." + module), golden.input("S." + module), golden.input("Vh." + module)};
  }
  return bases;
}

Tensor in_module_order(const test::GoldenCase& golden, const std::map<std::string, double>& values) {
  std::vector<double> ordered;
  for (const std::string& module : golden.modules()) ordered.push_back(values.at(module));
  return torch::tensor(ordered, torch::kFloat64);
}

Tensor summary_of(const HeldOutCheck& check) {
  return torch::tensor({check.frac_positive, check.mean, check.median, check.flat}, torch::kFloat64);
}

/// The first or the last pairs of all differences.
PairDifferences slice(const PairDifferences& all, int64_t begin, int64_t end) {
  PairDifferences part;
  part.flavors.assign(all.flavors.begin() + begin, all.flavors.begin() + end);
  part.nll_hack.assign(all.nll_hack.begin() + begin, all.nll_hack.begin() + end);
  part.nll_clean.assign(all.nll_clean.begin() + begin, all.nll_clean.begin() + end);
  for (const auto& [module, rows] : all.differences_PR) part.differences_PR[module] = rows.slice(0, begin, end);
  return part;
}

/// NLL and gradient of every pair and side.
void expect_gradients(test::GoldenCase& golden, SvdAdapter& adapter) {
  for (const std::string side : {"hack", "clean"}) {
    std::map<std::string, std::vector<Tensor>> gradients;
    std::vector<double> nll;
    for (const TokenizedPair& pair : golden_pairs(golden)) {
      const CompletionGradient one =
          completion_gradient(adapter, pair.prompt_ids, side == "hack" ? pair.hack_ids : pair.clean_ids);
      nll.push_back(one.nll);
      for (const auto& [module, gradient_R] : one.gradients_R) gradients[module].push_back(gradient_R);
    }
    golden.expect("nll_" + side, torch::tensor(nll, torch::kFloat64));
    for (const std::string& module : golden.modules()) {
      golden.expect("g_" + side + "." + module, torch::stack(gradients.at(module)));
    }
  }
}

HackDirection extract(SvdAdapter& adapter, const std::vector<TokenizedPair>& pairs, const DirectionMetadata& metadata) {
  return make_direction(adapter, pair_differences(adapter, pairs_of(pairs, false)), {}, metadata);
}

/// Singular axes with their signs, and which of them a noise floor keeps.
void expect_singular_axes(test::GoldenCase& golden, SvdAdapter& adapter) {
  const PairDifferences differences = pair_differences(adapter, pairs_of(golden_pairs(golden), false));
  const DirectionRecipe recipe{DirectionMethod::kSvd, golden.params().at("k").get<int64_t>(), 0};
  const HackDirection direction = make_direction(adapter, differences, recipe, {});
  DirectionRecipe floored = recipe;
  floored.noise_floor = golden.params().at("quantile").get<double>();
  const HackDirection kept = make_direction(adapter, differences, floored, {});
  std::vector<Tensor> keeps;
  for (const std::string& module : golden.modules()) {
    golden.expect("V." + module, direction.modules.at(module).axes_KR);
    golden.expect("sv." + module, direction.modules.at(module).strength_K);
    keeps.push_back((kept.modules.at(module).axes_KR.norm(2, 1) > 0.5).to(torch::kFloat64));
  }
  golden.expect("keep_quantile", torch::stack(keeps));
}

/// Direction, zero norms, held-out check, and the same for the control's signs.
void expect_directions(test::GoldenCase& golden, SvdAdapter& adapter) {
  const std::vector<TokenizedPair> pairs = golden_pairs(golden);
  const DirectionMetadata metadata = direction_metadata(adapter, "mean_diff", 1, "golden", "all");
  const HackDirection direction = extract(adapter, pairs, metadata);
  std::map<std::string, double> norms;
  for (const std::string& module : golden.modules()) {
    golden.expect("v." + module, direction.modules.at(module).axes_KR[0]);
    norms[module] = direction.modules.at(module).strength_K.item<double>();
  }
  golden.expect("mean_norm", in_module_order(golden, norms));
  golden.expect("zero_norm", static_cast<double>(gate_a_of(direction).num_zero_norm));
  EXPECT_EQ(gate_a_of(direction).num_modules, static_cast<int64_t>(golden.modules().size()));
  const HeldOutCheck check = check_differences(direction, pair_differences(adapter, pairs_of(pairs, true)));
  golden.expect("heldout_cos", in_module_order(golden, check.module_cosines));
  golden.expect("heldout_summary", summary_of(check));

  const int64_t num_train = golden.params().at("n_train").get<int64_t>();
  const PairDifferences all = pair_differences(adapter, pairs);
  PairDifferences control = slice(all, 0, num_train);
  for (auto& [module, rows] : control.differences_PR) rows = rows * golden.input("control_sign").unsqueeze(1);
  const HackDirection shuffled = make_direction(adapter, control, {}, metadata);
  for (const std::string& module : golden.modules()) {
    golden.expect("control.v." + module, shuffled.modules.at(module).axes_KR[0]);
  }
  const HeldOutCheck control_check =
      check_differences(shuffled, slice(all, num_train, static_cast<int64_t>(pairs.size())));
  golden.expect("control.heldout_cos", in_module_order(golden, control_check.module_cosines));
  golden.expect("control.heldout_summary", summary_of(control_check));
}

struct Path {
  std::string kind;
  MergeRounding rounding;
};

class ExtractionGolden : public testing::TestWithParam<Path> {
 protected:
  void SetUp() override { PL_NEED_SHARED("golden/method/04_extraction"); }
};

TEST_P(ExtractionGolden, GradientsDirectionAndHeldOutCheck) {
  const Path& path = GetParam();
  test::GoldenCase golden("04_extraction", path.kind);
  const auto decoder = load_decoder(golden.folder() + "/model", golden.dtype(), torch::kCPU);
  SvdAdapter adapter(*decoder, golden_bases(golden), path.rounding);
  expect_gradients(golden, adapter);
  expect_directions(golden, adapter);
  expect_singular_axes(golden, adapter);
}

TEST(ExtractionGoldenOwnBasis, DirectionAndHeldOutCheck) {
  PL_NEED_SHARED("golden/method/04_extraction");
  test::GoldenCase golden("04_extraction", "float32_own_svd");
  const auto decoder = load_decoder(golden.folder() + "/model", torch::kFloat32, torch::kCPU);
  SvdAdapter adapter(*decoder, {"attn-mlp"}, MergeRounding::kStochastic, /*use_cache=*/false);
  expect_gradients(golden, adapter);
  expect_directions(golden, adapter);
}

TEST_P(ExtractionGolden, DirectionAtAnotherDelta) {
  const Path& path = GetParam();
  test::GoldenCase golden("04_extraction", path.kind);
  const auto decoder = load_decoder(golden.folder() + "/model", golden.dtype(), torch::kCPU);
  SvdAdapter adapter(*decoder, golden_bases(golden), path.rounding);
  for (const std::string& module : golden.modules()) adapter.set_delta(module, golden.input("refresh_delta." + module));
  adapter.merge(0, 0);
  const HackDirection refreshed =
      extract(adapter, golden_pairs(golden), direction_metadata(adapter, "mean_diff", 1, "golden", "all"));
  for (const std::string& module : golden.modules()) {
    golden.expect("refresh.v." + module, refreshed.modules.at(module).axes_KR[0]);
  }
}

TEST_P(ExtractionGolden, ModulesBehindAZeroedWeightAreCountedAndHaveNoDirection) {
  const Path& path = GetParam();
  test::GoldenCase golden("04_extraction", path.kind);
  const auto decoder = load_decoder(golden.folder() + "/model", golden.dtype(), torch::kCPU);
  const std::string zeroed = golden.params().at("zeroed_weight").get<std::string>();
  for (Linear* linear : decoder->linears()) {
    if (linear->name + ".weight" == zeroed) linear->base_OI = linear->weight_OI = torch::zeros_like(linear->base_OI);
  }
  SvdAdapter adapter(*decoder, golden_bases(golden), path.rounding);
  const HackDirection direction =
      extract(adapter, golden_pairs(golden), direction_metadata(adapter, "mean_diff", 1, "golden", "all"));
  std::map<std::string, double> norms;
  for (const auto& [module, part] : direction.modules) norms[module] = part.strength_K.item<double>();
  golden.expect("zeroed.mean_norm", in_module_order(golden, norms));
  golden.expect("zeroed.zero_norm", static_cast<double>(gate_a_of(direction).num_zero_norm));
  EXPECT_EQ(direction.modules.at("model.layers.1.mlp.gate_proj").axes_KR.abs().max().item<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Paths, ExtractionGolden,
    testing::Values(Path{"float32", MergeRounding::kStochastic}, Path{"float64", MergeRounding::kStochastic},
                    Path{"float32", MergeRounding::kUnmerged}, Path{"float64", MergeRounding::kUnmerged}),
    [](const auto& suite) {
      return suite.param.kind + (suite.param.rounding == MergeRounding::kUnmerged ? "Unmerged" : "Merged");
    });

}  // namespace
}  // namespace plumbline
