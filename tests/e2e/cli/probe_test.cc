/// The whole job on a tiny model, as a user runs it: probe, interruption, resume after kill -9.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include "plumbline/base/file_system.h"
#include "plumbline/files/safetensors.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using test::ProcessResult;

const char* const kTinyModel = "golden/models/qwen3";

std::vector<std::string> tiny_words(const std::string& verb, const std::string& out,
                                    const std::vector<std::string>& settings) {
  std::vector<std::string> words = {test::binary_path("plumbline"), verb, "smoke"};
  std::vector<std::string> all = {"model.path=" + test::shared_path(kTinyModel),
                                  "run.device=cpu",
                                  "run.threads=1",
                                  "data.limit=6",
                                  "rollout.group_size=2",
                                  "rollout.prompts_per_step=2",
                                  "rollout.max_new_tokens=6",
                                  "grade.workers=1"};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const std::string& setting : all) {
    words.push_back("--set");
    words.push_back(setting);
  }
  words.push_back("--out");
  words.push_back(out);
  return words;
}

int64_t num_lines(const std::string& path) {
  const std::string text = fs::exists(path) ? read_file(path) : "";
  return std::count(text.begin(), text.end(), '\n');
}

/// Waits until the file has `count` lines; false after a minute, or when the process has ended before.
bool wait_for_lines(const std::string& path, int64_t count, test::BackgroundProcess& process) {
  for (int i = 0; i < 1200; ++i) {
    if (num_lines(path) >= count) return true;
    if (!process.is_running()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

/// A table without its timing columns (their names end in _s, or are "sec").
std::string without_times(const std::string& path) {
  std::istringstream lines(read_file(path));
  std::string line, kept;
  std::vector<bool> is_time;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    for (size_t column = 0; std::getline(words, word, '\t'); ++column) {
      if (is_time.size() <= column) is_time.push_back(word == "sec" || word.ends_with("_s"));
      if (!is_time[column]) kept += word + "\t";
    }
    kept += "\n";
  }
  return kept;
}

TEST(Probe, RunsTheWholeJobAndNamesItsDirectory) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const std::string out = folder.file("run");
  const ProcessResult result = test::run_process(
      tiny_words("probe", out,
                 {"train.steps=2", "probe.stop_at_gates=false", "probe.parallel=2", "steer.method=flavor_span",
                  "probe.arms=[\"vanilla\", \"projected\", \"haar.2\", \"shuffled\", \"placebo\"]"}));
  EXPECT_LE(result.exit_code, 1) << result.err;
  for (const char* gate : {"Gate A", "Gate B", "Gate C", "Gate D"}) {
    EXPECT_NE(result.out.find(gate), std::string::npos) << result.out;
  }
  EXPECT_NE(result.out.find("SHOULD"), std::string::npos);
  EXPECT_NE(result.out.find("run: " + out), std::string::npos) << result.out;
  for (const char* name : {"resolved.toml", "provenance.json", "direction.safetensors", "gates.json",
                           "results_table.md", "report.html", "COMPLETE"}) {
    EXPECT_TRUE(fs::exists(out + "/" + name)) << name;
  }
  for (const char* arm : {"vanilla-s0", "projected-s0", "haar.2-s0", "shuffled-s0", "placebo-s0"}) {
    const std::string run = out + "/arms/" + arm;
    EXPECT_EQ(num_lines(run + "/steps.tsv"), 3) << arm;
    EXPECT_EQ(num_lines(run + "/rollouts.jsonl"), 2 * 2 * 2) << arm;
    EXPECT_TRUE(fs::exists(run + "/COMPLETE")) << arm;
    EXPECT_TRUE(fs::exists(run + "/checkpoints/step_000002/state.json")) << arm;
    const SafetensorsFile direction(run + "/direction.safetensors");
    EXPECT_EQ(direction.metadata().at("k"), "4") << arm << ": every arm has the rank of the four flavors";
  }
}

TEST(Probe, StopsAtAFailedGateAndListsTheRestAsNotReached) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const ProcessResult result =
      test::run_process(tiny_words("probe", folder.file("run"), {"train.steps=1", "gates.min_heldout_fraction=1.0"}));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.out.find("Gate B  FAIL"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Gate C  not reached"), std::string::npos) << result.out;
  EXPECT_FALSE(fs::exists(folder.file("run") + "/arms"));
}

TEST(Probe, CtrlCSavesEveryArmAndResumeFinishesThem) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const std::string out = folder.file("run");
  test::BackgroundProcess process(
      tiny_words("probe", out, {"train.steps=12", "probe.stop_at_gates=false", "probe.parallel=2"}));
  ASSERT_TRUE(wait_for_lines(out + "/arms/projected-s0/steps.tsv", 3, process));
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_FALSE(fs::exists(out + "/COMPLETE"));
  EXPECT_FALSE(fs::is_empty(out + "/arms/projected-s0/checkpoints"));
  const ProcessResult resumed = test::run_process({test::binary_path("plumbline"), "probe", "--resume", out});
  EXPECT_LE(resumed.exit_code, 1) << resumed.err;
  for (const char* arm : {"vanilla-s0", "projected-s0"}) {
    EXPECT_EQ(num_lines(out + "/arms/" + arm + "/steps.tsv"), 13) << arm;
  }
}

