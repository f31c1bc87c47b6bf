#include "plumbline/steer/extraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/tensor/raw_tensor.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

using test::tiny_decoder;
using torch::Tensor;

std::vector<TokenizedPair> tiny_pairs() {
  return {{{1, 2, 3}, {4, 5}, {6, 7, 8}, "A", false},
          {{2, 9}, {4, 11, 4}, {12}, "B", false},
          {{3, 3, 1}, {4}, {9, 10}, "A", true},
          {{5, 1}, {4, 4}, {13, 2, 1}, "B", true}};
}

SvdAdapter tiny_adapter(Decoder& decoder) {
  return {decoder, {"attn-mlp"}, MergeRounding::kStochastic, false};
}

HackDirection extract(SvdAdapter& adapter, const std::vector<TokenizedPair>& pairs,
                      const DirectionMetadata& metadata = {}) {
  return make_direction(adapter, pair_differences(adapter, pairs_of(pairs, false)), {}, metadata);
}

HackDirection tiny_direction(SvdAdapter& adapter) {
  return extract(adapter, tiny_pairs(), direction_metadata(adapter, "mean_diff", 1, "pairs-1", "all"));
}

Tensor axis_of(const HackDirection& direction, const std::string& module, int64_t axis = 0) {
  return direction.modules.at(module).axes_KR[axis];
}

/// Differences of one module, given row by row.
PairDifferences hand_made(const std::vector<std::vector<double>>& rows, std::vector<std::string> flavors = {}) {
  PairDifferences differences;
  flavors.resize(rows.size(), "A");
  differences.flavors = flavors;
  std::vector<Tensor> stacked;
  for (const auto& row : rows) stacked.push_back(torch::tensor(row, torch::kFloat64));
  differences.nll_hack.resize(rows.size()), differences.nll_clean.resize(rows.size());
  differences.differences_PR["m"] = torch::stack(stacked);
  return differences;
}

TEST(Extraction, MeanDiffIsOwnedByTheLargePairAndUnitMeanIsNot) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  const SvdAdapter adapter = tiny_adapter(*decoder);
  const PairDifferences differences = hand_made({{30, 40}, {0, -1}});
  const HackDirection mean = make_direction(adapter, differences, {DirectionMethod::kMeanDiff}, {});
  const HackDirection unit = make_direction(adapter, differences, {DirectionMethod::kUnitMean}, {});
  // Means (15, 19.5) and (0.3, -0.1).
  const double mean_norm = std::hypot(15, 19.5), unit_norm = std::hypot(0.3, -0.1);
  EXPECT_NEAR(mean.modules.at("m").strength_K.item<double>(), mean_norm, 1e-12);
  EXPECT_NEAR(axis_of(mean, "m")[1].item<double>(), 19.5 / mean_norm, 1e-12);
  EXPECT_NEAR(unit.modules.at("m").strength_K.item<double>(), unit_norm, 1e-12);
  EXPECT_NEAR(axis_of(unit, "m")[1].item<double>(), -0.1 / unit_norm, 1e-12);
}

TEST(Extraction, VanishingMeanHasNoDirectionAndIsCounted) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  const SvdAdapter adapter = tiny_adapter(*decoder);
  for (const auto method : {DirectionMethod::kMeanDiff, DirectionMethod::kUnitMean}) {
    const HackDirection direction = make_direction(adapter, hand_made({{1, 2}, {-1, -2}}), {method}, {});
    EXPECT_EQ(axis_of(direction, "m").abs().max().item<double>(), 0);
    EXPECT_EQ(gate_a_of(direction).num_zero_norm, 1);
    EXPECT_EQ(gate_a_of(direction).num_modules, 1);
    const HeldOutCheck check = check_differences(direction, hand_made({{1, 2}}));
    EXPECT_EQ(check.mean, 0);
    EXPECT_EQ(check.frac_positive, 0);
  }
}

