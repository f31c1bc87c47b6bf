/// What a panel makes of rows: nothing of what is INVALID, and no cost that nobody states.
#include "plumbline/judge/panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plumbline {
namespace {

using testing::HasSubstr;

JudgeRow row(int item, const std::string& judge, const std::string& outcome, const std::string& arm = "a") {
  JudgeRow row;
  row.problem_id = {"q" + std::to_string(item), false};
  row.arm = arm;
  row.judge = judge;
  row.outcome = row.kind = outcome;
  return row;
}

JudgeRow failed(const std::string& kind, int http_status) {
  JudgeRow failed = row(0, "x", "transport_error");
  failed.kind = kind;
  failed.http_status = http_status;
  return failed;
}

JudgeRow priced(double usd) {
  JudgeRow priced = row(0, "x", "supported");
  priced.usage = {100, 10, usd};
  return priced;
}

std::optional<double> cost_of(const std::vector<JudgeRow>& rows) {
  Panel panel("support", {{"x", "meta"}}, 0.4);
  for (size_t i = 0; i < rows.size(); ++i) panel.take(static_cast<int64_t>(i), 0, rows[i]);
  const PanelSummary summary = panel.finish(true);
  const bool is_said = to_text(summary).find("cost not known") == std::string::npos;
  EXPECT_EQ(is_said, summary.costs[0].cost.usd().has_value());
  EXPECT_EQ(to_json(summary)["costs"][0]["cost_usd"].is_null(), !is_said);
  return summary.costs[0].cost.usd();
}

TEST(Panel, ACostThatNobodyStatesIsNotZero) {
  EXPECT_FALSE(cost_of({failed("unauthorized", 401)}));
  EXPECT_FALSE(cost_of({failed("timeout", 0), failed("connect", 0)}));
  EXPECT_FALSE(cost_of({row(0, "x", "supported")}));
  EXPECT_FALSE(cost_of({priced(0.25), row(1, "x", "supported")}));
  EXPECT_EQ(cost_of({priced(0.25), priced(0.5)}), 0.75);
  // A refusal costs nothing; what broke off in the middle may have been charged.
  EXPECT_EQ(cost_of({priced(0.25), failed("forbidden", 403), failed("connect", 0)}), 0.25);
  EXPECT_FALSE(cost_of({priced(0.25), failed("timeout", 0)}));
  EXPECT_FALSE(cost_of({priced(0.25), failed("cut_body", 200)}));
}

// Two judges agree on 30 of 40 answers; a third supports none of them, which is INVALID beside the others.
TEST(Panel, MajorityAgreementAndDisagreementsLeaveAnInvalidJudgeOut) {
  Panel panel("support", {{"x", "meta"}, {"y", "mistral"}, {"z", "qwen"}}, 0.4);
  for (int item = 0; item < 40; ++item) {
    panel.take(item, 0, row(item, "x", item < 20 ? "supported" : "not_supported"));
    panel.take(item, 1, row(item, "y", item < 30 ? "supported" : "not_supported"));
    panel.take(item, 2, row(item, "z", "not_supported"));
  }
  const PanelSummary summary = panel.finish(true);
  EXPECT_TRUE(summary.counts[0].valid && summary.counts[1].valid);
  EXPECT_FALSE(summary.counts[2].valid);
  EXPECT_EQ(summary.majority.at("a"),
            (std::map<std::string, int64_t>{{"not_supported", 10}, {"split", 10}, {"supported", 20}}));
  EXPECT_EQ(summary.disagreements.size(), 10u);
  ASSERT_EQ(summary.pairs.size(), 1u);
  EXPECT_EQ(summary.pairs[0].second, "y");
  EXPECT_FALSE(summary.may_claim);
}

TEST(Panel, OneValidJudgeIsNoMajority) {
  Panel panel("support", {{"x", "meta"}, {"y", "mistral"}}, 0.4);
  for (int item = 0; item < 4; ++item) {
    panel.take(item, 0, row(item, "x", "supported"));
    panel.take(item, 1, row(item, "y", "transport_error"));
  }
  const PanelSummary summary = panel.finish(true);
  EXPECT_FALSE(summary.counts[1].valid);
  EXPECT_TRUE(summary.majority.empty());
  EXPECT_TRUE(summary.disagreements.empty());
}

/// What a whole run of two judges that always agree may claim.
PanelSummary agreeing(const std::string& first_family, const std::string& second_family) {
  Panel panel("support", {{"x", first_family}, {"y", second_family}}, 0.4);
  for (int item = 0; item < 40; ++item) {
    panel.take(item, 0, row(item, "x", item < 20 ? "supported" : "not_supported"));
    panel.take(item, 1, row(item, "y", item < 20 ? "supported" : "not_supported"));
  }
  return panel.finish(true);
}

TEST(Panel, AClaimRestsOnTwoKnownMakers) {
  EXPECT_TRUE(agreeing("meta", "mistral").may_claim);
  EXPECT_EQ(agreeing("meta", "meta").pairs.at(0).same_family, true);
  EXPECT_FALSE(agreeing("meta", "meta").may_claim);
  for (const auto& [first, second] : {std::pair("", ""), std::pair("meta", ""), std::pair("", "meta")}) {
    const PanelSummary summary = agreeing(first, second);
    EXPECT_FALSE(summary.may_claim);
    EXPECT_EQ(summary.pairs.at(0).same_family, std::nullopt);
    EXPECT_THAT(summary.claim_reason, HasSubstr("not known"));
    EXPECT_THAT(summary.claim_reason, HasSubstr(*second ? "x" : "y"));
    EXPECT_TRUE(to_json(summary)["agreement"][0]["same_family"].is_null());
    EXPECT_THAT(to_text(summary), HasSubstr("claim: none (a claim needs judges of two known families"));
  }
  EXPECT_THAT(agreeing("meta", "meta").claim_reason, testing::Not(HasSubstr("not known,")));
}

// On the other arm the same judge is valid, and counts there.
TEST(Panel, AJudgeIsInvalidArmByArm) {
  Panel panel("support", {{"x", "meta"}, {"y", "mistral"}}, 0.4);
  int item = 0;
  for (const char* arm : {"a", "b"}) {
    for (int i = 0; i < 3; ++i, ++item) {
      panel.take(item, 0, row(item, "x", "supported", arm));
      panel.take(item, 1, row(item, "y", *arm == 'a' ? "unparsable" : "not_supported", arm));
    }
  }
  const PanelSummary summary = panel.finish(true);
  EXPECT_EQ(summary.majority.size(), 1u);
  EXPECT_EQ(summary.majority.at("b"), (std::map<std::string, int64_t>{{"split", 3}}));
  EXPECT_THAT(summary.disagreements, testing::ElementsAre(3, 4, 5));
  EXPECT_EQ(summary.pairs.at(0).agreement.num_items, 3);
}

}  // namespace
}  // namespace plumbline
