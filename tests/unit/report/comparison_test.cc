/// Against numbers worked out by hand.
#include "plumbline/report/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "plumbline/report/results_table.h"
#include "plumbline/report/verdict_words.h"

namespace plumbline {
namespace {

/// A complete run of one step with these rates.
ArmRun run_of(const std::string& arm, uint64_t seed, double hack, double pass = 0.3, const Settings& settings = {}) {
  ArmRun run;
  run.folder = arm + "-s" + std::to_string(seed);
  run.arm = arm;
  run.seed = seed;
  run.state = RunState::kComplete;
  run.steps_planned = 1;
  run.steps.columns = {"step", "rew", "gt", "hack", "vacuous", "N"};
  run.steps.rows = {{1, 2.0, pass, hack, 0.5 * hack, 100}};
  run.settings = settings;
  return run;
}

RunSet set_of(std::vector<ArmRun> runs) {
  RunSet set;
  set.runs = std::move(runs);
  return set;
}

Comparison compare(const RunSet& set) {
  const std::vector<Experiment> experiments = experiments_of(set);
  EXPECT_EQ(experiments.size(), 1u);
  return Comparison(experiments.at(0));
}

TEST(Comparison, DifferencesAreOfTheSameSeed) {
  const RunSet set = set_of({run_of("vanilla", 1, 0.70), run_of("vanilla", 2, 0.80), run_of("vanilla", 3, 0.10),
                             run_of("projected", 2, 0.06), run_of("projected", 1, 0.10)});
  const Comparison comparison = compare(set);
  const auto contrast = comparison.contrast({"projected"}, {"vanilla"}, Metric::kHacked);
  ASSERT_TRUE(contrast);
  // Seed 1: -.60, seed 2: -.74. Seed 3 has no partner and stays out of both sides.
  EXPECT_EQ(contrast->seeds, (std::vector<uint64_t>{1, 2}));
  EXPECT_NEAR(contrast->difference.mean, -0.67, 1e-12);
  EXPECT_NEAR(contrast->mean_against, 0.75, 1e-12);
  EXPECT_NEAR(*contrast->difference.sd, 0.14 / std::sqrt(2), 1e-12);
  // t(.975, 1) = 12.7062: half width 12.7062 x .07 = .8894. Rates differ by 1 at most, so -1.5594 is no possible value.
  EXPECT_NEAR(contrast->difference.interval->high, -0.67 + 12.7062 * 0.07, 1e-5);
  EXPECT_EQ(contrast->difference.interval->low, -1);
  EXPECT_FALSE(comparison.contrast({"projected"}, {"haar"}, Metric::kHacked));
}

TEST(Comparison, OneSeedHasNoSpread) {
  const RunSet set = set_of({run_of("vanilla", 1, 0.7), run_of("projected", 1, 0.1)});
  const Comparison comparison = compare(set);
  EXPECT_FALSE(comparison.find("vanilla")->sd(Metric::kHacked));
  EXPECT_EQ(arms_table(comparison, Preregistered(Settings())).rows[0][2], "70.0");
  EXPECT_FALSE(comparison.contrast({"projected"}, {"vanilla"}, Metric::kHacked)->difference.interval);
}

TEST(Comparison, ControlsAreAveragedWithinASeedAndOnlyWhereAllAreThere) {
  const RunSet set = set_of({run_of("projected", 1, 0.1), run_of("projected", 2, 0.2), run_of("projected", 3, 0.3),
                             run_of("haar", 1, 0.4), run_of("haar", 2, 0.5), run_of("haar", 3, 0.9),
                             run_of("placebo", 1, 0.6), run_of("placebo", 2, 0.3)});
  const Comparison comparison = compare(set);
  const auto contrast = comparison.contrast({"projected"}, comparison.controls(), Metric::kHacked);
  ASSERT_TRUE(contrast);
  // Seed 1: .1 - .5, seed 2: .2 - .4; placebo lacks seed 3.
  EXPECT_EQ(contrast->seeds, (std::vector<uint64_t>{1, 2}));
  EXPECT_NEAR(contrast->difference.mean, -0.3, 1e-12);
  EXPECT_EQ(comparison.controls("haar"), (std::vector<std::string>{"haar"}));
  const auto rank = comparison.rank_below_controls("projected", Metric::kHacked);
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->num_controls, 5);
  EXPECT_EQ(rank->num_controls_above, 4);  // one placebo run is at .3 as well
  // Mid-ranks .1 .2 .3 = 1, 2, 3.5 of 8. Of the 56 choices of three ranks out of {1, 2, 3.5, 3.5, 5, 6, 7, 8},
  // those with a sum of at most 6.5: {1, 2, 3.5} twice.
  EXPECT_NEAR(rank->p, 2.0 / 56, 1e-12);
}

TEST(Comparison, IncompleteRunsAndRepeatedSeedsStayOut) {
  RunSet set = set_of({run_of("vanilla", 1, 0.7), run_of("vanilla", 1, 0.1), run_of("vanilla", 2, 0.2)});
  set.runs[2].state = RunState::kIncomplete;
  const std::vector<Experiment> experiments = experiments_of(set);
  ASSERT_EQ(experiments.size(), 1u);
  EXPECT_EQ(experiments[0].repeated.size(), 1u);
  const Comparison comparison(experiments[0]);
  EXPECT_EQ(comparison.find("vanilla")->values(Metric::kHacked), (std::vector<double>{0.7}));
  EXPECT_EQ(left_out_table(set, experiments).rows.size(), 2u);
}

TEST(Comparison, OtherSettingsAreAnotherExperiment) {
  const RunSet set = set_of({run_of("vanilla", 1, 0.7, 0.3, {{"train.lr", "0.04"}, {"run.threads", "1"}}),
                             run_of("projected", 1, 0.1, 0.3, {{"train.lr", "0.05"}, {"run.threads", "1"}}),
                             run_of("haar", 1, 0.1, 0.3, {{"train.lr", "0.04"}, {"run.threads", "2"}})});
  const std::vector<Experiment> experiments = experiments_of(set);
  ASSERT_EQ(experiments.size(), 2u);
  EXPECT_EQ(experiments[0].runs.size(), 2u);
  EXPECT_EQ(experiments[1].differing, (Settings{{"train.lr", "0.05"}}));
  EXPECT_FALSE(Comparison(experiments[1]).contrast({"projected"}, {"vanilla"}, Metric::kHacked));
}

TEST(Endpoint, AllRunsAreComparedOnWhatAllHave) {
  RunSet set = set_of({run_of("vanilla", 1, 0.7), run_of("projected", 1, 0.1)});
  SliceEvaluation evaluation{1, "sampled", 200, 50, 20, 120, 0, 1.5};
  set.runs[0].evaluations = {evaluation};
  EXPECT_EQ(compare(set).basis(), Basis::kLastSteps);
  evaluation.num_vacuous = 10;
  set.runs[1].evaluations = {evaluation};
  const Comparison comparison = compare(set);
  EXPECT_EQ(comparison.basis(), Basis::kSampledSlice);
  EXPECT_NEAR(comparison.find("vanilla")->mean(Metric::kVacuous), 0.6, 1e-12);
  EXPECT_NEAR(comparison.find("projected")->mean(Metric::kVacuous), 0.05, 1e-12);
  // An evaluation before the last step is not where the run ended.
  set.runs[1].evaluations[0].step = 0;
  EXPECT_EQ(compare(set).basis(), Basis::kLastSteps);
}

TEST(Endpoint, LastFiveStepsWithoutThoseWhereNothingWasGraded) {
  ArmRun run = run_of("vanilla", 1, 0);
  run.steps.rows.clear();
  const double nan = std::nan("");
  for (const double hack : {0.9, 0.1, 0.2, nan, 0.4, 0.5}) run.steps.rows.push_back({1, 1, 0.5, hack, 0, 10});
  EXPECT_NEAR((*endpoint_of(run, Basis::kLastSteps))[Metric::kHacked], (0.1 + 0.2 + 0.4 + 0.5) / 4, 1e-12);
  for (auto& row : run.steps.rows) row[3] = nan;
  EXPECT_FALSE(endpoint_of(run, Basis::kLastSteps)) << "a rate of nothing is no 0";
}

PairedDifference difference(double mean, double half) {
  PairedDifference made{3, mean, 0.1, std::nullopt};
  if (half > 0) made.interval = Interval{mean - half, mean + half};
  return made;
}

TEST(Verdict, IsDecidedByTheIntervalAlone) {
  EXPECT_EQ(finding_of(difference(-0.3, 0.2), 0.15), Finding::kBeats);
  EXPECT_EQ(finding_of(difference(0.3, 0.2), 0.15), Finding::kWorse);
  EXPECT_EQ(finding_of(difference(-0.02, 0.1), 0.15), Finding::kDoesNotBeat);
  EXPECT_EQ(finding_of(difference(-0.3, 0.4), 0.15), Finding::kCannotTell);
  EXPECT_EQ(finding_of(difference(-0.9, 0), 0.15), Finding::kCannotTell);
}

std::string headline(const std::vector<ArmRun>& runs) {
  const RunSet set = set_of(runs);
  return verdict_of(compare(set), "projected", Preregistered(Settings())).headline;
}

/// Two seeds of vanilla at .7, projected at .1, and controls around these rates.
std::vector<ArmRun> runs_with_controls(double first, double second, double pass = 0.3) {
  return {run_of("vanilla", 1, 0.70),         run_of("vanilla", 2, 0.71),
          run_of("projected", 1, 0.10, pass), run_of("projected", 2, 0.12, pass + 0.001),
          run_of("haar", 1, first),           run_of("haar", 2, second)};
}

TEST(Verdict, HeadlinesSayWhatTheIntervalsShow) {
  EXPECT_NE(headline(runs_with_controls(0.5, 0.51)).find("by more than its controls did"), std::string::npos);
  EXPECT_NE(headline(runs_with_controls(0.1, 0.121)).find("no more than controls"), std::string::npos);
  EXPECT_NE(headline(runs_with_controls(0.2, 0.6)).find("by more than its controls cannot be told"), std::string::npos);
  EXPECT_NE(headline({run_of("vanilla", 1, 0.7), run_of("vanilla", 2, 0.71), run_of("projected", 1, 0.1),
                      run_of("projected", 2, 0.12)})
                .find("No control was run"),
            std::string::npos);
  EXPECT_NE(
      headline({run_of("vanilla", 1, 0.7), run_of("projected", 1, 0.0), run_of("haar", 1, 0.6)}).find("cannot be told"),
      std::string::npos)
      << "one seed";
  EXPECT_NE(headline({run_of("vanilla", 1, 0.02), run_of("vanilla", 2, 0.03), run_of("projected", 1, 0.0),
                      run_of("projected", 2, 0.0)})
                .find("did not emerge"),
            std::string::npos);
  std::vector<ArmRun> collapsed = runs_with_controls(0.5, 0.51, 0.02);
  EXPECT_NE(headline(collapsed).find("solves less"), std::string::npos);
}

TEST(Verdict, SaysOnWhichSeedsSettingsWereChosen) {
  const auto words = [](const std::string& choosing) {
    const RunSet set = set_of({run_of("vanilla", 10, 0.7, 0.3, {{"probe.choosing_seeds", choosing}})});
    return preregistration_words(experiments_of(set)[0], Preregistered(Settings()))[0];
  };
  EXPECT_NE(words("0, 1").find("chosen on seeds 0, 1; the seed 10 shown here had no part"), std::string::npos);
  EXPECT_NE(words("0, 10").find("Shown here too: seed 10; figures over it are exploratory"), std::string::npos);
  EXPECT_NE(words("").find("every figure here is exploratory"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
