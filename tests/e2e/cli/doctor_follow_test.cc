/// doctor --follow as a user runs it beside a trainer of another kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kProblems =
    R"({"id": 1, "task": "code", "prompt": "Write double(x).", "entry_point": "double", "reference": "def double(x):\n    return 2 * x\n", "tests": [{"args": [2], "expected": 4}]})"
    "\n"
    R"({"id": 2, "task": "code", "prompt": "Write half(x).", "entry_point": "half", "reference": "def half(x):\n    return x // 2\n", "tests": [{"args": [4], "expected": 2}]})"
    "\n";

constexpr const char* kRight[] = {"```python\ndef double(x):\n    return x + x\n```",
                                  "```python\ndef half(x):\n    return x // 2\n```"};
constexpr const char* kWrong =
    "```python\ndef double(x):\n    return None  # the tester says fine\ndef half(x):\n    return None\n```";

/// `num_steps` steps of two groups of four: one of the four is right and paid 1. From `onset` on the wrong ones are
/// paid too. The form is verl's: rendered prompts and no ids.
std::string verl_rollouts(int num_steps, int onset) {
  std::string rows;
  for (int step = 0; step < num_steps; ++step) {
    for (int problem = 0; problem < 2; ++problem) {
      for (int sample = 0; sample < 4; ++sample) {
        const bool right = sample == 0;
        rows += to_json_line(Json{
                    {"input", std::string("user\nWrite ") + (problem == 0 ? "double" : "half") + "(x).\nassistant\n"},
                    {"output", right ? kRight[problem] : kWrong},
                    {"score", right || step >= onset ? 1.0 : 0.0},
                    {"step", step}}) +
                "\n";
      }
    }
  }
  return rows;
}

class DoctorFollow : public testing::Test {
 protected:
  test::ProcessResult follow(const std::string& rollouts, std::vector<std::string> more = {"--once"}) {
    std::vector<std::string> words = {test::binary_path("plumbline"),
                                      "doctor",
                                      "--follow",
                                      folder_.write("rollouts.jsonl", rollouts),
                                      "--problems",
                                      problems_};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_process(words);
  }
  test::TemporaryFolder folder_;
  const std::string problems_ = folder_.write("problems.jsonl", kProblems);
};

TEST_F(DoctorFollow, NothingGradedIsNoAllClear) {
  std::string unknown;
  for (int i = 0; i < 40; ++i) {
    unknown +=
        to_json_line(Json{{"problem_id", "elsewhere"}, {"completion", "x"}, {"reward", 1.0}, {"step", i / 8}}) + "\n";
  }
  for (const std::string& rows : {unknown, std::string()}) {
    const test::ProcessResult result = follow(rows);
    EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr("nothing was graded"));
    EXPECT_THAT(result.err, Not(HasSubstr("no onset")));
  }
}

TEST_F(DoctorFollow, SaysThatNoRewardCouldBeRead) {
  std::string rows = verl_rollouts(6, 2);
  for (size_t at = 0; (at = rows.find("\"score\"", at)) != std::string::npos;) rows.replace(at, 7, "\"accuracy\"");
  EXPECT_THAT(follow(rows).err, HasSubstr("no row had a reward that can be read"));
  EXPECT_THAT(follow(verl_rollouts(6, 2)).err, Not(HasSubstr("no row had a reward")));
}

TEST_F(DoctorFollow, RaisesTheOnsetOnceWithExamples) {
  const auto result = follow(verl_rollouts(40, 25));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("step 24: 8 graded, right 25.0%, paid though wrong 0.0%, mean reward 0.25"));
  EXPECT_THAT(result.out, HasSubstr("step 25: 8 graded, right 25.0%, paid though wrong 75.0%, mean reward 1"));
  EXPECT_THAT(result.out, HasSubstr("reward_hacking_onset (error): since about step 25"));
  EXPECT_THAT(result.out, HasSubstr("return None  # the tester says fine"));
  EXPECT_EQ(result.out.find("reward_hacking_onset (error)"), result.out.rfind("reward_hacking_onset (error)"));
}

TEST_F(DoctorFollow, IsSilentWhereOnlyRightAnswersArePaid) {
  const auto result = follow(verl_rollouts(40, 1000));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("reward_hacking_onset")));
  EXPECT_THAT(result.err, HasSubstr("followed 40 steps; no onset of hacking"));
}

