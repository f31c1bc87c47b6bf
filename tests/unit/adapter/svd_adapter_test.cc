#include "plumbline/adapter/svd_adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/model/token_logprob.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

using test::tiny_decoder;
using test::tiny_ids;
using test::tiny_logits;
using torch::Tensor;

constexpr auto kAllRoundings = {MergeRounding::kNearest, MergeRounding::kStochastic, MergeRounding::kUnmerged,
                                MergeRounding::kSplit};

double largest(const Tensor& tensor) {
  return tensor.abs().max().item<double>();
}

SvdAdapter make_adapter(Decoder& decoder, MergeRounding rounding) {
  return SvdAdapter(decoder, {"attn-mlp"}, rounding, /*use_cache=*/false);
}

void set_random_deltas(SvdAdapter& adapter, double scale, uint64_t seed = 17) {
  torch::manual_seed(seed);
  for (const auto& module : adapter.modules()) {
    adapter.set_delta(module.linear->name, scale * torch::randn(module.delta_R.sizes(), torch::kFloat64));
  }
}

/// Sum of the log-probabilities of each row's tokens after the first.
Tensor logprob_sum(const Decoder& decoder, const Tensor& ids_BT) {
  const Tensor hidden_BTD = test::tiny_hidden(decoder, ids_BT).slice(1, 0, ids_BT.size(1) - 1);
  return token_logprobs(hidden_BTD.flatten(0, 1), decoder.head_VD(), ids_BT.slice(1, 1).flatten(), 0.9).sum();
}

std::map<std::string, Tensor> gradients_of(SvdAdapter& adapter, const std::vector<Tensor>& micro_batches) {
  adapter.begin_gradients();
  for (const Tensor& ids_BT : micro_batches) logprob_sum(adapter.decoder(), ids_BT).backward();
  return adapter.take_gradients();
}

Tensor joined(const std::map<std::string, Tensor>& gradients) {
  std::vector<Tensor> parts;
  for (const auto& [module, gradient_R] : gradients) parts.push_back(gradient_R.to(torch::kFloat64));
  return torch::cat(parts);
}

TEST(SvdAdapter, ZeroAdapterIsExactlyTheBaseInFloat32AndBfloat16) {
  for (const auto dtype : {torch::kFloat32, torch::kBFloat16}) {
    const auto decoder = tiny_decoder(dtype);
    const Tensor base = tiny_logits(*decoder, tiny_ids(3, 11));
    for (const auto rounding : kAllRoundings) {
      SvdAdapter adapter = make_adapter(*decoder, rounding);
      adapter.merge(3, 5);
      EXPECT_EQ(largest(tiny_logits(*decoder, tiny_ids(3, 11)) - base), 0.0);
      adapter.begin_gradients();
      EXPECT_EQ(largest(tiny_logits(*decoder, tiny_ids(3, 11)).detach() - base), 0.0);
    }
  }
}

TEST(SvdAdapter, MergedAndUnmergedPathsAgree) {
  for (const auto& [dtype, tolerance] :
       std::vector<std::pair<torch::ScalarType, double>>{{torch::kFloat32, 2e-5}, {torch::kFloat64, 1e-12}}) {
    const auto decoder = tiny_decoder(dtype);
    const Tensor base = tiny_logits(*decoder, tiny_ids(3, 11));
    std::vector<Tensor> logits, gradients;
    for (const auto rounding : kAllRoundings) {
      SvdAdapter adapter = make_adapter(*decoder, rounding);
      set_random_deltas(adapter, 0.1);
      adapter.merge(0, 1);
      logits.push_back(tiny_logits(*decoder, tiny_ids(3, 11)));
      gradients.push_back(joined(gradients_of(adapter, {tiny_ids(3, 11)})));
    }
    EXPECT_GT(largest(logits[0] - base), 0.1);
    EXPECT_EQ(largest(logits[0] - logits[1]), 0.0) << "there is nothing to round";
    EXPECT_EQ(largest(logits[0] - logits[3]), 0.0) << "and nothing to split";
    EXPECT_LT(largest(logits[0] - logits[2]), tolerance);
    EXPECT_LT(((gradients[0] - gradients[2]).norm() / gradients[0].norm()).item<double>(), tolerance);
  }
}