TEST(Extraction, HeldOutFiguresByHand) {
  HackDirection direction;
  const Tensor one = torch::ones({1}, torch::kFloat64);
  direction.modules = {{"a", {torch::tensor({{1.0, 0.0}}, torch::kFloat64), one}},
                       {"b", {torch::tensor({{0.0, 1.0}}, torch::kFloat64), one}}};
  PairDifferences held_out;
  held_out.nll_hack = held_out.nll_clean = {0, 0};
  held_out.differences_PR["a"] = torch::tensor({{6.0, 0.0}, {0.0, 8.0}}, torch::kFloat64);    // mean (3, 4): cos .6
  held_out.differences_PR["b"] = torch::tensor({{0.0, -1.0}, {0.0, -1.0}}, torch::kFloat64);  // cos -1
  const HeldOutCheck check = check_differences(direction, held_out);
  EXPECT_NEAR(check.module_cosines.at("a"), 0.6, 1e-12);
  EXPECT_NEAR(check.module_cosines.at("b"), -1, 1e-12);
  EXPECT_NEAR(check.mean, -0.2, 1e-12);
  EXPECT_NEAR(check.median, -0.2, 1e-12);
  EXPECT_NEAR(check.frac_positive, 0.5, 1e-12);
  EXPECT_NEAR(check.flat, (3 - 1) / (std::sqrt(26) * std::sqrt(2)), 1e-12);
  ASSERT_EQ(check.pair_flats.size(), 2u);
  EXPECT_NEAR(check.pair_flats[0], (6 - 1) / (std::sqrt(37) * std::sqrt(2)), 1e-12);
  EXPECT_NEAR(check.pair_flats[1], (0 - 1) / (std::sqrt(65) * std::sqrt(2)), 1e-12);
}

TEST(Extraction, DifferencesAreGradientsOfHackMinusClean) {
  const auto decoder = tiny_decoder(torch::kFloat64);
  SvdAdapter adapter = tiny_adapter(*decoder);
  const TokenizedPair pair = tiny_pairs()[0];
  const auto hack = completion_gradient(adapter, pair.prompt_ids, pair.hack_ids);
  const auto clean = completion_gradient(adapter, pair.prompt_ids, pair.clean_ids);
  const PairDifferences both = pair_differences(adapter, std::vector<TokenizedPair>{pair});
  EXPECT_DOUBLE_EQ(both.nll_hack[0], hack.nll);
  EXPECT_DOUBLE_EQ(both.nll_clean[0], clean.nll);
  for (const auto& [module, rows] : both.differences_PR) {
    EXPECT_LT((rows[0] - (hack.gradients_R.at(module) - clean.gradients_R.at(module))).abs().max().item<double>(),
              1e-13);
  }
}

TEST(Extraction, HeldOutPairsNeverEnterTheDirection) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  SvdAdapter adapter = tiny_adapter(*decoder);
  std::vector<TokenizedPair> pairs = tiny_pairs();
  const auto before = extract(adapter, pairs).axes();
  pairs[2].hack_ids = {20, 21, 22};
  const auto after = extract(adapter, pairs).axes();
  for (const auto& [module, axes_KR] : before) EXPECT_TRUE(torch::equal(axes_KR, after.at(module)));
}

TEST(Extraction, PairsThatLeaveNothingToExtractOrToCheckAreRefused) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  SvdAdapter adapter = tiny_adapter(*decoder);
  std::vector<TokenizedPair> pairs = tiny_pairs();
  for (auto& pair : pairs) pair.held_out = true;
  EXPECT_THROW(pairs_of(pairs, false), DataError);
  for (auto& pair : pairs) pair.held_out = false;
  EXPECT_THROW(pairs_of(pairs, true), DataError);
  EXPECT_THROW(completion_gradient(adapter, {1, 2}, {}), DataError);
  EXPECT_THROW(completion_gradient(adapter, {}, {1, 2}), DataError);
}

TEST(Extraction, NonFiniteLossIsFatal) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  decoder->layers()[1].mlp_norm_D.fill_(std::numeric_limits<float>::infinity());
  SvdAdapter adapter = tiny_adapter(*decoder);
  EXPECT_THROW(completion_gradient(adapter, {1, 2}, {3}), NumericError);
}

