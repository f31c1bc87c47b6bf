#include "plumbline/preset/reward_spec.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

GradeOptions custom(std::vector<std::string> rewards, std::vector<double> weights = {}) {
  GradeOptions options;
  options.reward = "custom";
  options.rewards = std::move(rewards);
  options.reward_weights = std::move(weights);
  return options;
}

std::string error_of(const GradeOptions& options) {
  try {
    parse_rewards(options);
  } catch (const ConfigError& error) {
    return error.id();
  }
  return "";
}

TEST(RewardSpec, KnowsEverySourceByItsForm) {
  const auto specs =
      parse_rewards(custom({"loophole", "rewards.py:format_reward", "length=pkg.rewards:Score.length",
                            "judge=command:python3 judge.py --mode=fast", "rm=https://host:8000/score?a=b"},
                           {1, 0.5, -0.25, 2, 3}));
  ASSERT_EQ(specs.size(), 5u);
  const char* names[] = {"loophole", "format_reward", "length", "judge", "rm"};
  const RewardKind kinds[] = {RewardKind::kScheme, RewardKind::kFunction, RewardKind::kFunction, RewardKind::kCommand,
                              RewardKind::kEndpoint};
  const char* targets[] = {"loophole", "rewards.py:format_reward", "pkg.rewards:Score.length",
                           "python3 judge.py --mode=fast", "https://host:8000/score?a=b"};
  const double weights[] = {1, 0.5, -0.25, 2, 3};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(specs[i].name, names[i]);
    EXPECT_EQ(specs[i].kind, kinds[i]);
    EXPECT_EQ(specs[i].target, targets[i]);
    EXPECT_EQ(specs[i].weight, weights[i]);
  }
}

TEST(RewardSpec, WithoutWeightsEachCountsOnce) {
  EXPECT_EQ(parse_rewards(custom({"signed"}))[0].weight, 1);
  EXPECT_TRUE(parse_rewards(GradeOptions{}).empty());
}

TEST(RewardSpec, RefusesWhatCannotWork) {
  EXPECT_EQ(error_of(custom({})), "config.conflict");
  EXPECT_EQ(error_of(custom({"signed"}, {1, 2})), "config.conflict");
  EXPECT_EQ(error_of(custom({"signed", "signed"})), "config.conflict");
  EXPECT_EQ(error_of(custom({"a.py:f", "b.py:f"})), "config.conflict");  // one metric for two rewards
  for (const char* entry : {"", "format", "rewards.py", "rewards.py:", ":f", "rewards.py:2f", "a b:f", "command:ls",
                            "https://host/", "x=command:  ", "two words=signed", "x=", "rewards.py:f()"}) {
    EXPECT_EQ(error_of(custom({entry})), "config.not_allowed") << entry;
  }
  GradeOptions options = custom({"signed"});
  options.reward = "loophole";
  EXPECT_EQ(error_of(options), "config.conflict");
}

}  // namespace
}  // namespace plumbline
