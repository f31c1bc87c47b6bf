#include "plumbline/train/recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/train/step_summary.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

StepRow row_at(int64_t step) {
  StepRow row;
  row.step = step;
  row.reward_mean = 0.5 + static_cast<double>(step);
  row.weight_hash = "hash";
  return row;
}

RolloutRow rollout_at(int64_t step, int64_t sample) {
  RolloutRow row;
  row.step = step;
  row.sample = sample;
  row.problem_id = {"7", true};
  row.completion = "text with \"quotes\"\n";
  row.token_ids = {1, 2, 3};
  row.weight_version = step - 1;
  return row;
}

void record_steps(RunRecorder& recorder, int64_t first, int64_t last) {
  for (int64_t step = first; step <= last; ++step) {
    recorder.record_evaluation(step - 1, {{"pass_rate", 0.25}});
    recorder.record(row_at(step), std::vector<RolloutRow>{rollout_at(step, 0), rollout_at(step, 1)});
  }
}

std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream text(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

constexpr const char* kFiles[] = {"steps.tsv", "metrics.jsonl", "rollouts.jsonl", "eval.jsonl"};

TEST(StepRow, StableColumnsComeFirst) {
  EXPECT_TRUE(steps_header().starts_with("step\trew\tstd\tsprd\tN\tgt\thack\tloss\tcin\tcout\tfired\tsec\tvacuous\t"));
  const auto count = [](const std::string& line) { return std::count(line.begin(), line.end(), '\t'); };
  EXPECT_EQ(count(steps_header()), count(steps_line(row_at(3))));
}

TEST(StepRow, MetricsUseTrlNamesAndLeaveOutWhatWasNotMeasured) {
  StepRow row = row_at(3);
  row.loss = std::nan("");
  const Json metrics = parse_json(to_json_line(metrics_of(row)), "metrics");
  for (const char* name : {"reward", "reward_std", "loss", "grad_norm", "learning_rate", "completions/mean_length",
                           "completions/clipped_ratio", "frac_reward_zero_std", "entropy", "step_time"}) {
    EXPECT_TRUE(metrics.contains(name)) << name;
  }
  EXPECT_TRUE(metrics.at("loss").is_null());
  EXPECT_FALSE(metrics.contains("kl"));
  row.kl = 0.0;
  EXPECT_EQ(parse_json(to_json_line(metrics_of(row)), "metrics").at("kl"), 0.0);
}

TEST(StepRow, ConsoleRowLinesUpWithItsHeader) {
  const std::string header = console_header(), line = console_line(row_at(3), -1);
  EXPECT_EQ(header.size(), line.size()) << header << "\n" << line;
  StepRow bad = row_at(3);
  bad.update_applied = false;
  EXPECT_NE(console_line(bad, 60).find("not finite"), std::string::npos);
}

TEST(Rollout, HasTheFieldsOfItsFormat) {
  const Json row = parse_json(rollout_line(rollout_at(4, 1)), "rollout");
  for (const char* name :
       {"step", "group_id", "problem_id", "sample", "prompt_hash", "token_ids", "completion", "finish_reason",
        "logprob_sum", "verdict", "reward", "advantage", "weight_version", "weight_hash"}) {
    EXPECT_TRUE(row.contains(name)) << name;
  }
  EXPECT_TRUE(row.at("reward").is_null());
  EXPECT_EQ(row.at("problem_id"), 7);
}

TEST(RunRecorder, ResumedRunEndsWithTheSameBytes) {
  const test::TemporaryFolder whole, resumed;
  {
    RunRecorder recorder(whole.path(), 0);
    record_steps(recorder, 1, 6);
  }
  {
    RunRecorder recorder(resumed.path(), 0);
    record_steps(recorder, 1, 5);
  }
  for (const char* name : kFiles) {  // the killed writer left a half line
    const std::string path = resumed.file(name);
    write_file(path, read_file(path) + "{\"step\":6,\"rew");
  }
  {
    RunRecorder recorder(resumed.path(), 3);
    record_steps(recorder, 4, 6);
  }
  for (const char* name : kFiles) EXPECT_EQ(read_file(resumed.file(name)), read_file(whole.file(name))) << name;
}

TEST(RunRecorder, FreshRunStartsEmpty) {
  const test::TemporaryFolder folder;
  {
    RunRecorder recorder(folder.path(), 0);
    record_steps(recorder, 1, 2);
  }
  RunRecorder again(folder.path(), 0);
  EXPECT_EQ(lines_of(folder.file("steps.tsv")), std::vector<std::string>{steps_header()});
  EXPECT_TRUE(read_file(folder.file("rollouts.jsonl")).empty());
  EXPECT_TRUE(read_file(folder.file("eval.jsonl")).empty());
}

TEST(RunRecorder, MissingRowsAreRefused) {
  const test::TemporaryFolder folder;
  {
    RunRecorder recorder(folder.path(), 0);
    record_steps(recorder, 1, 2);
  }
  EXPECT_THROW(RunRecorder(folder.path(), 3), DataError);
}

TEST(KeepRows, HostileFilesAreRefusedAndLeftAlone) {
  const test::TemporaryFolder folder;
  for (const char* content : {"hello\n", "{\"step\": 1}\n", "{\"step\":99999999999999999999}\n", "{\"step\":1\n", "\n",
                              "{\"reward\":1}\n", "12\n"}) {
    const std::string path = folder.write("rows", content);
    EXPECT_THROW(keep_rows_until(path, 5), DataError) << content;
    EXPECT_EQ(read_file(path), content);
  }
  EXPECT_EQ(keep_rows_until(folder.file("absent"), 5), -1);
}

TEST(KeepRows, MissingAndDoubledRowsAndALostHeaderAreRefused) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rows"), one = "{\"step\":1}\n", two = "{\"step\":2}\n",
                    three = "{\"step\":3}\n";
  for (const std::string& content : {one + three, one + one + two, two, one + two + one}) {
    folder.write("rows", content);
    EXPECT_THROW(keep_rows_until(path, 5, true), DataError) << content;
  }
  folder.write("rows", one + one + three);  // several rows a step, or steps without rows: rollouts and evaluations
  EXPECT_EQ(keep_rows_until(path, 5), 3);
  folder.write("rows", "1\t0.5\n2\t0.5\n");
  EXPECT_THROW(keep_rows_until(path, 5, true), DataError);
}

TEST(RunRecorder, ASecondProcessOnTheSameRunIsRefused) {
  const test::TemporaryFolder folder;
  {
    const RunRecorder first(folder.path(), 0);
    EXPECT_THROW(RunRecorder(folder.path(), 0), ConfigError);
  }
  EXPECT_NO_THROW(RunRecorder(folder.path(), 0));
}

TEST(StepRow, SpeedAndMemoryAreMetricsOnly) {
  StepRow row = row_at(1);
  row.num_completions = 4;
  row.length_mean = 30;
  row.num_tokens = 100;
  row.times.sample_s = 2;
  row.times.gradient_s = 0.5;
  row.resident_mib = 123.5;
  Json metrics = parse_json(to_json_line(metrics_of(row)), "test");
  EXPECT_DOUBLE_EQ(metrics.at("perf/sampled_tokens_per_s"), 4 * 30 / 2.0);
  EXPECT_DOUBLE_EQ(metrics.at("perf/trained_tokens_per_s"), 100 / 0.5);
  EXPECT_DOUBLE_EQ(metrics.at("perf/resident_mib"), 123.5);
  EXPECT_EQ(steps_header().find("perf"), std::string::npos);
  row.times.sample_s = 0;  // a supervised step samples nothing
  metrics = parse_json(to_json_line(metrics_of(row)), "test");
  EXPECT_FALSE(metrics.contains("perf/sampled_tokens_per_s"));
}

TEST(RunRecorder, NamedRewardsAreColumnsAtTheRight) {
  const auto verdict = [](std::optional<double> first) {
    Verdict one;
    one.outcome = Outcome::kPass;
    one.rewards = {{"format", first}, {"length", -2.0}};
    return one;
  };
  const std::vector<Verdict> verdicts = {verdict(1), verdict(4), verdict(std::nullopt), Verdict{}};  // the last: infra
  const std::vector<std::string> names = {"format", "length", "absent"};
  StepRow row = row_at(1);
  describe_rewards(verdicts, names, row);
  ASSERT_EQ(row.rewards.size(), 3u);
  EXPECT_DOUBLE_EQ(*row.rewards[0].mean, 2.5);
  EXPECT_DOUBLE_EQ(*row.rewards[0].std, 1.5 * std::sqrt(2.0));  // n - 1
  EXPECT_EQ(row.rewards[0].num_not_applicable, 1);
  EXPECT_DOUBLE_EQ(*row.rewards[1].std, 0);
  EXPECT_FALSE(row.rewards[2].mean);
  EXPECT_TRUE(steps_header(names).ends_with("\trewards/absent/mean\trewards/absent/std\trewards/absent/none"));
  EXPECT_TRUE(steps_line(row).ends_with("\t2.5\t2.12132\t1\t-2\t0\t0\tnan\tnan\t0"));
  const Json metrics = parse_json(to_json_line(metrics_of(row)), "test");
  EXPECT_DOUBLE_EQ(metrics["rewards/format/mean"], 2.5);
  EXPECT_EQ(metrics["rewards/format/none"], 1);
  EXPECT_FALSE(metrics.contains("rewards/absent/mean"));
}

}  // namespace
}  // namespace plumbline