TEST(Extraction, FlavorSpanIsGramSchmidtOverFlavorsInOrderWithSignsKept) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  const SvdAdapter adapter = tiny_adapter(*decoder);
  // B: unit rows (1,0,0) and (0.6,0.8,0), mean (0.8,0.4,0). A: (0,0,-1). C lies in the span of the two.
  const PairDifferences differences = hand_made({{5, 0, 0}, {0, 0, -2}, {3, 4, 0}, {4, 2, 0}}, {"B", "A", "B", "C"});
  const HackDirection direction = make_direction(adapter, differences, {DirectionMethod::kFlavorSpan}, {});
  const auto& module = direction.modules.at("m");
  ASSERT_EQ(module.axes_KR.size(0), 3);
  EXPECT_EQ(direction.metadata.k, 3);
  const double norm = std::hypot(0.8, 0.4);
  const Tensor expected =
      torch::tensor({{0.0, 0.0, -1.0}, {0.8 / norm, 0.4 / norm, 0.0}, {0.0, 0.0, 0.0}}, torch::kFloat64);
  EXPECT_LT((module.axes_KR - expected).abs().max().item<double>(), 1e-12);
  EXPECT_NEAR(module.strength_K[1].item<double>(), norm, 1e-12);
}

TEST(Extraction, SvdSignsAxesByMajorityAndDropsWeakOnes) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  const SvdAdapter adapter = tiny_adapter(*decoder);
  // Two against one for -x although the mean is +x: the majority decides. The y axis is weaker.
  const PairDifferences differences = hand_made({{-3, 0}, {-3, 0}, {9, 0}, {0, 2}});
  const HackDirection both = make_direction(adapter, differences, {DirectionMethod::kSvd, 2, 0}, {});
  const Tensor axes_KR = both.modules.at("m").axes_KR;
  EXPECT_NEAR(axes_KR[0][0].item<double>(), -1, 1e-12);
  EXPECT_NEAR(axes_KR[1][1].item<double>(), 1, 1e-12);
  const HackDirection strong = make_direction(adapter, differences, {DirectionMethod::kSvd, 2, 0.5}, {});
  EXPECT_EQ(axis_of(strong, "m", 1).abs().max().item<double>(), 0);
  EXPECT_NEAR(axis_of(strong, "m", 0)[0].item<double>(), -1, 1e-12);
  EXPECT_THROW(make_direction(adapter, differences, {DirectionMethod::kSvd, 5, 0}, {}), ConfigError);
}

TEST(Extraction, OptionsThatDoNotBelongTogetherAreRefused) {
  SteerOptions options;
  for (const char* method : {"mean_diff", "unit_mean", "flavor_span", "svd"}) {
    options.method = method;
    EXPECT_NO_THROW(direction_recipe(options)) << method;
  }
  options.k = 2;
  EXPECT_EQ(direction_recipe(options).k, 2);
  options.method = "flavor_span";
  EXPECT_THROW(direction_recipe(options), ConfigError);
  options.k = 1, options.noise_floor = 0.25;
  EXPECT_THROW(direction_recipe(options), ConfigError);
  options.method = "median", options.noise_floor = 0;
  EXPECT_THROW(direction_recipe(options), ConfigError);
}

TEST(HackDirection, ComesBackAsItWasSaved) {
  const test::TemporaryFolder folder;
  const auto decoder = tiny_decoder(torch::kFloat32);
  SvdAdapter adapter = tiny_adapter(*decoder);
  const HackDirection saved = tiny_direction(adapter);
  saved.save(folder.file("direction.safetensors"));
  const HackDirection loaded =
      load_direction(folder.file("direction.safetensors"), adapter, "mean_diff", "pairs-1", "all");
  ASSERT_EQ(loaded.modules.size(), 14u);
  for (const auto& [module, part] : saved.modules) {
    EXPECT_TRUE(torch::equal(loaded.modules.at(module).axes_KR, part.axes_KR));
    EXPECT_TRUE(torch::equal(loaded.modules.at(module).strength_K, part.strength_K));
    EXPECT_NEAR(part.axes_KR.norm().item<double>(), 1, 1e-6);
  }
  EXPECT_EQ(loaded.metadata.method, "mean_diff");
  EXPECT_EQ(loaded.metadata.pairs_hash, "pairs-1");
}

void expect_refused(const std::string& path, const SvdAdapter& adapter, const std::string& id,
                    const std::vector<std::string>& parts, const std::string& method = "",
                    const std::string& pairs_hash = "") {
  try {
    load_direction(path, adapter, method, pairs_hash);
    ADD_FAILURE() << "loaded";
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), id);
    for (const std::string& part : parts) EXPECT_THAT(error.line(), testing::HasSubstr(part));
  }
}

