/// Live findings of a training: raised once each, and not where all is well.
#include "plumbline/doctor/inside/live_findings.h"

#include <gtest/gtest.h>

#include <map>

namespace plumbline::doctor {
namespace {

LiveStep healthy(int64_t step) {
  return {.step = step,
          .num_completions = 64,
          .num_groups = 8,
          .pass_rate = 0.4,
          .hack_rate = 0.02,
          .truncated_rate = 0.05,
          .num_zero_spread_groups = 1};
}

/// How often each finding is raised over 100 steps, and the step of its first time.
template <typename Change>
std::map<std::string, std::pair<int, int64_t>> raised(Change change, bool has_own_rewards = true) {
  LiveFindings live(has_own_rewards);
  std::map<std::string, std::pair<int, int64_t>> found;
  for (int64_t step = 1; step <= 100; ++step) {
    LiveStep row = healthy(step);
    change(row);
    for (const LiveFinding& finding : live.take(row)) {
      auto& [times, first] = found[finding.id];
      if (times++ == 0) first = step;
      EXPECT_FALSE(finding.text.empty());
    }
  }
  return found;
}

using Found = std::map<std::string, std::pair<int, int64_t>>;

TEST(LiveFindings, AHealthyRunHasNone) {
  EXPECT_EQ(raised([](LiveStep&) {}), Found());
}

TEST(LiveFindings, OnsetOfHackingOnce) {
  const Found found = raised([](LiveStep& row) {
    if (row.step >= 40) row.hack_rate = 0.6;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.at("reward_hacking_onset").first, 1);
  EXPECT_LE(found.at("reward_hacking_onset").second, 45);
  EXPECT_GE(found.at("reward_hacking_onset").second, 40);
}

TEST(LiveFindings, DeadGradientOnceAndNotWhereTheTaskIsSolved) {
  const auto equal = [](LiveStep& row) {
    if (row.step >= 10) row.num_zero_spread_groups = 7;
  };
  EXPECT_EQ(raised(equal), (Found{{"dead_gradient", {1, 17}}}));
  EXPECT_EQ(raised([&](LiveStep& row) {
              equal(row);
              row.pass_rate = 0.95;
            }),
            Found());
  EXPECT_EQ(raised([&](LiveStep& row) { row.num_zero_spread_groups = row.step % 8 == 0 ? 1 : 7; }), Found());
}

TEST(LiveFindings, TokenCapOnce) {
  EXPECT_EQ(raised([](LiveStep& row) {
              if (row.step >= 10) row.truncated_rate = 0.7;
            }),
            (Found{{"token_cap_suspected", {1, 13}}}));
}

TEST(LiveFindings, JudgeOutageOnceAndOnlyWithRewardsOfOnesOwn) {
  const auto outage = [](LiveStep& row) {
    if (row.step >= 10) row.num_without_verdict = 64;
  };
  EXPECT_EQ(raised(outage), (Found{{"judge_outage", {1, 10}}}));
  EXPECT_EQ(raised(outage, false), Found());
  EXPECT_EQ(raised([](LiveStep& row) { row.num_without_verdict = row.step % 4 == 0; }), Found());
}

}  // namespace
}  // namespace plumbline::doctor
