/// Figures of paired arms against scipy and Python (tools/reference/paired_statistics.py) and against hand-computed
/// values.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/stats/agreement.h"
#include "plumbline/stats/bootstrap.h"
#include "plumbline/stats/clustered_rate.h"
#include "plumbline/stats/confidence_sequence.h"
#include "plumbline/stats/exact_test.h"
#include "plumbline/stats/granularity.h"
#include "plumbline/stats/multiplicity.h"
#include "plumbline/stats/paired_binary.h"
#include "plumbline/stats/paired_test.h"
#include "plumbline/stats/pass_at_k.h"
#include "plumbline/stats/power.h"
#include "plumbline/stats/python_random.h"
#include "plumbline/stats/rank_correlation.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

using Values = std::vector<double>;
using Names = std::vector<std::string>;

const Json& golden() {
  static const std::string path = test::source_path("tests/golden/stats/golden.json");
  static const Json values = parse_json(read_file(path), path);
  return values;
}

std::string id_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.id();
  }
  return "no error";
}

TEST(TangoInterval, AgreesWithTheLikelihoodMaximisedNumerically) {
  for (const Json& row : golden()["tango"]) {
    const Interval interval = tango_interval(row["base_only"], row["candidate_only"], row["n"]);
    EXPECT_NEAR(interval.low, row["low"].get<double>(), 1e-6) << row;
    EXPECT_NEAR(interval.high, row["high"].get<double>(), 1e-6) << row;
  }
}

TEST(TangoInterval, MirrorsWhenTheArmsChangePlaces) {
  const Interval there = tango_interval(3, 11, 60), back = tango_interval(11, 3, 60);
  EXPECT_NEAR(there.low, -back.high, 1e-12);
  EXPECT_NEAR(there.high, -back.low, 1e-12);
}

TEST(TangoInterval, WithoutDiscordantPairsIsWiderThanNothing) {
  // At b = c = 0 the score is n d / sqrt(n d (1 - d)) for d > 0: z^2 = n d / (1 - d), so d = z^2 / (n + z^2).
  const double z2 = 1.959963984540054 * 1.959963984540054;
  const Interval interval = tango_interval(0, 0, 48);
  EXPECT_NEAR(interval.high, z2 / (48 + z2), 1e-9);
  EXPECT_NEAR(interval.low, -z2 / (48 + z2), 1e-9);
}

TEST(TangoInterval, ExcludesZeroExactlyWhenMcNemarsScoreDoes) {
  for (int base_only = 0; base_only <= 12; ++base_only) {
    for (int candidate_only = 0; candidate_only <= 12; ++candidate_only) {
      if (base_only + candidate_only == 0) continue;
      const double chi = std::pow(candidate_only - base_only, 2) / (base_only + candidate_only);
      EXPECT_EQ(tango_interval(base_only, candidate_only, 48).excludes(0), chi > 3.841458820694124)
          << base_only << " " << candidate_only;
    }
  }
}

TEST(ClusteredTangoInterval, WithOneRowAnItemIsTangosInterval) {
  std::vector<Cluster> clusters;
  for (int i = 0; i < 48; ++i) {
    const int difference = i < 9 ? 1 : i < 11 ? -1 : 0;
    clusters.push_back(
        {static_cast<double>(difference), std::abs(1.0 * difference), 1, difference > 0, difference < 0});
  }
  const ClusteredInterval clustered = clustered_tango_interval(clusters);
  const Interval plain = tango_interval(2, 9, 48);
  EXPECT_EQ(clustered.design_effect, 1);
  EXPECT_NEAR(clustered.interval.low, plain.low, 1e-12);
  EXPECT_NEAR(clustered.interval.high, plain.high, 1e-12);
}

