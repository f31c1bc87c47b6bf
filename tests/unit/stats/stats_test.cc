/// Against figures of scipy and of plain enumeration (tools/reference/paired_statistics.py), and by simulation.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/rng.h"
#include "plumbline/stats/interval.h"
#include "plumbline/stats/moments.h"
#include "plumbline/stats/paired_test.h"
#include "plumbline/stats/rank_test.h"
#include "plumbline/stats/student_t.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

const Json& golden() {
  static const std::string path = test::source_path("tests/golden/stats/golden.json");
  static const Json values = parse_json(read_file(path), path);
  return values;
}

TEST(Moments, OfNothingAreErrors) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_EQ(mean_of(values), 5);
  EXPECT_NEAR(sample_sd(values), std::sqrt(32.0 / 7), 1e-15);
  EXPECT_THROW(mean_of({}), DataError);
  EXPECT_THROW(sample_sd(std::vector<double>{1}), DataError);
}

TEST(StudentT, AgreesWithScipy) {
  for (const Json& row : golden()["t_quantiles"]) {
    const double t = row["t"], p = row["p"], degrees = row["degrees"];
    EXPECT_NEAR(student_t_quantile(p, degrees), t, 1e-8 * std::max(1.0, std::abs(t))) << row;
  }
  for (const Json& row : golden()["t_tails"]) {
    const double p = row["p"], t = row["t"], degrees = row["degrees"];
    EXPECT_NEAR(student_t_cdf(t, degrees), p, 1e-10 * std::min(p, 1.0)) << row;
  }
}

TEST(NormalQuantile, AgreesWithTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-11);
}

TEST(WilsonInterval, AgreesWithScipyAndStaysInside) {
  for (const Json& row : golden()["wilson"]) {
    const Interval interval = wilson_interval(row["count"], row["total"], row["level"]);
    EXPECT_NEAR(interval.low, row["low"].get<double>(), 1e-12) << row;
    EXPECT_NEAR(interval.high, row["high"].get<double>(), 1e-12) << row;
  }
  EXPECT_EQ(wilson_interval(0, 5).low, 0);
  EXPECT_EQ(wilson_interval(5, 5).high, 1);
  EXPECT_THROW(wilson_interval(0, 0), DataError);
}

TEST(PairedDifference, AgreesWithScipy) {
  for (const Json& row : golden()["paired"]) {
    std::vector<double> differences;
    for (size_t i = 0; i < row["a"].size(); ++i) {
      differences.push_back(row["a"][i].get<double>() - row["b"][i].get<double>());
    }
    const PairedDifference result = paired_difference(differences);
    ASSERT_TRUE(result.interval) << row;
    EXPECT_NEAR(result.interval->low, row["low"].get<double>(), 1e-9) << row;
    EXPECT_NEAR(result.interval->high, row["high"].get<double>(), 1e-9) << row;
  }
}

TEST(PairedDifference, OnePairAndNoSpreadHaveNoInterval) {
  EXPECT_THROW(paired_difference({}), DataError);
  const PairedDifference one = paired_difference(std::vector<double>{-0.5});
  EXPECT_EQ(one.mean, -0.5);
  EXPECT_FALSE(one.sd || one.interval);
  // 0.3 - 0.1 and 0.2 differ in the last bit only.
  EXPECT_FALSE(paired_difference(std::vector<double>{0.3 - 0.1, 0.2}).interval);
}

TEST(PairedDifference, CoversTheTruthAsOftenAsItSays) {
  constexpr int kTrials = 4000;
  CounterRng rng(StreamKey{.seed = 7});
  for (const uint64_t pairs : {2, 3, 8}) {
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> differences;
      for (uint64_t i = 0; i < pairs; ++i) differences.push_back(-0.4 + 0.1 * rng.next_normal());
      covered += !paired_difference(differences).interval->excludes(-0.4);
    }
    // Standard error .0034; a percentile bootstrap or a normal interval would fall to .70 at two pairs.
    EXPECT_NEAR(covered / static_cast<double>(kTrials), 0.95, 0.014) << pairs;
  }
}

TEST(RankTest, AgreesWithEnumeration) {
  for (const Json& row : golden()["rank"]) {
    const auto low = row["low"].get<std::vector<double>>(), high = row["high"].get<std::vector<double>>();
    EXPECT_NEAR(rank_test_below(low, high), row["p"].get<double>(), 1e-12) << row;
  }
  EXPECT_THROW(rank_test_below({}, std::vector<double>{1}), DataError);
}

TEST(RankTest, NineControlsAboveThreeRuns) {
  const std::vector<double> low = {1, 2, 3}, high = {4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_NEAR(rank_test_below(low, high), 1.0 / 220, 1e-15);
  EXPECT_NEAR(rank_test_below(high, low), 1.0, 1e-12);
}

TEST(RankTest, ManyValuesStayExact) {
  std::vector<double> low, high;
  for (int i = 0; i < 100; ++i) {
    low.push_back(2 * i);
    high.push_back(2 * i + 1);
  }
  // z = -.1210 by the normal approximation with its continuity correction of half a rank, which is good here.
  EXPECT_NEAR(rank_test_below(low, high), 0.4519, 3e-4);
  high.push_back(1000);
  EXPECT_THROW(rank_test_below(low, high), DataError);
}

}  // namespace
}  // namespace plumbline