TEST(SvdAdapter, GradientAgreesWithFiniteDifferences) {
  const auto decoder = tiny_decoder(torch::kFloat64);
  SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
  set_random_deltas(adapter, 0.05);
  adapter.merge(0, 0);
  const Tensor ids_BT = tiny_ids(2, 7);
  const auto gradients = gradients_of(adapter, {ids_BT});
  const double step = 1e-5;
  for (const auto& module : adapter.modules()) {
    const Tensor delta_R = module.delta_R.clone();
    for (const int64_t i : {int64_t{0}, delta_R.numel() - 1}) {
      double value[2];
      for (const int side : {0, 1}) {
        Tensor moved_R = delta_R.clone();
        moved_R[i] += side ? step : -step;
        adapter.set_delta(module.linear->name, moved_R);
        adapter.merge(0, 0);
        const torch::NoGradGuard no_grad;
        value[side] = logprob_sum(*decoder, ids_BT).item<double>();
      }
      const double slope = (value[1] - value[0]) / (2 * step);
      EXPECT_NEAR(gradients.at(module.linear->name)[i].item<double>(), slope, 1e-7 * std::max(1.0, std::abs(slope)));
    }
    adapter.set_delta(module.linear->name, delta_R);
  }
}

TEST(SvdAdapter, MicroBatchSplitNeverChangesTheGradient) {
  for (const auto& [dtype, tolerance] :
       std::vector<std::pair<torch::ScalarType, double>>{{torch::kFloat32, 1e-5}, {torch::kFloat64, 1e-12}}) {
    for (const auto rounding : {MergeRounding::kStochastic, MergeRounding::kUnmerged}) {
      const auto decoder = tiny_decoder(dtype);
      SvdAdapter adapter = make_adapter(*decoder, rounding);
      set_random_deltas(adapter, 0.1);
      adapter.merge(0, 0);
      const Tensor ids_BT = tiny_ids(4, 9), whole = joined(gradients_of(adapter, {ids_BT}));
      for (const int64_t size : {1, 2}) {
        const Tensor split = joined(gradients_of(adapter, ids_BT.split(size)));
        EXPECT_LT(((split - whole).norm() / whole.norm()).item<double>(), tolerance);
      }
    }
  }
}

TEST(SvdAdapter, ReferenceForwardInsideTheCollectingLeavesTheGradientAlone) {
  for (const auto rounding : {MergeRounding::kStochastic, MergeRounding::kUnmerged}) {
    const auto decoder = tiny_decoder(torch::kFloat32);
    const Tensor ids_BT = tiny_ids(2, 9), base = tiny_logits(*decoder, ids_BT);
    SvdAdapter adapter = make_adapter(*decoder, rounding);
    set_random_deltas(adapter, 0.1);
    adapter.merge(0, 0);
    const Tensor adapted = tiny_logits(*decoder, ids_BT), plain = joined(gradients_of(adapter, {ids_BT}));
    adapter.begin_gradients();
    adapter.disable();
    EXPECT_EQ(largest(tiny_logits(*decoder, ids_BT) - base), 0.0);
    adapter.enable();
    const Tensor sum = logprob_sum(*decoder, ids_BT);
    adapter.disable();
    tiny_logits(*decoder, ids_BT);
    adapter.enable();
    sum.backward();
    EXPECT_TRUE(torch::equal(joined(adapter.take_gradients()), plain));
    EXPECT_EQ(largest(tiny_logits(*decoder, ids_BT).detach() - adapted), 0.0);
    EXPECT_GT(largest(adapted - base), 0.01);
  }
}

TEST(SvdAdapter, ForwardAfterTheGradientsAreTakenRecordsNothing) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
  const Tensor ids_BT = tiny_ids(1, 5);
  EXPECT_GT(largest(joined(gradients_of(adapter, {ids_BT}))), 0);
  EXPECT_FALSE(tiny_logits(*decoder, ids_BT).requires_grad());
  EXPECT_EQ(largest(joined(gradients_of(adapter, {}))), 0) << "a new collection starts from zero";
}

