/// What the doctor sees while `train` runs, on the embedded model, with a judge as its reward.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/fake_provider.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;
using testing::Not;

int times(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

class TrainFindings : public testing::Test {
 protected:
  test::ProcessResult train(const test::FakeProvider& judge, const std::vector<std::string>& settings) {
    std::string rows;
    for (int i = 0; i < 4; ++i) {
      rows += to_json_line(Json{{"id", i}, {"task", "custom"}, {"prompt", "Add " + std::to_string(i) + "."}}) + "\n";
    }
    std::vector<std::string> words = {test::binary_path("plumbline"), "train", "demo", "--out", out_};
    std::vector<std::string> all = {"data.problems=" + folder_.write("problems.jsonl", rows),
                                    "data.hint=none",
                                    "rollout.group_size=4",
                                    "rollout.prompts_per_step=4",
                                    "train.steps=6",
                                    "eval.every=0",
                                    "grade.reward=custom",
                                    "grade.rewards=[\"quality=judge:" + judge.spec() + "\"]"};
    all.insert(all.end(), settings.begin(), settings.end());
    for (const std::string& setting : all) {
      words.push_back("--set");
      words.push_back(setting);
    }
    return test::run_process(words);
  }

  const test::TemporaryFolder folder_;
  const std::string out_ = folder_.file("run");
};

TEST_F(TrainFindings, AreRaisedOnceEachAndStandAtTheTopOfTheResult) {
  std::atomic<int> number = 0;
  const test::FakeProvider judge([&](const test::AskedQuestion& question) -> std::optional<test::ServedAnswer> {
    if (test::is_trial(question)) return std::nullopt;
    if (number++ % 5 == 0) return test::FakeProvider::misbehaves(question, test::Misbehaviour::kTermsOfService);
    return test::FakeProvider::says(question, number % 2 ? "{\"supported\": true}" : "{\"supported\": false}");
  });
  const auto result = train(judge, {"rollout.max_new_tokens=2"});
  EXPECT_EQ(times(result.err, "finding judge_outage (warning)"), 1) << result.err;
  EXPECT_EQ(times(result.err, "finding token_cap_suspected (warning)"), 1) << result.err;
  EXPECT_EQ(times(result.err, "finding reward_hacking_onset"), 0) << result.err;
  EXPECT_EQ(result.out.rfind("findings: ", 0), 0u) << result.out;
  EXPECT_THAT(result.out, HasSubstr("token_cap_suspected"));
  // No outage was paid as a 0: what has no verdict has no reward.
  int num_null = 0;
  std::istringstream lines(read_file(out_ + "/rollouts.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json row = parse_json(line, "rollouts");
    EXPECT_EQ(row["reward"].is_null(), row["verdict"]["outcome"] == "infra");
    num_null += row["reward"].is_null();
  }
  EXPECT_EQ(num_null, 20);  // of 96 questions every fifth, the first included
}

}  // namespace
}  // namespace plumbline
