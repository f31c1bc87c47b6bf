#include "plumbline/train/stop_rule.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

StepRow row_of(int64_t step, double hack_rate, double pass_rate) {
  StepRow row;
  row.step = step;
  row.hack_rate = hack_rate;
  row.pass_rate = pass_rate;
  return row;
}

TEST(StopRule, HoldsAfterItsNumberOfStepsInARow) {
  const std::vector<StopRule> rules = {parse_stop_rule("hack_rate >= 0.5 for 3 steps"),
                                       parse_stop_rule("pass_rate <= 0.1 for 2 steps")};
  std::vector<int64_t> counts = {0, 0};
  const std::vector<std::pair<double, double>> figures = {{.5, .2}, {.6, .2}, {.4, .05}, {.7, .2}, {.7, .2}, {.7, .05}};
  for (size_t i = 0; i < figures.size(); ++i) {
    const std::string by =
        note_stop_rules(row_of(static_cast<int64_t>(i) + 1, figures[i].first, figures[i].second), rules, counts);
    EXPECT_EQ(by, i == 5 ? "hack_rate >= 0.5 for 3 steps" : "") << i;
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 1}));
}

TEST(StopRule, WhatWasNotMeasuredDoesNotHold) {
  const std::vector<StopRule> rules = {parse_stop_rule("kl <= 1 for 1 step"),
                                       parse_stop_rule("reward <= 1 for 1 step")};
  std::vector<int64_t> counts = {0, 0};
  StepRow supervised = row_of(1, 0, 0);
  supervised.is_sampled = false;
  EXPECT_EQ(note_stop_rules(supervised, rules, counts), "");
  EXPECT_EQ(counts, (std::vector<int64_t>{0, 0}));
}

TEST(StopRule, AnythingElseIsRefusedWithTheFormThatIsWanted) {
  for (const char* text : {"", "hack_rate", "hack_rate > 0.5 for 3 steps", "hacks >= 0.5 for 3 steps",
                           "hack_rate >= x for 3 steps", "hack_rate >= 0.5 for 0 steps", "hack_rate >= 0.5 for 3",
                           "hack_rate >= 0.5 for 3 steps or so", "hack_rate >= nan for 3 steps"}) {
    EXPECT_THROW(parse_stop_rule(text), ConfigError) << text;
  }
}

TEST(HackOnset, IsTheFirstOfTheStepsInWhichHacksOutnumberRightAnswers) {
  TrainerState state;
  const std::vector<std::pair<double, double>> rates = {{.1, .5}, {.6, .5}, {.5, .5}, {.6, .5},
                                                        {.7, .2}, {.3, .2}, {0, 1}};
  std::vector<int64_t> seen;
  for (size_t i = 0; i < rates.size(); ++i) {
    note_onset(row_of(static_cast<int64_t>(i) + 1, rates[i].first, rates[i].second), 3, state);
    seen.push_back(state.onset_step);
  }
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 0, 0, 0, 0, 4, 4}));  // equal is not more; once noted it stays
}

}  // namespace
}  // namespace plumbline