TEST(SvdAdapter, DenseGradientOfABfloat16WeightAccumulatesInFloat32) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kNearest);
  const Tensor x_NI = torch::ones({1, 16}, torch::kBFloat16);
  const auto total = [&](int num_small) {
    adapter.begin_gradients();
    decoder->layers()[0].k.forward(x_NI).sum().backward();
    for (int i = 0; i < num_small; ++i) (decoder->layers()[0].k.forward(x_NI) / 512).sum().backward();
    return adapter.take_gradients().at("model.layers.0.self_attn.k_proj");
  };
  const Tensor one = total(0), many = total(256);
  EXPECT_LT(largest(many - 1.5 * one) / largest(one), 1e-5) << "a bfloat16 sum would stay at 1";
}

TEST(SvdAdapter, BaseWeightsAreNeverWrittenAndComeBackWhenTheAdapterGoes) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  const Tensor ids_BT = tiny_ids(2, 9), base = tiny_logits(*decoder, ids_BT);
  std::vector<Tensor> copies;
  for (const Linear* linear : decoder->linears()) copies.push_back(linear->base_OI.clone());
  {
    SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
    set_random_deltas(adapter, 0.1);
    adapter.merge(0, 0);
    gradients_of(adapter, {ids_BT});
    EXPECT_GT(largest(tiny_logits(*decoder, ids_BT).detach() - base), 0.01);
    adapter.disable();
    EXPECT_EQ(largest(tiny_logits(*decoder, ids_BT) - base), 0.0);
  }
  for (size_t i = 0; i < copies.size(); ++i) EXPECT_TRUE(torch::equal(decoder->linears()[i]->base_OI, copies[i]));
  EXPECT_EQ(largest(tiny_logits(*decoder, ids_BT) - base), 0.0);
}

/// <diag(U^T (W' - W) V), delta> / <delta, delta>, averaged over merges at `num_steps` steps: 1 if nothing is lost.
double transmitted(SvdAdapter& adapter, uint32_t num_steps) {
  double along = 0, norm = 0;
  for (uint32_t step = 0; step < num_steps; ++step) {
    adapter.merge(0, step);
    for (const auto& module : adapter.modules()) {
      const Tensor change_OI =
          module.linear->weight_OI.to(torch::kFloat64) - module.linear->base_OI.to(torch::kFloat64);
      const Tensor seen_R = torch::matmul(module.basis.u_OR.to(torch::kFloat64).t(), change_OI)
                                .matmul(module.basis.vh_RI.to(torch::kFloat64).t())
                                .diagonal();
      along += seen_R.dot(module.delta_R.to(torch::kFloat64)).item<double>();
      norm += module.delta_R.to(torch::kFloat64).square().sum().item<double>();
    }
  }
  return along / norm;
}

TEST(SvdAdapter, StochasticRoundingIsUnbiasedAlongAdapterCoordinatesWhereNearestIsADeadZone) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  SvdAdapter stochastic = make_adapter(*decoder, MergeRounding::kStochastic);
  set_random_deltas(stochastic, 2e-4);
  EXPECT_NEAR(transmitted(stochastic, 400), 1, 0.05);  // 5 sd of the mean
  SvdAdapter nearest = make_adapter(*decoder, MergeRounding::kNearest);
  set_random_deltas(nearest, 2e-4);
  EXPECT_LT(transmitted(nearest, 1), 0.5);
}

TEST(SvdAdapter, StochasticRoundingIsAFunctionOfSeedAndStep) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
  set_random_deltas(adapter, 1e-3);
  const auto merged = [&](uint64_t seed, uint32_t step) {
    adapter.merge(seed, step);
    return decoder->layers()[1].mlp().up.weight_OI.clone();
  };
  const Tensor first = merged(1, 2);
  EXPECT_FALSE(torch::equal(first, merged(1, 3)));
  EXPECT_FALSE(torch::equal(first, merged(2, 2)));
  EXPECT_TRUE(torch::equal(first, merged(1, 2)));
}