TEST(ClusteredTangoInterval, FiveCopiesOfASeedSayNoMoreThanOne) {
  Names items;
  Values differences;
  for (int seed = 0; seed < 5; ++seed) {
    for (int i = 0; i < 48; ++i) {
      items.push_back(std::to_string(i));
      differences.push_back(i < 9 ? 1 : i < 11 ? -1 : 0);
    }
  }
  const ClusteredInterval clustered = clustered_tango_interval(clusters_of(items, differences));
  const Interval one_seed = tango_interval(2, 9, 48);
  EXPECT_NEAR(clustered.design_effect, 5, 1e-9);
  EXPECT_NEAR(clustered.interval.low, one_seed.low, 1e-9);
  EXPECT_NEAR(clustered.interval.high, one_seed.high, 1e-9);
}

TEST(CountPairs, WantsScoresOfZeroAndOne) {
  const PairedCounts counts = count_pairs(Values{0, 1, 1, 0}, Values{1, 1, 0, 0});
  EXPECT_EQ(counts.base_only, 1);
  EXPECT_EQ(counts.candidate_only, 1);
  EXPECT_EQ(id_of([] { count_pairs(Values{0.5}, Values{1}); }), "data.out_of_domain");
  EXPECT_EQ(id_of([] { count_pairs({}, {}); }), "data.no_values");
}

TEST(BinomialTest, AgreesWithScipy) {
  for (const Json& row : golden()["binomial"]) {
    EXPECT_NEAR(binomial_test(row["count"], row["total"], row["rate"]), row["p"].get<double>(), 1e-11) << row;
  }
  // By hand: 2 (1 + 10 + 45) / 1024.
  EXPECT_NEAR(mcnemar_exact(2, 8), 112.0 / 1024, 1e-14);
}

TEST(ClopperPearson, AgreesWithScipyAndCoversMoreThanWilson) {
  for (const Json& row : golden()["clopper_pearson"]) {
    const Interval interval = clopper_pearson_interval(row["count"], row["total"], 0.95);
    EXPECT_NEAR(interval.low, row["low"].get<double>(), 1e-10) << row;
    EXPECT_NEAR(interval.high, row["high"].get<double>(), 1e-10) << row;
  }
}

TEST(SpearmansRho, AgreesWithScipy) {
  for (const Json& row : golden()["spearman"]) {
    const auto result = spearman(row["x"].get<Values>(), row["y"].get<Values>());
    EXPECT_NEAR(result.rho, row["rho"].get<double>(), 1e-12) << row;
    EXPECT_NEAR(result.p, row["p"].get<double>(), 1e-10) << row;
  }
}

TEST(PythonRandom, DrawsWhatPythonDraws) {
  for (const Json& row : golden()["randrange"]) {
    PythonRandom random(row["seed"].get<uint64_t>());
    for (const Json& value : row["values"]) EXPECT_EQ(random.next_below(row["bound"]), value) << row;
  }
}

TEST(PercentileBootstrap, ReproducesPythonDigitByDigit) {
  for (const Json& row : golden()["percentile_bootstrap"]) {
    const Interval interval = percentile_bootstrap(row["values"].get<Values>());
    EXPECT_DOUBLE_EQ(interval.low, row["low"]) << row;
    EXPECT_DOUBLE_EQ(interval.high, row["high"]) << row;
  }
}

TEST(PercentileBootstrap, OfEqualDifferencesHasNoWidth) {
  const Interval interval = percentile_bootstrap(Values(20, 1.0));
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 1);
}

TEST(BootstrapT, HasNothingToSayWithoutSpread) {
  const Names items = {"a", "b", "c"};
  EXPECT_FALSE(bootstrap_t(clusters_of(items, Values{0.25, 0.25, 0.25})));
  EXPECT_EQ(id_of([] { bootstrap_t(clusters_of(Names{"a", "a"}, Values{0, 1})); }), "data.too_few_values");
}