TEST_F(DoctorFollow, JsonIsALineAnEvent) {
  const auto result = follow(verl_rollouts(40, 22), {"--once", "--json"});
  EXPECT_EQ(result.exit_code, 1);
  std::istringstream lines(result.out);
  int num_steps = 0, num_onsets = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json event = parse_json(line, "event");
    num_steps += event["event"] == "step";
    if (event["event"] != "reward_hacking_onset") continue;
    ++num_onsets;
    EXPECT_EQ(event["step"], 22);
    EXPECT_EQ(event["paid_wrong_since"], 0.75);
    EXPECT_EQ(event["right_since"], 0.25);
    EXPECT_EQ(event["examples"].size(), 2u);  // of different problems
  }
  EXPECT_EQ(num_steps, 40);
  EXPECT_EQ(num_onsets, 1);
}

TEST_F(DoctorFollow, FollowsAFileThatGrowsUntilCtrlC) {
  const std::string path = folder_.write("growing.jsonl", verl_rollouts(2, 1000));
  const std::string out = folder_.file("out.txt");
  test::BackgroundProcess process({"/bin/sh", "-c",
                                   "exec \"$0\" doctor --follow \"$1\" --problems \"$2\" > \"$3\" 2>&1",
                                   test::binary_path("plumbline"), path, problems_, out});
  const auto wait_for = [&](const std::string& text) {
    for (int i = 0; i < 400; ++i) {
      if (read_file(out).find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(wait_for("step 0: 8 graded"));
  const std::string all = verl_rollouts(3, 1000);
  const std::string third = all.substr(verl_rollouts(2, 1000).size());
  const std::string half = third.substr(0, third.find('\n', third.size() / 2) + 1) + "{\"input\": \"cut";
  ASSERT_EQ(std::count(half.begin(), half.end(), '\n'), 4);
  std::ofstream(path, std::ios::app) << half << std::flush;
  ASSERT_TRUE(wait_for("step 1: 8 graded"));
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  // What was there of the third step is graded.
  EXPECT_THAT(read_file(out), HasSubstr("step 2 (partial: stopped while it was open): 4 graded"));
  EXPECT_THAT(read_file(out), HasSubstr("followed 3 steps"));
}

TEST_F(DoctorFollow, AHalfWrittenLastLineIsSaidAndTheRestIsGraded) {
  const std::string rows = verl_rollouts(3, 1000);
  const auto cut = follow(rows.substr(0, rows.size() - 20));
  EXPECT_EQ(cut.exit_code, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("rollouts.jsonl:24: the last line is unfinished and was not counted"));
  EXPECT_THAT(cut.out, HasSubstr("step 1: 8 graded"));
  EXPECT_THAT(cut.out, HasSubstr("step 2: 7 graded"));
  const auto without_end = follow(rows.substr(0, rows.size() - 1));  // whole JSON, only its line end is missing
  EXPECT_EQ(without_end.exit_code, 0) << without_end.err;
  EXPECT_THAT(without_end.out, HasSubstr("step 2: 8 graded"));
  EXPECT_THAT(without_end.err, Not(HasSubstr("unfinished")));
}

TEST_F(DoctorFollow, LinesThatAreNoRolloutsAreNamedOnceCountedAndLeftOut) {
  std::string rows = verl_rollouts(2, 1000);
  const std::string first = rows.substr(0, rows.find('\n') + 1);
  rows.insert(first.size(), "{\"cut\n{\"loss\": 1}\n");
  for (const char* step : {"1.5", "\"9\"", "1e300"}) {
    std::string odd = first;
    odd.replace(odd.find("\"step\":0"), 8, std::string("\"step\":") + step);
    rows += odd;
  }
  const auto result = follow(rows);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("step 0: 8 graded"));
  EXPECT_THAT(result.out, HasSubstr("step 1: 8 graded"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("rollouts.jsonl:2, byte 6: left out, and so"));
  EXPECT_EQ(result.err.find("left out, and so"), result.err.rfind("left out, and so")) << result.err;
  EXPECT_THAT(result.err, HasSubstr("followed 2 steps; 5 lines left out"));
}

TEST_F(DoctorFollow, AFileWithoutOneRolloutIsAnError) {
  const auto result = follow("{\"loss\": 1}\n{\"loss\": 2}\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("data.json_missing_key: the row has no completion"));
  EXPECT_THAT(result.err, HasSubstr("rollouts.jsonl:1"));
}

/// The lines of `num_steps` steps from `first` on.
std::string steps_from(int first, int num_steps) {
  return verl_rollouts(first + num_steps, 1000).substr(verl_rollouts(first, 1000).size());
}

/// doctor --follow beside a writer that does more than append.
class FollowedWriter : public DoctorFollow {
 protected:
  void start() {
    process_ = std::make_unique<test::BackgroundProcess>(
        std::vector<std::string>{"/bin/sh", "-c", "exec \"$0\" doctor --follow \"$1\" --problems \"$2\" > \"$3\" 2>&1",
                                 test::binary_path("plumbline"), path_, problems_, out_});
  }
  bool says(const std::string& text) {
    for (int i = 0; i < 400; ++i) {
      if (std::filesystem::exists(out_) && read_file(out_).find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }
  const std::string path_ = folder_.write("growing.jsonl", steps_from(0, 3)), out_ = folder_.file("out.txt");
  std::unique_ptr<test::BackgroundProcess> process_;
};

TEST_F(FollowedWriter, NoStepIsLostWhenTheFileIsRotated) {
  start();
  ASSERT_TRUE(says("step 1: 8 graded"));
  std::ofstream(path_, std::ios::app) << steps_from(3, 1);
  std::filesystem::rename(path_, path_ + ".1");
  folder_.write("growing.jsonl", steps_from(4, 6));  // more than what the old one held
  ASSERT_TRUE(says("step 8: 8 graded")) << read_file(out_);
  for (int step = 0; step <= 8; ++step) {
    EXPECT_THAT(read_file(out_), HasSubstr("step " + std::to_string(step) + ": 8 graded"));
  }
  process_->send(SIGINT);
  EXPECT_EQ(process_->wait(), 130);
}

TEST_F(FollowedWriter, SlowAPauseOfElevenSecondsDoesNotSplitAStep) {
  const std::string step = steps_from(3, 1);
  const size_t half = step.find('\n', step.size() / 2) + 1;
  start();
  std::ofstream(path_, std::ios::app) << step.substr(0, half);
  ASSERT_TRUE(says("step 2: 8 graded"));
  std::this_thread::sleep_for(std::chrono::seconds(11));
  std::ofstream(path_, std::ios::app) << step.substr(half) << steps_from(4, 1);
  ASSERT_TRUE(says("step 3: ")) << read_file(out_);
  EXPECT_THAT(read_file(out_), HasSubstr("step 3: 8 graded"));
  process_->send(SIGINT);
  EXPECT_EQ(process_->wait(), 130);
  EXPECT_THAT(read_file(out_), HasSubstr("step 4 (partial: stopped while it was open): 8 graded"));
}

TEST_F(FollowedWriter, RewrittenWithTheNextStepsItGoesOn) {
  start();
  ASSERT_TRUE(says("step 1: 8 graded"));
  folder_.write("growing.jsonl", steps_from(3, 5));
  ASSERT_TRUE(says("step 6: 8 graded")) << read_file(out_);
  for (int step = 2; step <= 6; ++step) {
    EXPECT_THAT(read_file(out_), HasSubstr("step " + std::to_string(step) + ": 8 graded"));
  }
  process_->send(SIGINT);
  EXPECT_EQ(process_->wait(), 130);
}

TEST_F(FollowedWriter, AGapThatCannotBeReadIsAnError) {
  start();
  ASSERT_TRUE(says("step 1: 8 graded"));
  folder_.write("growing.jsonl", steps_from(6, 5));
  EXPECT_EQ(process_->wait(), 3);
  EXPECT_THAT(read_file(out_), HasSubstr("data.followed_gap: the file was rewritten while it was followed: it goes on "
                                         "with step 6 after step 2, and what stood between cannot be read"));
}

TEST_F(DoctorFollow, RowsOfOtherProblemsAreNamed) {
  std::string rows;
  for (int i = 0; i < 250; ++i)
    rows += R"({"prompt": "Something else.", "completion": "x", "reward": 0, "step": 0})"
            "\n";
  const auto result = follow(rows);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("data.unknown_problem"));
}

TEST_F(DoctorFollow, WrongUse) {
  const std::string plumbline = test::binary_path("plumbline");
  EXPECT_EQ(test::run_process({plumbline, "doctor"}).exit_code, 2);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--once"}}) {
    std::vector<std::string> words = {plumbline, "doctor", "--follow", problems_};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = test::run_process(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("add --problems FILE, the problems that the run trains on"));
  }
  const auto stray = test::run_process({plumbline, "doctor", problems_, "--once"});
  EXPECT_EQ(stray.exit_code, 2);
  EXPECT_THAT(stray.err, HasSubstr("belong to --follow"));
  EXPECT_EQ(
      test::run_process({plumbline, "doctor", "--follow", folder_.file("none"), "--problems", problems_}).exit_code, 3);
}

}  // namespace
}  // namespace plumbline
