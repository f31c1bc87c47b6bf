/// Training with rewards of the user's own, on a tiny model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;

const char* const kTinyModel = "golden/models/qwen3";

class TrainCustom : public testing::Test {
 protected:
  TrainCustom() {
    folder_.write("rewards.py", R"PY(
def parity(prompts, completions, completion_ids, answer, **kwargs):
    assert len(completions) == 4  # the whole step in one call, as in TRL
    assert all(len(ids) >= 1 for ids in completion_ids)
    return [None if a is None else float(sum(ids) % 2) for ids, a in zip(completion_ids, answer)]
def short(completion_ids, **kwargs):
    return [1.0 / len(ids) for ids in completion_ids]
def undefined(completions, **kwargs):
    return [float("nan") for _ in completions]
def broken(completions, **kwargs):
    raise KeyError("no such column")
)PY");
    std::string rows;
    for (int i = 0; i < 4; ++i) {
      rows += to_json_line(Json{{"id", i},
                                {"task", "custom"},
                                {"prompt", "Add " + std::to_string(i) + " and 2."},
                                {"answer", i == 0 ? Json(nullptr) : Json(i + 2)}}) +
              "\n";
    }
    problems_ = folder_.write("problems.jsonl", rows);
  }
  test::ProcessResult train(const std::string& out, const std::string& rewards, const std::string& group_size = "2") {
    std::vector<std::string> words = {test::binary_path("plumbline"), "train", "smoke", "--out", out};
    for (const std::string& setting :
         {"model.path=" + test::shared_path(kTinyModel), std::string("run.device=cpu"), std::string("run.threads=1"),
          "data.problems=" + problems_, std::string("data.hint=none"), "rollout.group_size=" + group_size,
          std::string("rollout.prompts_per_step=2"), std::string("rollout.max_new_tokens=6"),
          std::string("train.steps=3"), std::string("eval.every=0"), std::string("grade.reward=custom"),
          "grade.rewards=" + rewards}) {
      words.push_back("--set");
      words.push_back(setting);
    }
    return test::run_process(words);
  }
  std::string reward(const std::string& name) { return '"' + folder_.file("rewards.py") + ":" + name + '"'; }

  const test::TemporaryFolder folder_;
  std::string problems_;
};

TEST_F(TrainCustom, EachRewardIsLoggedUnderTrlsNames) {
  PL_NEED_SHARED(kTinyModel);
  const std::string out = folder_.file("run");
  const auto result = train(out, "[" + reward("parity") + ", " + reward("short") + "]");
  ASSERT_EQ(result.exit_code, 0) << result.err;  // nobody pays for a loophole here: no gate asks for hacking
  EXPECT_THAT(result.out, testing::Not(HasSubstr("Gate C")));
  EXPECT_THAT(read_file(out + "/steps.tsv"),
              HasSubstr("\trewards/parity/mean\trewards/parity/std\trewards/parity/none\trewards/short/mean\t"));
  std::istringstream metrics(read_file(out + "/metrics.jsonl")), rollouts(read_file(out + "/rollouts.jsonl"));
  std::string line;
  for (int step = 1; std::getline(metrics, line); ++step) {
    const Json row = parse_json(line, "metrics");
    double sum = 0, count = 0;
    for (int i = 0; i < 4 && std::getline(rollouts, line); ++i) {  // the values again, from the rollouts
      const Json rollout = parse_json(line, "rollouts");
      const Json& named = rollout["verdict"]["rewards"];
      double expected = named["short"];
      if (!named["parity"].is_null()) {
        expected += named["parity"].get<double>();
        sum += named["parity"].get<double>();
        ++count;
      }
      EXPECT_DOUBLE_EQ(rollout["reward"], expected);
      EXPECT_DOUBLE_EQ(named["short"], 1.0 / static_cast<double>(rollout["token_ids"].size()));
      EXPECT_EQ(named["parity"].is_null(), rollout["problem_id"] == 0);
    }
    EXPECT_EQ(row["rewards/parity/none"], 4 - count);
    ASSERT_GT(count, 0);  // two prompts a step, and only one problem has no answer
    EXPECT_DOUBLE_EQ(row["rewards/parity/mean"], sum / count);
    EXPECT_EQ(row["rewards/short/none"], 0);
  }
}

TEST_F(TrainCustom, ARewardThatAlwaysRaisesStopsTheRun) {
  PL_NEED_SHARED(kTinyModel);
  const std::string out = folder_.file("run");
  const auto result = train(out, "[" + reward("broken") + "]");
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no such column"));
  EXPECT_EQ(read_file(out + "/rollouts.jsonl"), "");  // nothing was counted as 0
}

TEST_F(TrainCustom, NanRewardsAndGroupsOfOneEndTheRunWithAnError) {
  PL_NEED_SHARED(kTinyModel);
  const std::string out = folder_.file("run");
  const auto undefined = train(out, "[" + reward("undefined") + "]");
  EXPECT_GT(undefined.exit_code, 1) << undefined.err;
  EXPECT_THAT(undefined.err, HasSubstr("nan"));
  EXPECT_EQ(read_file(out + "/rollouts.jsonl"), "");
  const auto alone = train(folder_.file("alone"), "[" + reward("short") + "]", "1");
  EXPECT_EQ(alone.exit_code, 2) << alone.err;
  EXPECT_THAT(alone.err, HasSubstr("rollout.group_size"));
}

}  // namespace
}  // namespace plumbline