TEST(Probe, AnArmThatFailsIsNamedAndTheOthersSave) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const std::string out = folder.file("run");
  test::BackgroundProcess process(
      tiny_words("probe", out, {"train.steps=100000", "probe.stop_at_gates=false", "probe.parallel=2"}));
  ASSERT_TRUE(wait_for_lines(out + "/arms/projected-s0/steps.tsv", 3, process));
  std::istringstream found(
      test::run_process({"/usr/bin/pgrep", "-f", "train --resume " + out + "/arms/projected-s0"}).out);
  pid_t arm = 0;
  ASSERT_TRUE(found >> arm);
  ASSERT_EQ(::kill(arm, SIGKILL), 0);
  EXPECT_EQ(process.wait(), 70);
  EXPECT_FALSE(fs::is_empty(out + "/arms/vanilla-s0/checkpoints"));
}

TEST(Train, CtrlCSavesAndSaysHowToGoOn) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const std::string out = folder.file("run");
  test::BackgroundProcess process(tiny_words("train", out, {"train.steps=100000"}));
  ASSERT_TRUE(wait_for_lines(out + "/steps.tsv", 3, process));
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_FALSE(fs::is_empty(out + "/checkpoints"));
  EXPECT_FALSE(fs::exists(out + "/COMPLETE"));
}

struct ResumedKind {
  std::string name;
  std::vector<std::string> settings;
};

class TrainResumed : public testing::TestWithParam<ResumedKind> {};

/// Every file of the last checkpoint, and what a run with a quarantine deploys.
std::vector<std::string> files_to_compare(const std::string& run) {
  std::vector<std::string> files;
  for (const std::string& part : {run + "/checkpoints/step_000012", run + "/deployed"}) {
    if (!fs::exists(part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(part)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string().substr(run.size()));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_P(TrainResumed, AfterKillMinusNineIsBitIdentical) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  std::vector<std::string> settings = {"train.steps=12", "train.checkpoint_every=2", "eval.every=6", "eval.slice=3"};
  settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
  const std::string whole = folder.file("whole"), cut = folder.file("cut");
  const ProcessResult straight = test::run_process(tiny_words("train", whole, settings));
  ASSERT_LE(straight.exit_code, 1) << straight.err;  // 1: Gate C of a vanilla arm, a result

  test::BackgroundProcess process(tiny_words("train", cut, settings));
  ASSERT_TRUE(wait_for_lines(cut + "/steps.tsv", 6, process));
  process.send(SIGKILL);
  process.wait();
  ASSERT_FALSE(fs::exists(cut + "/COMPLETE")) << "the run ended before it could be killed";
  const ProcessResult resumed = test::run_process({test::binary_path("plumbline"), "train", "--resume", cut});
  ASSERT_EQ(resumed.exit_code, straight.exit_code) << resumed.err;

  EXPECT_EQ(without_times(cut + "/steps.tsv"), without_times(whole + "/steps.tsv"));
  EXPECT_EQ(read_file(cut + "/eval.jsonl"), read_file(whole + "/eval.jsonl"));
  const std::vector<std::string> files = files_to_compare(whole);
  EXPECT_GE(files.size(), 4u);
  EXPECT_EQ(files_to_compare(cut), files);
  for (const std::string& name : files) EXPECT_EQ(read_file(cut + name), read_file(whole + name)) << name;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TrainResumed,
    testing::Values(ResumedKind{"Projected", {"run.arm=projected"}}, ResumedKind{"Route", {"run.arm=route"}},
                    ResumedKind{"Absorb", {"run.arm=absorb"}}, ResumedKind{"EraseStates", {"run.arm=erase_states"}},
                    ResumedKind{"Lora",
                                {"run.arm=vanilla", "adapter.kind=lora", "adapter.rank=4", "adapter.alpha=8.0"}}),
    [](const auto& kind) { return kind.param.name; });

TEST(Train, ResumeWithChangedSettingsListsTheDifferences) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const std::string out = folder.file("run");
  test::BackgroundProcess process(tiny_words("train", out, {"train.steps=100000"}));
  ASSERT_TRUE(wait_for_lines(out + "/steps.tsv", 2, process));
  process.send(SIGKILL);
  process.wait();
  const ProcessResult result =
      test::run_process({test::binary_path("plumbline"), "train", "--resume", out, "--set", "train.lr=0.5"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("config.resume_differs"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("lr = 0.5"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace plumbline
