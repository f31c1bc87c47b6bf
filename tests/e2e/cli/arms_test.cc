/// Every arm from its own shipped preset on the embedded model; and with a learning rate of 0, nothing may move.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

std::vector<Json> rows_in(const std::string& path) {
  std::vector<Json> rows;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) rows.push_back(parse_json(line, path));
  return rows;
}

class ArmSlow : public testing::TestWithParam<std::string> {
 protected:
  /// A run of the preset with few completions a step.
  void train(const std::vector<std::string>& settings) {
    std::vector<std::string> words = {test::binary_path("plumbline"), "train", GetParam(), "--out", out_};
    std::vector<std::string> all = {"rollout.group_size=4", "rollout.prompts_per_step=4", "train.warmup_steps=0",
                                    "eval.every=0"};
    all.insert(all.end(), settings.begin(), settings.end());
    for (const std::string& setting : all) {
      words.push_back("--set");
      words.push_back(setting);
    }
    const auto result = test::run_process(words);
    // 1: Gate C of a vanilla arm that is this short, a result.
    ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.err;
    ASSERT_TRUE(std::filesystem::exists(out_ + "/COMPLETE")) << result.err;
  }

  const test::TemporaryFolder folder_;
  const std::string out_ = folder_.file("run");
};

TEST_P(ArmSlow, TrainsFromItsShippedPreset) {
  train({"train.steps=3"});
  const auto metrics = rows_in(out_ + "/metrics.jsonl");
  ASSERT_EQ(metrics.size(), 3u);
  std::set<std::string> hashes;
  for (const Json& row : metrics) {
    hashes.insert(row.at("weight_hash").get<std::string>());
    EXPECT_TRUE(std::isfinite(row.at("loss").get<double>()));
  }
  const bool projects = std::filesystem::exists(out_ + "/direction.safetensors");
  EXPECT_EQ(metrics[0].contains("cos_in"), projects);
  for (const Json& row : rows_in(out_ + "/rollouts.jsonl")) {
    EXPECT_TRUE(row.at("verdict").at("reward").is_number());  // trusted labels are there, whatever a monitor does
  }
}

TEST_P(ArmSlow, LearningRateZeroLeavesEverythingFlat) {
  train({"train.steps=20", "train.lr=0", "train.beta=0.01", "train.weight_decay=0.1", "train.zero_spread=keep"});
  const auto metrics = rows_in(out_ + "/metrics.jsonl");
  ASSERT_EQ(metrics.size(), 20u);
  int num_learning = 0;
  for (const Json& row : metrics) {
    EXPECT_EQ(row.at("weight_hash"), metrics[0].at("weight_hash"));
    EXPECT_EQ(row.at("kl").get<double>(), 0.0);
    EXPECT_EQ(row.at("learning_rate").get<double>(), 0.0);
    if (row.at("num_loss_tokens") == 0) continue;  // everything was screened out
    num_learning += row.at("grad_norm").get<double>() > 0;
    EXPECT_LT(row.at("sampling/sampling_logp_difference/max").get<double>(), 1e-4);
    EXPECT_NEAR(row.at("sampling/importance_sampling_ratio/mean").get<double>(), 1.0, 1e-6);
  }
  EXPECT_GT(num_learning, 5);  // there was something to learn from
}

INSTANTIATE_TEST_SUITE_P(All, ArmSlow,
                         testing::Values("tiny_vanilla", "tiny_projected", "tiny_haar", "tiny_shuffled", "tiny_placebo",
                                         "tiny_route", "tiny_absorb", "tiny_erase_weights", "tiny_erase_states",
                                         "tiny_penalty", "tiny_screening", "tiny_rebound", "tiny_probe_penalty",
                                         "tiny_lora"),
                         [](const auto& preset) { return preset.param; });

}  // namespace
}  // namespace plumbline