TEST(SvdAdapter, ElementsToWhichDeltaAddsZeroKeepTheirBits) {
  for (const auto rounding : {MergeRounding::kNearest, MergeRounding::kStochastic}) {
    const auto decoder = tiny_decoder(torch::kBFloat16);
    Linear& linear = decoder->layers()[0].k;
    linear.base_OI = linear.weight_OI = torch::full({16, 16}, -0.0, torch::kBFloat16);
    const Tensor eye = torch::eye(16);
    SvdAdapter adapter(*decoder, {{linear.name, SvdBasis{eye, torch::ones({16}), eye}}}, rounding);
    adapter.set_delta(linear.name, torch::full({16}, 0.1));
    adapter.merge(0, 0);
    const Tensor bits = linear.weight_OI.view(torch::kInt16), base_bits = linear.base_OI.view(torch::kInt16);
    EXPECT_EQ((bits == base_bits).sum().item<int64_t>(), 16 * 16 - 16);
    EXPECT_LT(largest(linear.weight_OI.diagonal().to(torch::kFloat32) - 0.1), 1e-3);
  }
}

TEST(SvdAdapter, MergeResidualIsZeroWithoutDeltaTinyInFloat32AndLargeForNearestBfloat16) {
  const auto wide = tiny_decoder(torch::kFloat32), narrow = tiny_decoder(torch::kBFloat16);
  SvdAdapter exact = make_adapter(*wide, MergeRounding::kNearest);
  EXPECT_EQ(exact.merge_residual(), 0);
  set_random_deltas(exact, 0.1);
  exact.merge(0, 0);
  EXPECT_LT(exact.merge_residual(), 1e-5);
  SvdAdapter rounded = make_adapter(*narrow, MergeRounding::kNearest);
  set_random_deltas(rounded, 1e-4);
  rounded.merge(0, 0);
  EXPECT_GT(rounded.merge_residual(), 0.5);
  set_random_deltas(rounded, 1.0);
  rounded.merge(0, 0);
  EXPECT_LT(rounded.merge_residual(), 0.05);
}

/// By hand: 1 + 2^-10 is 1 in bfloat16, whose next number is 1 + 2^-7; the low part is 2^-10, which bfloat16 has.
TEST(SvdAdapter, SplitWeightsKeepWhatTheHighPartLoses) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  Linear& linear = decoder->layers()[0].k;
  const Tensor eye = torch::eye(16);
  Tensor base_OI = torch::zeros({16, 16});
  base_OI[0][0] = 1;
  base_OI[0][1] = -1;
  const Tensor x_NI = (torch::arange(16) < 2).to(torch::kBFloat16).unsqueeze(0);  // its product with row 0 is 0
  for (const auto& [rounding, expected] : std::vector<std::pair<MergeRounding, double>>{
           {MergeRounding::kNearest, 0}, {MergeRounding::kSplit, std::ldexp(1, -10)}}) {
    linear.base_OI = linear.weight_OI = base_OI.to(torch::kBFloat16);
    SvdAdapter adapter(*decoder, {{linear.name, SvdBasis{eye, torch::ones({16}), eye}}}, rounding);
    Tensor delta_R = torch::zeros({16});
    delta_R[0] = std::ldexp(1, -10);
    adapter.set_delta(linear.name, delta_R);
    adapter.merge(0, 0);
    EXPECT_EQ(linear.forward(x_NI)[0][0].item<double>(), expected);
    EXPECT_EQ(adapter.merge_residual(), expected == 0 ? 1 : 0);
    adapter.disable();
    EXPECT_EQ(largest(linear.forward(x_NI)), 0) << "the low part goes with the adapter";
  }
}

/// An element's low part misses at most 2^-9 of what the high part missed.
TEST(SvdAdapter, SplitResidualIsAHundredthOfNearests) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  std::map<MergeRounding, double> residuals;
  for (const auto rounding : {MergeRounding::kNearest, MergeRounding::kSplit}) {
    SvdAdapter adapter = make_adapter(*decoder, rounding);
    set_random_deltas(adapter, 1e-4);
    adapter.merge(0, 0);
    residuals[rounding] = adapter.merge_residual();
  }
  EXPECT_GT(residuals[MergeRounding::kNearest], 0.5);
  EXPECT_LT(residuals[MergeRounding::kSplit], residuals[MergeRounding::kNearest] / 100);
}

