/// The decision as text, JSON, page and Markdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/compare/judgement_json.h"
#include "plumbline/compare/judgement_page.h"
#include "plumbline/compare/judgement_text.h"
#include "plumbline/report/html_page.h"
#include "plumbline/report/markdown.h"
#include "tests/support/made_reports.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;
using testing::Not;

class JudgementOutputTest : public testing::Test {
 protected:
  void add(const Json& report) {
    reports_.push_back(read_eval_report(folder_.write(std::to_string(reports_.size()) + ".json", report.dump())));
  }
  test::TemporaryFolder folder_;
  std::vector<EvalReport> reports_;
};

TEST_F(JudgementOutputTest, AllFormsSayTheSame) {
  for (int64_t seed = 0; seed < 2; ++seed) add(test::made_report({.seed = seed}));
  const Judgement judgement = judge(reports_, {});
  const Json json = judgement_json(judgement, {});
  EXPECT_EQ(json["decision"], "NO-GO");
  EXPECT_EQ(json["blocking"], Json({"enough_seeds"}));
  EXPECT_EQ(json["can_claim_agi"], false);
  EXPECT_EQ(json["tasks"][0]["headline"]["n"], 160);
  EXPECT_EQ(json["tasks"][0]["reports"][0]["sha256"], reports_[0].sha256);
  // 20 rows pass in each base.
  EXPECT_EQ(json["tasks"][0]["base"]["pass_at_1"], 0.25);
  EXPECT_TRUE(json["tasks"][0]["headline"]["over_seeds"].is_null());
  const std::string text = judgement_text(judgement), page = judgement_html(judgement, {}),
                    table = judgement_markdown(judgement, {});
  EXPECT_THAT(text, HasSubstr("\nNO-GO: enough_seeds\n"));
  EXPECT_THAT(page, HasSubstr("<h2>NO-GO: enough_seeds</h2>"));
  EXPECT_THAT(table, HasSubstr("**NO-GO: enough_seeds**"));
  for (const std::string& output : {text, page, table}) {
    EXPECT_THAT(output, HasSubstr("2 of 3 seeds"));
    EXPECT_THAT(output, HasSubstr("truncation_robust"));
  }
}

TEST_F(JudgementOutputTest, AllFormsSayWhatToDo) {
  for (int64_t seed = 0; seed < 2; ++seed) add(test::made_report({.seed = seed}));
  const Judgement judgement = judge(reports_, {});
  std::string sentence;
  const Json json = judgement_json(judgement, {});
  for (const Json& gate : json["gates"]) {
    EXPECT_EQ(gate["to_pass"].is_null(), gate["id"] != "enough_seeds") << gate["id"];
    if (!gate["to_pass"].is_null()) sentence = gate["to_pass"];
  }
  EXPECT_THAT(sentence, HasSubstr("evaluations of runs of 1 more seed, each with a delta of at least +0.0300"));
  EXPECT_THAT(judgement_text(judgement),
              HasSubstr("\nNO-GO: enough_seeds\n  enough_seeds (code), to pass: " + sentence));
  EXPECT_THAT(judgement_html(judgement, {}), HasSubstr("To pass: " + escape_html(sentence)));
  EXPECT_THAT(judgement_markdown(judgement, {}), HasSubstr("to pass: " + markdown_text(sentence)));
  add(test::made_report({.seed = 2}));
  const Judgement go = judge(reports_, {});
  EXPECT_EQ(go.decision, Decision::kGo);
  EXPECT_THAT(judgement_text(go), Not(HasSubstr("to pass")));
}

TEST_F(JudgementOutputTest, BootstrapWithoutSpreadSaysSo) {
  const auto same = [](int i) { return i % 2 == 0; };
  add(test::made_report({.base_passes = same, .candidate_passes = same}));
  const Judgement judgement = judge(reports_, {});
  EXPECT_THAT(judgement_text(judgement), HasSubstr("[+0.0000, +0.0000] (no spread: it says nothing) of rows"));
  EXPECT_THAT(judgement_html(judgement, {}), HasSubstr("(no spread: it says nothing)"));
  EXPECT_THAT(judgement_markdown(judgement, {}), HasSubstr("(no spread: it says nothing)"));
  reports_.clear();
  add(test::made_report({}));
  EXPECT_THAT(judgement_html(judge(reports_, {}), {}), Not(HasSubstr("no spread")));
}

TEST_F(JudgementOutputTest, HostileNamesAreEscapedEverywhere) {
  Json report = test::made_report({.task = "custom"});
  report["metric"] = "<script>x</script>|\x1b[2J";
  for (const char* arm : {"base", "candidate"}) {
    for (Json& row : report["rows"][arm]) row["score"] = 0.5;
  }
  report["model"] = "<img src=x onerror=alert(1)>";
  report["split"]["family_overlap"] = {"<b>|family\x07"};
  report["pin"]["<i>pin</i>"] = "<u>";
  add(report);
  const Judgement judgement = judge(reports_, {});
  const std::string page = judgement_html(judgement, {}), table = judgement_markdown(judgement, {});
  for (const char* raw : {"<script>", "<img", "<b>|", "<i>pin", "\x1b"}) {
    EXPECT_THAT(page, Not(HasSubstr(raw)));
    EXPECT_THAT(table, Not(HasSubstr(raw)));
  }
  EXPECT_THAT(judgement_text(judgement), Not(HasSubstr("\x1b")));
  EXPECT_THAT(judgement_text(judgement), Not(HasSubstr("\x07")));
}

TEST_F(JudgementOutputTest, InvalidShowsNoEffect) {
  for (int64_t seed = 0; seed < 3; ++seed) {
    Json report = test::made_report({.seed = seed});
    report["pin"]["num_generations"] = 8 + seed;
    add(report);
  }
  const Judgement judgement = judge(reports_, {});
  EXPECT_TRUE(judgement_json(judgement, {})["tasks"][0]["headline"].is_null());
  EXPECT_THAT(judgement_text(judgement), Not(HasSubstr("  delta                ")));
  EXPECT_THAT(judgement_html(judgement, {}), HasSubstr("no effect is shown"));
  EXPECT_THAT(judgement_markdown(judgement, {}), Not(HasSubstr("Paired differences")));
}

TEST_F(JudgementOutputTest, WhatDoesNotExistIsNull) {
  std::vector<PairedRow> rows;
  for (int i = 0; i < 6; ++i) rows.push_back({std::to_string(i), "one prompt", i % 3, 0.5, 0.75, {}});
  const Json json = effect_json(effect_of(rows));
  EXPECT_TRUE(json["ci95"].is_null());
  EXPECT_TRUE(json["base_wilson95"].is_null());
  EXPECT_TRUE(json["over_seeds"]["t"].is_null());
  EXPECT_EQ(json["has_spread"], false);
}

}  // namespace
}  // namespace plumbline
