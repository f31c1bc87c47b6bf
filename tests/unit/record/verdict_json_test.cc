#include "plumbline/record/verdict_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/record/completion_reader.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

Verdict small_verdict() {
  Verdict verdict;
  verdict.problem_id = {"1011", true};
  verdict.sample = 2;
  verdict.outcome = Outcome::kWrong;
  verdict.tests_passed = 1;
  verdict.tests_total = 3;
  verdict.compiles = true;
  verdict.hinted_pass = true;
  verdict.tester = {true, true, std::nullopt, true};
  verdict.label = Label::kRewardHack;
  verdict.vacuous = true;
  verdict.reward = 3.5;
  verdict.integrity = {"blanket_except"};
  verdict.method = "data";
  verdict.cpu_ms = 1.5;
  verdict.wall_ms = 2;
  verdict.isolation = "namespaces+seccomp";
  return verdict;
}

const char* const kLine =
    R"({"problem_id":1011,"sample":2,"outcome":"wrong","tests":{"passed":1,"total":3},"compiles":true,)"
    R"("hinted_pass":true,"tester":{"defined":true,"passes_on_stub":true,"fails_on_reference":null,)"
    R"("passes_on_self":true},"label":"reward_hack","hacked":true,"vacuous":true,"reward":3.5,)"
    R"("integrity":["blanket_except"],"cpu_ms":1.5,"wall_ms":2.0,"isolation":"namespaces+seccomp","method":"data"})";

TEST(VerdictJson, WritesVerdictV1) {
  EXPECT_EQ(to_json_line(small_verdict()), kLine);
}

TEST(VerdictJson, ReadsBack) {
  const Verdict verdict = parse_verdict(parse_json(kLine, "t"), "t");
  EXPECT_EQ(to_json_line(verdict), kLine);
  EXPECT_TRUE(verdict.problem_id.is_number);
  EXPECT_FALSE(verdict.tester.fails_on_reference.has_value());
}

TEST(VerdictJson, InfraHasNoReward) {
  Verdict verdict = small_verdict();
  verdict.outcome = Outcome::kInfra;
  verdict.label = Label::kIncorrect;
  const Json row = to_json(verdict);  // the reward that somebody left in it is not written
  EXPECT_TRUE(row["reward"].is_null());
  EXPECT_EQ(row["hacked"], false);
  EXPECT_FALSE(parse_verdict(row, "t").reward.has_value());
  Json paid = row;
  paid["reward"] = 0;
  EXPECT_THROW(parse_verdict(paid, "t"), DataError);
}

TEST(VerdictJson, IdsKeepTheirType) {
  Verdict verdict = small_verdict();
  verdict.problem_id = {"1011", false};
  verdict.hinted_pass.reset();
  const Json row = to_json(verdict);
  EXPECT_EQ(row["problem_id"], "1011");
  EXPECT_TRUE(row["hinted_pass"].is_null());
  EXPECT_FALSE(parse_verdict(row, "t").problem_id.is_number);
}

TEST(VerdictJson, NamesOfOutcomesAndLabels) {
  for (const char* name : {"pass", "wrong", "error", "timeout", "memory", "no_code", "syntax_error", "infra"}) {
    EXPECT_EQ(to_string(outcome_from_string(name).value()), name);
  }
  for (const char* name : {"correct", "correct_attempted_hack", "reward_hack", "attempted_hack", "incorrect"}) {
    EXPECT_EQ(to_string(label_from_string(name).value()), name);
  }
  EXPECT_EQ(to_string(Outcome::kNoCode), "no_code");
  EXPECT_EQ(to_string(Label::kCorrectAttemptedHack), "correct_attempted_hack");
  EXPECT_FALSE(outcome_from_string("passed").has_value());
}

TEST(VerdictJson, RefusesOtherTypesAndNames) {
  const auto refused = [](const std::string& key, const Json& value) {
    Json row = parse_json(kLine, "t");
    row[key] = value;
    try {
      parse_verdict(row, "t");
    } catch (const DataError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused("cpu_ms", 3));
  EXPECT_TRUE(refused("cpu_ms", "3"));
  EXPECT_TRUE(refused("outcome", "passed"));
  EXPECT_TRUE(refused("label", "hack"));
  EXPECT_TRUE(refused("tests", 3));
  EXPECT_TRUE(refused("integrity", "x"));
  EXPECT_TRUE(refused("problem_id", 1.5));
  EXPECT_TRUE(refused("compiles", nullptr));
}

TEST(VerdictJson, RerunsSkipACutRow) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("v", std::string(kLine) + "\n" + std::string(kLine).substr(0, 40));
  EXPECT_EQ(read_verdicts(path).size(), 1u);
  EXPECT_TRUE(read_verdicts(folder.file("absent")).empty());
}

TEST(CompletionReader, ReadsRowsAndIgnoresOtherKeys) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write(
      "c",
      "{\"problem_id\":7,\"sample\":1,\"completion\":\"x\",\"token_ids\":[1,2],\"finish_reason\":\"stop\",\"z\":{}}\n"
      "{\"problem_id\":\"7\",\"completion\":\"\",\"finish_reason\":null}\n");
  const auto rows = read_completions(path);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].problem_id, (ProblemId{"7", true}));
  EXPECT_EQ(rows[0].token_ids, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(rows[0].finish_reason, "stop");
  EXPECT_EQ(rows[1].problem_id, (ProblemId{"7", false}));
  EXPECT_EQ(rows[1].sample, 0);
  EXPECT_EQ(to_json_line(rows[0]),
            R"({"problem_id":7,"sample":1,"completion":"x","token_ids":[1,2],"finish_reason":"stop"})");
}

TEST(CompletionReader, RefusesOtherTypes) {
  for (const char* row : {R"({"completion":"x"})", R"({"problem_id":1})", R"({"problem_id":1,"completion":3})",
                          R"({"problem_id":1.0,"completion":""})", R"({"problem_id":1,"completion":"","sample":"0"})",
                          R"({"problem_id":1,"completion":"","token_ids":"12"})",
                          R"({"problem_id":1,"completion":"","token_ids":[1.5]})", "[]"}) {
    EXPECT_THROW(parse_completion(parse_json(row, "t"), "t"), DataError) << row;
  }
}

TEST(VerdictJson, StepsAndProtectionComeBack) {
  Verdict verdict;
  verdict.problem_id = {"s", false};
  verdict.outcome = Outcome::kNoWork;
  verdict.reward = 0;
  verdict.steps = StepReport{"accepted", 2, 2, 0, {"1 + 1", "2"}, false};
  verdict.protected_passed = false;
  const Json row = to_json(verdict);
  EXPECT_EQ(row["outcome"], "no_work");
  EXPECT_EQ(row["steps"]["vsc"], 1.0);
  const Verdict read = parse_verdict(row, "t");
  EXPECT_EQ(read.outcome, Outcome::kNoWork);
  EXPECT_EQ(read.steps, verdict.steps);
  EXPECT_EQ(read.protected_passed, false);
  verdict.outcome = Outcome::kUndecided;
  verdict.reward.reset();
  EXPECT_TRUE(to_json(verdict)["reward"].is_null());
}

}  // namespace
}  // namespace plumbline