/// Both paths compute in bfloat16, whose relative rounding is 2^-9 an operation.
TEST(SvdAdapter, SplitGradientIsThatOfTheUnmergedPath) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  std::vector<Tensor> gradients;
  for (const auto rounding : {MergeRounding::kUnmerged, MergeRounding::kSplit}) {
    SvdAdapter adapter = make_adapter(*decoder, rounding);
    set_random_deltas(adapter, 0.1);
    adapter.merge(0, 0);
    gradients.push_back(joined(gradients_of(adapter, {tiny_ids(3, 11)})));
  }
  EXPECT_LT(((gradients[0] - gradients[1]).norm() / gradients[0].norm()).item<double>(), 0.05);
}

TEST(SvdAdapter, SmallUpdatesMoveTheFloat32MasterOfABfloat16Model) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
  const auto& module = adapter.modules().front();
  adapter.set_delta(module.linear->name, torch::ones_like(module.delta_R));
  for (int step = 0; step < 3; ++step) {
    const Tensor before = module.delta_R.clone();
    adapter.set_delta(module.linear->name, module.delta_R + 1e-6);
    EXPECT_TRUE((module.delta_R > before).all().item<bool>());
  }
}

TEST(SvdAdapter, WeightHashFollowsWhatIsInPlace) {
  const auto decoder = tiny_decoder(torch::kBFloat16);
  SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
  const std::string base = adapter.weight_hash();
  adapter.merge(0, 7);
  EXPECT_EQ(adapter.weight_hash(), base) << "a zero adapter is the base at every step";
  set_random_deltas(adapter, 0.1);
  EXPECT_EQ(adapter.weight_hash(), base) << "not merged yet";
  adapter.merge(0, 7);
  const std::string adapted = adapter.weight_hash();
  EXPECT_NE(adapted, base);
  adapter.merge(0, 8);
  EXPECT_NE(adapter.weight_hash(), adapted) << "other rounding, other weights";
  adapter.merge(0, 7);
  EXPECT_EQ(adapter.weight_hash(), adapted);
}

TEST(SvdAdapter, TargetsChooseModulesAndParameters) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  EXPECT_EQ(make_adapter(*decoder, MergeRounding::kNearest).num_parameters(), 2 * 7 * 16);
  SvdAdapter some(*decoder, {"q_proj", "*.1.mlp.*"}, MergeRounding::kNearest, false);
  EXPECT_EQ(some.modules().size(), 5u);
  EXPECT_THROW(SvdAdapter(*decoder, {"v_porj"}, MergeRounding::kNearest, false), ConfigError);
}

TEST(SvdAdapter, RoundingNamesAreReadAndOthersRefused) {
  EXPECT_EQ(merge_rounding_of_name("stochastic"), MergeRounding::kStochastic);
  EXPECT_EQ(merge_rounding_of_name("nearest"), MergeRounding::kNearest);
  EXPECT_EQ(merge_rounding_of_name("unmerged"), MergeRounding::kUnmerged);
  EXPECT_EQ(merge_rounding_of_name("split"), MergeRounding::kSplit);
  EXPECT_THROW(merge_rounding_of_name("up"), ConfigError);
}

TEST(SvdAdapter, SavedAdapterComesBackToTheSameLogits) {
  const test::TemporaryFolder folder;
  const Tensor ids_BT = tiny_ids(2, 9);
  const auto decoder = tiny_decoder(torch::kFloat32);
  const Tensor base = tiny_logits(*decoder, ids_BT);
  Tensor adapted;
  {
    SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
    set_random_deltas(adapter, 0.1);
    adapter.merge(0, 0);
    adapted = tiny_logits(*decoder, ids_BT);
    adapter.save(folder.path());
    adapter.save(folder.path());  // over what is there
  }
  SvdAdapter again = make_adapter(*decoder, MergeRounding::kStochastic);
  again.load(folder.path());
  again.merge(0, 0);
  EXPECT_EQ(largest(tiny_logits(*decoder, ids_BT) - adapted), 0.0);
  EXPECT_GT(largest(adapted - base), 0.1);
  EXPECT_FALSE(std::filesystem::exists(folder.file("adapter.partial")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("adapter.previous")));
}