TEST(HackDirection, AnotherModelDtypeMethodOrPairFileIsRefusedNamingFieldAndBothValues) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("direction.safetensors"), id = "data.direction_mismatch";
  const auto decoder = tiny_decoder(torch::kFloat32, 1), other = tiny_decoder(torch::kFloat32, 2),
             narrow = tiny_decoder(torch::kBFloat16, 1);
  SvdAdapter adapter = tiny_adapter(*decoder);
  tiny_direction(adapter).save(path);
  expect_refused(path, tiny_adapter(*other), id, {"model_hash", "'tiny-1'", "'tiny-2'"});
  expect_refused(path, tiny_adapter(*narrow), id, {"dtype", "'float32'", "'bfloat16'"});
  expect_refused(path, adapter, id, {"method", "'mean_diff'", "'unit_mean'"}, "unit_mean");
  expect_refused(path, adapter, id, {"pairs_hash", "'pairs-1'", "'pairs-2'"}, "", "pairs-2");
  const SvdAdapter fewer(*decoder, {"q_proj"}, MergeRounding::kStochastic, false);
  expect_refused(path, fewer, id, {"14 modules", "2"});
  expect_refused(folder.file("nowhere"), adapter, "data.missing_file", {"nowhere"});
}

TEST(HackDirection, AnotherBasisIsRefusedByModuleAndIndexAndFlippedSignsAreNot) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("direction.safetensors");
  const auto decoder = tiny_decoder(torch::kFloat32);
  std::map<std::string, SvdBasis> flipped, swapped;
  {
    SvdAdapter adapter = tiny_adapter(*decoder);
    tiny_direction(adapter).save(path);
    for (const auto& module : adapter.modules()) {
      const SvdBasis& basis = module.basis;
      flipped[module.linear->name] = {-basis.u_OR, basis.s_R, -basis.vh_RI};
      swapped[module.linear->name] = basis;
    }
  }
  SvdBasis& basis = swapped.at("model.layers.0.mlp.down_proj");
  const Tensor order = torch::tensor({1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, torch::kInt64);
  basis = {basis.u_OR.index_select(1, order), basis.s_R, basis.vh_RI.index_select(0, order)};
  EXPECT_NO_THROW(load_direction(path, SvdAdapter(*decoder, flipped, MergeRounding::kNearest)));
  expect_refused(path, SvdAdapter(*decoder, swapped, MergeRounding::kNearest), "data.basis_mismatch",
                 {"model.layers.0.mlp.down_proj", "indices 0, 1"});
}

TEST(HackDirection, MissingFieldsAndTensorsAreRefusedByName) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("direction.safetensors"), id = "data.direction_mismatch";
  const auto decoder = tiny_decoder(torch::kFloat32);
  SvdAdapter adapter = tiny_adapter(*decoder);
  tiny_direction(adapter).save(path);
  const TensorMap tensors = read_tensors(path);
  const auto metadata = SafetensorsFile(path).metadata();
  for (const auto& [field, value] : metadata) {
    auto without = metadata;
    without.erase(field);
    write_tensors(path, tensors, without);
    expect_refused(path, adapter, id, {"field '" + field + "' is missing"});
  }
  for (const char* name : {"v.model.layers.0.mlp.up_proj", "strength.model.layers.1.self_attn.q_proj",
                           "basis_probe.model.layers.1.self_attn.o_proj"}) {
    TensorMap without = tensors;
    without.erase(name);
    write_tensors(path, without, metadata);
    expect_refused(path, adapter, id, {std::string("'") + name + "' is missing"});
    TensorMap wrong = tensors;
    wrong[name] = torch::zeros({3});
    write_tensors(path, wrong, metadata);
    expect_refused(path, adapter, id, {name});
    wrong[name] = torch::full_like(tensors.at(name), std::numeric_limits<double>::quiet_NaN());
    write_tensors(path, wrong, metadata);
    expect_refused(path, adapter, id, {name, "not finite"});
  }
}

}  // namespace
}  // namespace plumbline
