/// eval.v1 as it is written, against figures counted by hand, and read back.
#include "plumbline/compare/eval_report_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/compare/eval_report.h"

namespace plumbline {
namespace {

Problem problem_of(const std::string& task, int id) {
  Problem problem;
  problem.id = {std::to_string(id), true};
  problem.task = task;
  problem.family = "f" + std::to_string(id);
  return problem;
}

Json row_of(const std::string& task, int id, Outcome outcome, std::optional<double> reward,
            const std::string& finish = "stop") {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.reward = reward;
  return eval_row(problem_of(task, id), {"hash" + std::to_string(id), "text", finish, 7}, verdict);
}

ReportParts math_parts() {
  ReportParts parts;
  parts.task = "math";
  parts.model = "m";
  parts.adapter = "run@3";
  parts.pins.set("metric", "pass_at_1");
  parts.pins.set("temperature", 0);
  parts.split = {.seed = 4, .hash = "h", .num_items = 4, .family_overlap = {}, .prompt_overlap = {}};
  parts.base = {row_of("math", 1, Outcome::kPass, 1), row_of("math", 2, Outcome::kWrong, -1),
                row_of("math", 3, Outcome::kUnparsed, -1, "length"), row_of("math", 4, Outcome::kUndecided, {})};
  parts.candidate = {row_of("math", 1, Outcome::kPass, 1), row_of("math", 2, Outcome::kPass, 1),
                     row_of("math", 3, Outcome::kWrong, -1), row_of("math", 4, Outcome::kWrong, -1)};
  return parts;
}

TEST(EvalReportWriter, ArmsPairsAndGatesFollowFromTheRows) {
  const Json report = make_eval_report(math_parts());
  EXPECT_EQ(report["schema"], "eval.v1");
  EXPECT_EQ(report["base"]["n"], 4);
  EXPECT_EQ(report["base"]["pass_at_1"], 0.25);
  EXPECT_NEAR(report["base"]["mean_reward"].get<double>(), -1.0 / 3, 1e-12);  // the undecided one has no reward
  EXPECT_EQ(report["base"]["truncated"], 1);
  EXPECT_EQ(report["base"]["unparsed"], 1);
  EXPECT_EQ(report["base"]["undecided"], 1);
  EXPECT_EQ(report["candidate"]["pass_at_1"], 0.5);
  EXPECT_EQ(report["paired"]["delta"], 0.25);
  EXPECT_EQ(report["paired"]["n"], 4);
  EXPECT_EQ(report["decision"], "NO-GO");
  EXPECT_EQ(report["can_claim_agi"], false);
  for (const Json& gate : report["gates"]) {
    if (gate["id"] != "powered") continue;
    EXPECT_TRUE(gate["threshold"].is_null()) << "a difference is no tolerance";
  }
  for (const char* key : {"problem_id", "family", "prompt_hash", "completion", "tokens", "finish_reason", "outcome",
                          "passed", "reward", "hacked"}) {
    EXPECT_TRUE(report["rows"]["base"][0].contains(key)) << key;
  }
  EXPECT_TRUE(report["rows"]["base"][3]["reward"].is_null());
}

TEST(EvalReportWriter, WhatIsWrittenReadsBackWithoutFaults) {
  const EvalReport report = parse_eval_report(make_eval_report(math_parts()).dump(), "r");
  EXPECT_THAT(report.faults, testing::IsEmpty());
  EXPECT_EQ(report.seed, 4);
  EXPECT_EQ(report.base.rows.size(), 4u);
  EXPECT_FALSE(report.tolerance);
  EXPECT_TRUE(report.overlap && report.overlap->empty());
  EXPECT_TRUE(report.base.rows[2].truncated.value());
  EXPECT_FALSE(report.base.rows[2].engaged);
}

TEST(EvalReportWriter, ContaminationAndADeadBaseAreInvalid) {
  ReportParts parts = math_parts();
  parts.split.family_overlap = {"f1"};
  EXPECT_EQ(make_eval_report(parts)["decision"], "INVALID");
  parts = math_parts();
  for (Json& row : parts.base) row = row_of("math", row["problem_id"].get<int>(), Outcome::kUnparsed, -1);
  const Json report = make_eval_report(parts);
  EXPECT_EQ(report["decision"], "INVALID");
}

TEST(EvalReportWriter, TasksWithTheirOwnMetricHaveScoresAndProtectedRates) {
  const auto row = [](int id, double reward, std::optional<bool> kept) {
    Verdict verdict;
    verdict.outcome = reward == 1 ? Outcome::kPass : Outcome::kWrong;
    verdict.reward = reward;
    verdict.protected_passed = kept;
    return eval_row(problem_of("provenance", id), {"h" + std::to_string(id), "t", "stop", 1}, verdict);
  };
  const std::vector<Json> rows = {row(1, 1, true), row(2, -.5, false), row(3, 0, false), row(4, -1, {}),
                                  row(5, .7, {})};
  const Json arm = arm_summary("provenance", rows);
  EXPECT_NEAR(arm["fully_correct"].get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(arm["true_false_positive_rate"].get<double>(), 2.0 / 3, 1e-12);
  EXPECT_NEAR(arm["false_forbidden_assert_rate"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(rows[0]["score"], 1);
}

TEST(EvalReportWriter, PassAtKIsTheUnbiasedEstimate) {
  std::vector<Json> rows;
  for (int item = 0; item < 2; ++item) {  // 1 of 4 right, then 3 of 4
    for (int sample = 0; sample < 4; ++sample) {
      const bool passed = item == 0 ? sample == 0 : sample != 0;
      rows.push_back(row_of("math", item, passed ? Outcome::kPass : Outcome::kWrong, passed ? 1 : -1));
    }
  }
  const Json estimates = pass_at_k_json(rows);
  EXPECT_NEAR(estimates["1"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(estimates["2"].get<double>(), (0.5 + 1) / 2, 1e-12);  // 1 - C(3,2)/C(4,2) = 1/2; 1 - 0
  EXPECT_NEAR(estimates["4"].get<double>(), 1, 1e-12);
  rows.pop_back();
  EXPECT_THROW(pass_at_k_json(rows), DataError);
  EXPECT_THROW(pass_at_k_json({}), DataError);
}

}  // namespace
}  // namespace plumbline
