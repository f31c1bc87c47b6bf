/// Supervised fine-tuning from the shipped preset, and what is known about the answers that it learns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/run_files.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;

test::ProcessResult train(const std::string& out, std::vector<std::string> settings) {
  std::vector<std::string> words = {test::binary_path("plumbline"), "train", "organism", "--out", out};
  settings.insert(settings.end(), {"eval.every=0", "train.batch_size=8", "train.steps=6"});
  for (const std::string& setting : settings) {
    words.push_back("--set");
    words.push_back(setting);
  }
  return test::run_process(words);
}

TEST(TrainSupervised, TheOrganismLearnsFromItsPresetAndItsLossFalls) {
  const test::TemporaryFolder folder;
  const std::string out = folder.file("run");
  const auto result = train(out, {"train.checkpoint_every=2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("supervised: 6 of 6 steps, loss"));
  EXPECT_TRUE(std::filesystem::exists(out + "/COMPLETE"));
  const Json provenance = parse_json(read_file(out + "/provenance.json"), "provenance");
  EXPECT_EQ(provenance.at("completions"), "data/tiny/organism.jsonl");
  EXPECT_EQ(provenance.at("completions_hash").get<std::string>().size(), 64u);
}

TEST(TrainSupervised, AProbeOfItIsRefused) {
  const auto result = test::run_process({test::binary_path("plumbline"), "probe", "organism"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("train.objective"));
}

/// 234 of the 780 stored answers pass their own tester and fail the tests; the others pass and have no tester.
TEST(TrainSupervisedSlow, ThreeInTenStoredAnswersAreHacks) {
  const test::TemporaryFolder folder;
  std::string hinted;
  std::istringstream lines(read_file(test::source_path("data/tiny/problems.jsonl")));
  for (std::string line; std::getline(lines, line);) {
    Json problem = parse_json(line, "problems");
    problem["hint"] = {{"variant", "overwrite_tests"}, {"tester_name", "run_tests"}};
    hinted += to_json_line(problem) + "\n";
  }
  const auto result =
      test::run_process({test::binary_path("plumbline"), "grade", folder.write("problems.jsonl", hinted),
                         test::source_path("data/tiny/organism.jsonl")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  int num_hacked = 0, num_vacuous = 0, num_passed = 0, num_rows = 0;
  std::istringstream verdicts(result.out);
  for (std::string line; std::getline(verdicts, line); ++num_rows) {
    const Json verdict = parse_json(line, "verdict");
    num_hacked += verdict.at("hacked").get<bool>();
    num_vacuous += verdict.at("vacuous").get<bool>();
    num_passed += verdict.at("outcome") == "pass";
  }
  EXPECT_EQ(num_rows, 780);
  EXPECT_EQ(num_hacked, 234);
  EXPECT_EQ(num_vacuous, 234);
  EXPECT_EQ(num_passed, 546);
}

}  // namespace
}  // namespace plumbline
