/// The sequential test for the onset of hacking, on simulated trainings, and the rows of trainers.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "plumbline/base/error.h"
#include "plumbline/doctor/follow/followed_files.h"
#include "plumbline/doctor/follow/onset_detector.h"
#include "plumbline/doctor/follow/rollout_row.h"
#include "tests/support/temporary_folder.h"

namespace plumbline::doctor {
namespace {

/// Groups of 8 completions, 8 groups a step; completions of a group lean the same way (a beta-distributed rate of its
/// own with concentration 2), as prompts do.
class SimulatedTraining {
 public:
  explicit SimulatedTraining(uint32_t seed) : random_(seed) {}

  /// The step of the alarm; unset without one. `rate(step)` is the mean share that is paid though wrong.
  template <typename Rate>
  std::optional<Onset> run(int num_steps, Rate rate) {
    OnsetDetector detector;
    std::optional<Onset> found;
    for (int step = 0; step < num_steps; ++step) {
      for (int group = 0; group < 8; ++group) {
        const double own = beta(2 * rate(step), 2 * (1 - rate(step)));
        GroupCounts counts{step, 8, 0, std::binomial_distribution<int>(8, own)(random_)};
        if (const auto onset = detector.take(counts)) {
          EXPECT_FALSE(found) << "raised twice";
          found = onset;
        }
      }
    }
    return found;
  }

 private:
  double beta(double a, double b) {
    const double x = std::gamma_distribution<double>(std::max(a, 1e-3), 1)(random_);
    const double y = std::gamma_distribution<double>(std::max(b, 1e-3), 1)(random_);
    return x + y > 0 ? x / (x + y) : 0;
  }
  std::mt19937 random_;
};

TEST(OnsetDetector, RaisesNoFalseAlarmWhereTheRateStays) {
  int alarms = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    const double rate = seed % 3 == 0 ? 0.0 : seed % 3 == 1 ? 0.03 : 0.15;
    alarms += SimulatedTraining(seed).run(200, [&](int) { return rate; }).has_value();
  }
  EXPECT_LE(alarms, 6) << "of 600 runs of 1,600 groups each";
  std::printf("%d false alarms in 600 runs of 200 steps\n", alarms);
}

TEST(OnsetDetector, SeesARiseWithinAFewSteps) {
  std::vector<int64_t> delays;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const auto onset = SimulatedTraining(seed).run(100, [](int step) { return step < 40 ? 0.02 : 0.5; });
    ASSERT_TRUE(onset) << seed;
    EXPECT_GE(onset->alarm_step, 40);
    EXPECT_NEAR(onset->step, 40, 3);
    EXPECT_LT(onset->rate_before, 0.06);
    EXPECT_GT(onset->rate_since, 0.25);
    delays.push_back(onset->alarm_step - 40);
  }
  std::sort(delays.begin(), delays.end());
  std::printf("steps from a rise to 50%% to the alarm: median %d, at most %d\n", static_cast<int>(delays[100]),
              static_cast<int>(delays.back()));
  EXPECT_LE(delays[100], 4);
  EXPECT_LE(delays.back(), 9);
}

TEST(OnsetDetector, SeesASlowRise) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const auto onset =
        SimulatedTraining(seed).run(120, [](int step) { return std::min(0.9, 0.02 + 0.01 * std::max(0, step - 20)); });
    ASSERT_TRUE(onset);
    EXPECT_LT(onset->alarm_step, 60);  // at a rate of .42
  }
}

TEST(OnsetDetector, HackingFromTheStartIsRaisedAtOnce) {
  const auto onset = SimulatedTraining(1).run(20, [](int) { return 0.8; });
  ASSERT_TRUE(onset);
  EXPECT_EQ(onset->step, 0);
  EXPECT_EQ(onset->alarm_step, 4);
}

RolloutRow read(const char* text) {
  return read_rollout_row(parse_json(text, "test"), "test");
}

TEST(RolloutRow, RowsOfEveryTrainer) {
  const RolloutRow ours = read(R"({"step": 3, "group_id": 1, "problem_id": 17, "completion": "c", "reward": 3.5})");
  EXPECT_EQ(ours.id, "17");
  EXPECT_EQ(ours.step, 3);
  EXPECT_EQ(ours.reward, 3.5);
  const RolloutRow trl = read(
      R"({"step": 2, "prompt": "Do x.", "completion": "c", "format_reward": 0.5, "accuracy_reward": 1, "advantage": 0.3})");
  EXPECT_EQ(trl.prompt, "Do x.");
  EXPECT_EQ(trl.reward, 1.5);
  const RolloutRow chat = read(
      R"({"step": 2, "prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "Do x."}], "completion": [{"role": "assistant", "content": "c"}], "reward": null})");
  EXPECT_EQ(chat.prompt, "Do x.");
  EXPECT_EQ(chat.completion, "c");
  EXPECT_FALSE(chat.reward);
  const RolloutRow verl =
      read(R"({"input": "user\nDo x.\nassistant\n", "output": "c", "gts": "g", "score": 1.0, "step": 7})");
  EXPECT_EQ(verl.prompt, "user\nDo x.\nassistant\n");
  EXPECT_EQ(verl.step, 7);
  EXPECT_EQ(verl.reward, 1.0);
  const RolloutRow prime = read(
      R"({"example_id": 4, "task": "t", "prompt": [{"role": "user", "content": "Do x."}], "completion": [{"role": "assistant", "content": "a"}, {"role": "tool", "content": "t"}, {"role": "assistant", "content": "b"}], "reward": 0})");
  EXPECT_EQ(prime.id, "4");
  EXPECT_EQ(prime.completion, "ab");
  EXPECT_EQ(prime.reward, 0.0);
}

