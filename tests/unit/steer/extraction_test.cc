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

HackDirection tiny_direction(SvdAdapter& adapter) {
  return extract_hack_direction(adapter, tiny_pairs(), DirectionMethod::kMeanDiff,
                                direction_metadata(adapter, "mean_diff", "pairs-1", "all"));
}

/// Differences of one module, given row by row.
PairDifferences hand_made(const std::vector<std::vector<double>>& rows) {
  PairDifferences differences;
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
  const HackDirection mean = make_direction(adapter, differences, DirectionMethod::kMeanDiff, {});
  const HackDirection unit = make_direction(adapter, differences, DirectionMethod::kUnitMean, {});
  // Means (15, 19.5) and (0.3, -0.1).
  const double mean_norm = std::hypot(15, 19.5), unit_norm = std::hypot(0.3, -0.1);
  EXPECT_NEAR(mean.modules.at("m").norm, mean_norm, 1e-12);
  EXPECT_NEAR(mean.modules.at("m").v_R[1].item<double>(), 19.5 / mean_norm, 1e-12);
  EXPECT_NEAR(unit.modules.at("m").norm, unit_norm, 1e-12);
  EXPECT_NEAR(unit.modules.at("m").v_R[1].item<double>(), -0.1 / unit_norm, 1e-12);
}

TEST(Extraction, VanishingMeanHasNoDirectionAndIsCounted) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  const SvdAdapter adapter = tiny_adapter(*decoder);
  for (const auto method : {DirectionMethod::kMeanDiff, DirectionMethod::kUnitMean}) {
    const HackDirection direction = make_direction(adapter, hand_made({{1, 2}, {-1, -2}}), method, {});
    EXPECT_EQ(direction.modules.at("m").v_R.abs().max().item<double>(), 0);
    EXPECT_EQ(gate_a_of(direction).num_zero_norm, 1);
    EXPECT_EQ(gate_a_of(direction).num_modules, 1);
    const HeldOutCheck check = check_differences(direction, hand_made({{1, 2}}));
    EXPECT_EQ(check.mean, 0);
    EXPECT_EQ(check.frac_positive, 0);
  }
}

TEST(Extraction, HeldOutFiguresByHand) {
  HackDirection direction;
  direction.modules = {{"a", {torch::tensor({1.0, 0.0}, torch::kFloat64), 1}},
                       {"b", {torch::tensor({0.0, 1.0}, torch::kFloat64), 1}}};
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
  const DirectionMetadata metadata;
  const auto before = extract_hack_direction(adapter, pairs, DirectionMethod::kMeanDiff, metadata).vectors();
  pairs[2].hack_ids = {20, 21, 22};
  const auto after = extract_hack_direction(adapter, pairs, DirectionMethod::kMeanDiff, metadata).vectors();
  for (const auto& [module, vector_R] : before) EXPECT_TRUE(torch::equal(vector_R, after.at(module)));
}

TEST(Extraction, PairsThatLeaveNothingToExtractOrToCheckAreRefused) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  SvdAdapter adapter = tiny_adapter(*decoder);
  std::vector<TokenizedPair> pairs = tiny_pairs();
  const HackDirection direction = tiny_direction(adapter);
  for (auto& pair : pairs) pair.held_out = true;
  EXPECT_THROW(extract_hack_direction(adapter, pairs, DirectionMethod::kMeanDiff, {}), DataError);
  for (auto& pair : pairs) pair.held_out = false;
  EXPECT_THROW(check_held_out(adapter, pairs, direction), DataError);
  EXPECT_THROW(completion_gradient(adapter, {1, 2}, {}), DataError);
  EXPECT_THROW(completion_gradient(adapter, {}, {1, 2}), DataError);
}

TEST(Extraction, NonFiniteLossIsFatal) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  decoder->layers()[1].mlp_norm_D.fill_(std::numeric_limits<float>::infinity());
  SvdAdapter adapter = tiny_adapter(*decoder);
  EXPECT_THROW(completion_gradient(adapter, {1, 2}, {3}), NumericError);
}

TEST(Extraction, OptionsOfLaterIssuesAreRefusedWithWhatThereIs) {
  SteerOptions options;
  EXPECT_EQ(direction_method(options), DirectionMethod::kMeanDiff);
  options.method = "unit_mean";
  EXPECT_EQ(direction_method(options), DirectionMethod::kUnitMean);
  for (const char* method : {"flavor_span", "svd", ""}) {
    options.method = method;
    try {
      direction_method(options);
      ADD_FAILURE() << method;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.id(), "config.not_supported");
      EXPECT_THAT(error.line(), testing::HasSubstr("mean_diff or unit_mean"));
    }
  }
  options.method = "mean_diff", options.k = 2;
  EXPECT_THROW(direction_method(options), ConfigError);
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
    EXPECT_TRUE(torch::equal(loaded.modules.at(module).v_R, part.v_R));
    EXPECT_EQ(loaded.modules.at(module).norm, part.norm);
    EXPECT_NEAR(part.v_R.norm().item<double>(), 1, 1e-6);
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
  for (const char* name : {"v.model.layers.0.mlp.up_proj", "norm.model.layers.1.self_attn.q_proj",
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