TEST(BootstrapT, IsTheSameForTheSameSeedOnly) {
  Names items;
  Values differences;
  for (int i = 0; i < 40; ++i) {
    items.push_back(std::to_string(i));
    differences.push_back(std::sin(i * 1.7) + 0.2);
  }
  const auto clusters = clusters_of(items, differences);
  const Interval first = *bootstrap_t(clusters), again = *bootstrap_t(clusters);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_NE(first.low, bootstrap_t(clusters, 0.95, 1999, 1)->low);
}

TEST(Clusters, KeepTheRowsOfAnItemTogether) {
  const auto clusters = clusters_of(Names{"b", "a", "b"}, Values{1, -1, 0.5});
  ASSERT_EQ(clusters.size(), 2u);
  EXPECT_EQ(clusters[0].sum, 1.5);
  EXPECT_EQ(clusters[0].num_rows, 2);
  EXPECT_EQ(clusters[1].num_below, 1);
  EXPECT_NEAR(mean_of(clusters), 0.5 / 3, 1e-15);
  EXPECT_EQ(id_of([] { clusters_of(Names{"a"}, Values{NAN}); }), "data.not_finite");
}

TEST(HolmAdjusted, MultipliesByWhatIsLeft) {
  // Sorted .01 .02 .04: 3 x .01, 2 x .02, 1 x .04, then monotone.
  EXPECT_EQ(holm_adjusted(Values{0.04, 0.01, 0.02}), (Values{0.04, 0.03, 0.04}));
  EXPECT_EQ(holm_adjusted(Values{0.9, 0.8}), (Values{1, 1}));
}

TEST(PassAtK, IsTheShareOfDrawsThatHoldAPass) {
  // 2 of 5 correct, 2 drawn: 1 - C(3, 2) / C(5, 2).
  EXPECT_NEAR(pass_at_k(5, 2, 2), 0.7, 1e-15);
  EXPECT_EQ(pass_at_k(5, 4, 2), 1);
  EXPECT_EQ(id_of([] { pass_at_k(2, 1, 3); }), "data.out_of_domain");
}

TEST(Power, OfAComparison) {
  EXPECT_NEAR(minimum_detectable_effect(100), 2.801585218 * std::sqrt(0.5 / 100), 1e-8);
  const int64_t n = required_n(0.05);
  EXPECT_LE(minimum_detectable_effect(n), 0.05);
  EXPECT_GT(minimum_detectable_effect(n - 1), 0.05);
}

TEST(AgreementOfRaters, ByHand) {
  // 4 of 6 the same; margins 3/6 and 4/6 of "y": chance .5; kappa 1/3, PABAK 1/3.
  const Agreement result = agreement_of(Names{"y", "y", "y", "n", "n", "n"}, Names{"y", "y", "y", "y", "n", "z"});
  EXPECT_NEAR(result.observed, 4.0 / 6, 1e-15);
  const double chance = 3.0 / 6 * 4 / 6 + 3.0 / 6 * 1 / 6;
  EXPECT_NEAR(*result.kappa, (4.0 / 6 - chance) / (1 - chance), 1e-15);
  EXPECT_NEAR(result.pabak, (3 * 4.0 / 6 - 1) / 2, 1e-15);
}

TEST(PossibleMean, StartsAtTheLowestReward) {
  const Values signed_rewards = {-1, 1};
  EXPECT_TRUE(is_possible_mean(-0.3333, 3, signed_rewards, 4));
  EXPECT_FALSE(is_possible_mean(0.0, 3, signed_rewards, 4));
  EXPECT_FALSE(is_possible_mean(-1.6667, 3, signed_rewards, 4));
  EXPECT_TRUE(is_possible_mean(0.5, 7, Values{0.5}, 1));
  EXPECT_FALSE(is_possible_mean(0.4, 7, Values{0.5}, 1));
}