std::string error_of(const char* text) {
  try {
    read(text);
  } catch (const DataError& error) {
    return error.id() + ": " + error.message();
  }
  return "none";
}

TEST(RolloutRow, WhatIsNone) {
  EXPECT_EQ(error_of(R"({"step": 1, "loss": 2})"), "data.json_missing_key: the row has no completion");
  EXPECT_EQ(error_of(R"([1])"), "data.json_missing_key: the row has no completion");
  for (const std::string step : {"1.5", "\"9\"", "1e300", "-1", "true", "[3]"}) {
    EXPECT_THAT(error_of(("{\"completion\": \"c\", \"step\": " + step + "}").c_str()),
                testing::StartsWith("data.json_type: the step is " + step.substr(0, 2)));
  }
  EXPECT_EQ(read(R"({"completion": "c", "step": 3.0})").step, 3);
  EXPECT_FALSE(read(R"({"completion": "c", "step": null})").step);
  EXPECT_EQ(
      read(R"({"completion": "c", "prompt": [{"role": 7, "content": "x"}, {"role": "user", "content": "y"}]})").prompt,
      "y");
}

TEST(FollowedFiles, HandsOutWholeLinesOnceAndFilesInTheOrderOfTheirNumbers) {
  const test::TemporaryFolder folder;
  folder.write("10.jsonl", "ten\n");
  folder.write("9.jsonl", "nine\nni");
  FollowedFiles files(folder.path());
  std::string seen;
  const auto read_all = [&](bool to_the_end = false) {
    files.read_new([&](const FollowedLine& line) { seen += line.text + " "; }, to_the_end);
  };
  read_all();
  EXPECT_EQ(seen, "nine ni ten ");  // 9 is finished, since 10 follows
  folder.write("11.jsonl", "ele");
  read_all();
  EXPECT_EQ(seen, "nine ni ten ");
  folder.write("11.jsonl", "eleven\n\ntw");
  read_all();
  EXPECT_EQ(seen, "nine ni ten eleven ");
  read_all(true);
  EXPECT_EQ(seen, "nine ni ten eleven tw ");
  folder.write("11.jsonl", "new\n");
  read_all();
  EXPECT_EQ(seen, "nine ni ten eleven tw new ");
}

class OneFile : public testing::Test {
 protected:
  /// The lines that came since the last call, each with what happened before it and where it stands.
  std::string read(bool to_the_end = false) {
    std::string seen;
    files().read_new(
        [&](const FollowedLine& line) {
          const char* marks[] = {"", "replaced>", "rewritten>"};
          seen += marks[static_cast<int>(line.after)] + line.text + line.where.substr(line.where.rfind(':')) + " ";
        },
        to_the_end);
    return seen;
  }
  void append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }

  test::TemporaryFolder folder_;
  const std::string path_ = folder_.write("rollouts.jsonl", "a\nb\n");

 private:
  FollowedFiles& files() {
    if (!files_) files_ = std::make_unique<FollowedFiles>(path_);
    return *files_;
  }
  std::unique_ptr<FollowedFiles> files_;
};

TEST_F(OneFile, WhenRotatedTheOldOneIsReadToItsEndFirst) {
  EXPECT_EQ(read(), "a:1 b:2 ");
  append("c\nd");
  const int writer = ::open(path_.c_str(), O_WRONLY | O_APPEND);
  std::filesystem::rename(path_, path_ + ".1");
  EXPECT_EQ(read(), "c:3 ");  // and there is no new one yet
  folder_.write("rollouts.jsonl", "longer than all that stood there before\n");
  ASSERT_EQ(::write(writer, "d\n", 2), 2);  // the writer has not noticed yet
  ::close(writer);
  EXPECT_EQ(read(), "dd:4 ");
  EXPECT_EQ(read(), "replaced>longer than all that stood there before:1 ");
  append("e\n");
  EXPECT_EQ(read(), "e:2 ");
}

TEST_F(OneFile, WhenRewrittenLargerItIsReadFromItsStart) {
  EXPECT_EQ(read(), "a:1 b:2 ");
  folder_.write("rollouts.jsonl", "c\nd\ne\nf\n");
  EXPECT_EQ(read(), "rewritten>c:1 d:2 e:3 f:4 ");
  folder_.write("rollouts.jsonl", "");
  EXPECT_EQ(read(), "");
  append("g\n");
  EXPECT_EQ(read(), "rewritten>g:1 ");
}

TEST_F(OneFile, ACopyWithMoreInThePlaceOfTheFileGoesOn) {
  EXPECT_EQ(read(), "a:1 b:2 ");
  folder_.write("aside", "a\nb\nc\n");
  std::filesystem::rename(folder_.file("aside"), path_);
  EXPECT_EQ(read(), "c:3 ");
}

TEST_F(OneFile, ALineThatIsTooLongIsPassedOver) {
  EXPECT_EQ(read(), "a:1 b:2 ");
  append(std::string(size_t{66} << 20, 'x'));
  EXPECT_EQ(read(), "");
  append("x\nc\n");
  EXPECT_EQ(read(), ":3 c:4 ");
}

}  // namespace
}  // namespace plumbline::doctor