/// Loading `folder` into `decoder` is refused with `id`, the message names `parts`, and no delta has changed.
void expect_refused(Decoder& decoder, const std::vector<std::string>& targets, const std::string& folder,
                    const std::string& id, const std::vector<std::string>& parts) {
  SvdAdapter adapter(decoder, targets, MergeRounding::kStochastic, false);
  try {
    adapter.load(folder);
    FAIL() << "loaded";
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), id);
    for (const std::string& part : parts) EXPECT_THAT(error.line(), testing::HasSubstr(part));
  }
  for (const auto& module : adapter.modules()) EXPECT_EQ(largest(module.delta_R), 0);
}

TEST(SvdAdapter, LoadRefusesAnotherBaseDtypeOrTargetSetNamingFieldAndBothValues) {
  const test::TemporaryFolder folder;
  const auto decoder = tiny_decoder(torch::kFloat32, 1), other = tiny_decoder(torch::kFloat32, 2),
             narrow = tiny_decoder(torch::kBFloat16, 1);
  {
    SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
    set_random_deltas(adapter, 0.1);
    adapter.save(folder.path());
  }
  expect_refused(*other, {"attn-mlp"}, folder.path(), "data.adapter_mismatch",
                 {"base_weight_hash", "'tiny-1'", "'tiny-2'"});
  expect_refused(*narrow, {"attn-mlp"}, folder.path(), "data.adapter_mismatch", {"dtype", "'float32'", "'bfloat16'"});
  expect_refused(*decoder, {"q_proj"}, folder.path(), "data.adapter_mismatch",
                 {"target_modules", "14 modules", "2 modules", "model.layers.0.self_attn.k_proj"});
}

TEST(SvdAdapter, LoadRefusesAnotherBasisAndADamagedFile) {
  const test::TemporaryFolder folder;
  const auto decoder = tiny_decoder(torch::kFloat32);
  {
    SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
    std::map<std::string, SvdBasis> swapped;
    for (const auto& module : adapter.modules()) swapped[module.linear->name] = module.basis;
    SvdBasis& basis = swapped.at("model.layers.1.mlp.up_proj");
    const Tensor order = torch::tensor({0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, torch::kInt64);
    basis = {basis.u_OR.index_select(1, order), basis.s_R, basis.vh_RI.index_select(0, order)};
    SvdAdapter(*decoder, swapped, MergeRounding::kStochastic).save(folder.path());
  }
  expect_refused(*decoder, {"attn-mlp"}, folder.path(), "data.basis_mismatch",
                 {"model.layers.1.mlp.up_proj", "indices 2, 3"});
  std::string bytes = read_file(folder.file("adapter/delta.safetensors"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(folder.file("adapter/delta.safetensors"), bytes);
  expect_refused(*decoder, {"attn-mlp"}, folder.path(), "data.adapter_mismatch", {"delta_sha256"});
  expect_refused(*decoder, {"attn-mlp"}, folder.file("nowhere"), "data.missing_file", {"adapter.json"});
}

TEST(SvdAdapter, BasisWithOtherJointSignsIsAccepted) {
  const test::TemporaryFolder folder;
  const auto decoder = tiny_decoder(torch::kFloat32);
  std::map<std::string, SvdBasis> flipped;
  {
    SvdAdapter adapter = make_adapter(*decoder, MergeRounding::kStochastic);
    set_random_deltas(adapter, 0.1);
    adapter.save(folder.path());
    for (const auto& module : adapter.modules()) {
      flipped[module.linear->name] = {-module.basis.u_OR, module.basis.s_R, -module.basis.vh_RI};
    }
  }
  SvdAdapter adapter(*decoder, flipped, MergeRounding::kStochastic);
  adapter.load(folder.path());
  EXPECT_GT(largest(adapter.modules().front().delta_R), 0);
}

}  // namespace
}  // namespace plumbline