TEST(SeedTTest, NeedsThreeSeedsAndSpread) {
  EXPECT_EQ(id_of([] { seed_t_test(Values{0.1, 0.2}); }), "data.too_few_values");
  const SeedTest flat = seed_t_test(Values{0.3 - 0.1, 0.2, 0.2});
  EXPECT_FALSE(flat.t || flat.p || flat.interval);
  // Differences 1, 2, 3: mean 2, sd 1, t = 2 sqrt(3) with 2 degrees: p = 1 - t / sqrt(2 + t^2).
  const SeedTest test = seed_t_test(Values{1, 2, 3});
  EXPECT_NEAR(*test.t, 2 * std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(*test.p, 1 - std::sqrt(12.0 / 14), 1e-12);
}

TEST(ConfidenceSequence, IsWiderThanTheIntervalOfOneLook) {
  Values differences;
  for (int i = 0; i < 200; ++i) differences.push_back(i % 4 == 0 ? 1 : 0);
  const Interval sequence = confidence_sequence(differences), one_look = *paired_difference(differences).interval;
  EXPECT_LT(sequence.low, one_look.low);
  EXPECT_GT(sequence.high, one_look.high);
}

/// Rows of `num_copies` seeds that repeat the first: clusters by `keys` of one seed.
std::vector<Cluster> copied(const Names& keys, const Values& values, int num_copies) {
  Names all_keys;
  Values all_values;
  for (int copy = 0; copy < num_copies; ++copy) {
    all_keys.insert(all_keys.end(), keys.begin(), keys.end());
    all_values.insert(all_values.end(), values.begin(), values.end());
  }
  return clusters_of(all_keys, all_values);
}

TEST(StandardErrorOfClusters, ByHand) {
  // One row an item: sd / sqrt(n) = sqrt(10 / 3) / sqrt(4) of 1, 2, 4, 5.
  const Names items = {"a", "b", "c", "d"};
  EXPECT_NEAR(standard_error_of(copied(items, Values{1, 2, 4, 5}, 1)), std::sqrt(10.0 / 3 / 4), 1e-15);
  // Sums 1 of 1 row and 0 of 3: mean 1/4, residuals 3/4 and -3/4, squares 9/8, times 2 / 1, root over 4 rows.
  const Cluster one = clusters_of(Names{"a"}, Values{1})[0], three = clusters_of(Names{"b", "b", "b"}, Values(3, 0))[0];
  EXPECT_NEAR(standard_error_of(std::vector<Cluster>{one, three}), 1.5 / 4, 1e-15);
  EXPECT_EQ(standard_error_of(copied(items, Values(4, 0.1), 7)), 0);
  EXPECT_EQ(id_of([&] { standard_error_of(std::vector<Cluster>{one}); }), "data.too_few_values");
}

TEST(ConfidenceSequence, CountsPromptsAndNotRows) {
  const Names items = {"a", "b", "c", "d", "e", "f"}, prompts = {"p", "p", "q", "q", "r", "r"};
  const Values differences = {1, 0, 0, -1, 1, 1};
  const Interval plain = confidence_sequence(differences);
  for (const int copies : {1, 5, 50}) {
    const std::vector<Cluster> by_item = copied(items, differences, copies),
                               by_prompt = copied(prompts, differences, copies);
    const Interval of_items = confidence_sequence(by_item, by_item),
                   of_prompts = confidence_sequence(by_prompt, by_item);
    EXPECT_NEAR(of_items.low, plain.low, 1e-12) << copies;
    EXPECT_NEAR(of_items.high, plain.high, 1e-12) << copies;
    // Means .5, -.5, 1 of prompts: mean 1/3, squares 7/6, sd sqrt(7/12); 3 prompts.
    EXPECT_NEAR(of_prompts.high - 1.0 / 3, confidence_sequence_radius(3, std::sqrt(7.0 / 12)), 1e-12) << copies;
  }
}

TEST(ConfidenceSequence, ItemsThatCancelWithinPromptsAreNoCertainty) {
  const Names items = {"a", "b", "c", "d"}, prompts = {"p", "p", "q", "q"};
  const Values differences = {1, 0, 0, 1};
  const Interval sequence = confidence_sequence(clusters_of(prompts, differences), clusters_of(items, differences));
  // Both prompts have the mean .5; items have sd sqrt(1/3), a standard error of sqrt(1/12), 2 prompts.
  EXPECT_NEAR(sequence.high - 0.5, confidence_sequence_radius(2, std::sqrt(2.0 / 12)), 1e-12);
}

TEST(ConfidenceSequence, IsAtLeastThreeStandardErrorsWide) {
  double least = 1e9;
  for (int64_t n = 2; n < 100000; n = n * 11 / 10 + 1) {
    least = std::min(least, confidence_sequence_radius(n, 1) * std::sqrt(static_cast<double>(n)));
  }
  EXPECT_GE(least, 3.03);
}

TEST(ClusteredWilson, OfOneRowAPromptIsWilsons) {
  const Names items = {"a", "b", "c", "d", "e"};
  for (const Values& passes : {Values{0, 0, 0, 0, 0}, Values{1, 0, 0, 1, 0}, Values{1, 1, 1, 1, 1}}) {
    int64_t count = 0;
    for (const double pass : passes) count += pass == 1;
    const Interval plain = wilson_interval(count, 5);
    const std::vector<Cluster> once = copied(items, passes, 1);
    const Interval clustered = clustered_wilson_interval(once, once);
    EXPECT_EQ(clustered.low, plain.low);
    EXPECT_EQ(clustered.high, plain.high);
    for (const int copies : {5, 50}) {
      const std::vector<Cluster> clusters = copied(items, passes, copies);
      EXPECT_NEAR(effective_rows(clusters, clusters), 5, 1e-12);
      EXPECT_NEAR(clustered_wilson_interval(clusters, clusters).low, plain.low, 1e-12);
      EXPECT_NEAR(clustered_wilson_interval(clusters, clusters).high, plain.high, 1e-12);
    }
  }
}

TEST(ClusteredWilson, DesignEffectByHand) {
  // Prompts of 2 rows with 2, 1, 0, 0 passes: rate 3/8, residuals 5/4, 1/4, -3/4, -3/4, squares 11/4; independent
  // 8 (3/8)(5/8) = 15/8. With a prompt of 2 rows added: (11/4 + 4) / (15/8 + 2) = 54/31.
  const Names items = {"a", "b", "c", "d", "e", "f", "g", "h"}, prompts = {"p", "p", "q", "q", "r", "r", "s", "s"};
  const Values passes = {1, 1, 1, 0, 0, 0, 0, 0};
  for (const int copies : {1, 5}) {
    const double rows = effective_rows(copied(prompts, passes, copies), copied(items, passes, copies));
    EXPECT_NEAR(rows, 8 * 31.0 / 54, 1e-12) << copies;
  }
  // The ends solve |rate - p| = z sqrt(p (1 - p) / n).
  const Interval interval = clustered_wilson_interval(clusters_of(prompts, passes), clusters_of(items, passes));
  for (const double end : {interval.low, interval.high}) {
    EXPECT_NEAR(std::abs(0.375 - end), 1.959963984540054 * std::sqrt(end * (1 - end) * 54 / 31 / 8), 1e-12);
  }
  // Passes that cancel within prompts make no more of the rows than there are.
  const Values cancelling = {1, 0, 0, 1, 1, 0, 0, 1};
  for (const int copies : {1, 5}) {
    EXPECT_NEAR(effective_rows(copied(prompts, cancelling, copies), copied(items, cancelling, copies)), 8, 1e-12);
  }
  EXPECT_EQ(id_of([&] { clustered_wilson_interval(copied(prompts, Values(8, 0.5), 1), {}); }), "data.out_of_domain");
}

}  // namespace
}  // namespace plumbline
