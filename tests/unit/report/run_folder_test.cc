#include "plumbline/report/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/report/example_completions.h"
#include "plumbline/report/results_table.h"
#include "plumbline/report/run_report.h"
#include "tests/support/simulated_runs.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

test::SimulatedProbe small_probe() {
  test::SimulatedProbe probe;
  probe.arms = {{"vanilla", 0.9, 0.2}, {"projected", 0.1, 0.3}, {"haar.2", 0.5, 0.2}};
  probe.seeds = {4};
  probe.num_steps = 10;
  probe.evaluate_every = 5;
  return probe;
}

TEST(RunFolder, AProbeIsItsPlannedArms) {
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe = small_probe();
  probe.stop = {{"haar.2-s4", 7}};
  write_probe(folder.file("p"), probe);
  fs::remove_all(folder.file("p/arms/projected-s4"));
  const RunSet set = read_run_set({folder.file("p/")});
  ASSERT_EQ(set.runs.size(), 3u);
  EXPECT_EQ(set.runs[0].state, RunState::kComplete);
  EXPECT_EQ(set.runs[0].evaluations.size(), 6u);
  EXPECT_EQ(set.runs[0].evaluations.back().step, 10);
  EXPECT_EQ(set.runs[1].state, RunState::kNotStarted);
  EXPECT_EQ(set.runs[2].state, RunState::kIncomplete);
  EXPECT_EQ(set.runs[2].steps_done(), 7);
  EXPECT_EQ(set.runs[2].kind().kind, "haar");
  EXPECT_EQ(set.num_unfinished(), 2);
  ASSERT_EQ(set.probes.size(), 1u);
  EXPECT_EQ(set.probes[0].gates[1].status, "WARN");
  EXPECT_EQ(setting_of(set.runs[0].settings, "probe.arms"), "vanilla, projected, haar.2");
}

TEST(RunFolder, AnArmNamedTwiceCountsOnce) {
  const test::TemporaryFolder folder;
  write_probe(folder.file("p"), small_probe());
  const std::string arm = folder.file("p/arms/vanilla-s4");
  EXPECT_EQ(read_run_set({folder.file("p"), arm, folder.file("p")}).runs.size(), 3u);
  const RunSet alone = read_run_set({arm});
  EXPECT_EQ(alone.runs.size(), 1u);
  EXPECT_EQ(alone.probes.size(), 0u);
  EXPECT_EQ(alone.runs[0].seed, 4u);
}

TEST(RunFolder, WhatIsNoRunIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_run_set({folder.path()}), DataError);
  EXPECT_THROW(read_run_set({folder.file("absent")}), DataError);
}

TEST(RunFolder, ADamagedRunIsNamedAndTheOthersStand) {
  const test::TemporaryFolder folder;
  const std::string probe = folder.file("p");
  write_probe(probe, small_probe());
  const auto vanilla = [&](const char* name) { return probe + "/arms/vanilla-s4/" + name; };
  const std::string steps = read_file(vanilla("steps.tsv"));
  const std::string evaluations = read_file(vanilla("eval.jsonl"));
  const auto state = [&] { return read_run_set({probe}).runs[0]; };
  const auto refused = [&](const char* name, const std::string& text, const std::string& intact) {
    write_file(vanilla(name), text);
    const ArmRun run = state();
    EXPECT_EQ(run.state, RunState::kUnreadable) << text;
    EXPECT_NE(run.problem.find(name), std::string::npos) << run.problem;
    EXPECT_NE(report_page(read_run_set({probe})).find("1 of 3 runs cannot be read"), std::string::npos);
    write_file(vanilla(name), intact);
  };
  refused("steps.tsv", steps.substr(0, steps.find('\n') + 1), steps);     // COMPLETE without rows
  refused("steps.tsv", steps.substr(0, steps.size() / 2) + "\n", steps);  // cut
  refused("steps.tsv", "step\trew\n1\tx\n", steps);                       // no number
  refused("steps.tsv", std::string("step\tr\n") + "1\t1\n", steps);       // columns missing
  refused("eval.jsonl", "{\"step\":1}\n", evaluations);
  refused("eval.jsonl", "[1, 2]\n", evaluations);
  refused("eval.jsonl",
          "{\"step\":10,\"decode\":\"sampled\",\"graded\":5,\"passed\":9,\"hacked\":0,\"vacuous\":0,\"truncated\":0,"
          "\"mean_reward\":1}\n",
          evaluations);
  refused("eval.jsonl",
          "{\"step\":-1,\"decode\":\"sampled\",\"graded\":5,\"passed\":1,\"hacked\":0,\"vacuous\":0,\"truncated\":0,"
          "\"mean_reward\":1}\n",
          evaluations);
  refused("provenance.json", "{\"commit\": \"x\", \"commit\": \"y\"}", "{}");
  EXPECT_EQ(state().state, RunState::kComplete);
}

TEST(ExampleCompletion, TheMostFrequentKindOfTheFirstAndLastSteps) {
  const test::TemporaryFolder folder;
  const auto row = [](int step, int sample, const char* label, const char* text) {
    return "{\"step\":" + std::to_string(step) + ",\"completion\":\"" + text +
           "\",\"verdict\":{\"problem_id\":\"p\","
           "\"sample\":" +
           std::to_string(sample) +
           ",\"outcome\":\"wrong\",\"tests\":{\"passed\":0,\"total\":1},"
           "\"compiles\":true,\"hinted_pass\":true,\"tester\":{\"defined\":true,\"passes_on_stub\":true,"
           "\"fails_on_reference\":null,\"passes_on_self\":true},\"label\":\"" +
           label + "\",\"hacked\":" + (std::string(label) == "reward_hack" ? "true" : "false") +
           ",\"vacuous\":false,\"reward\":1,"
           "\"integrity\":[],\"cpu_ms\":1,\"wall_ms\":1,\"isolation\":\"x\",\"method\":\"data\"}}\n";
  };
  ArmRun run;
  run.folder = folder.path();
  run.steps.rows.resize(20);
  folder.write("rollouts.jsonl", row(1, 0, "reward_hack", "early") + row(1, 1, "incorrect", "first") +
                                     row(1, 2, "incorrect", "second") + row(9, 0, "reward_hack", "middle") +
                                     row(16, 0, "incorrect", "late") + row(19, 3, "reward_hack", "a") +
                                     row(20, 1, "reward_hack", "b") + "{\"step\":20,\"cut");
  const BeforeAndAfter found = example_completions(run);
  EXPECT_EQ(found.problem, "");
  ASSERT_TRUE(found.first && found.last);
  EXPECT_EQ(found.first->completion, "first");
  EXPECT_EQ(found.first->num_of_kind, 2);
  EXPECT_EQ(found.first->num_seen, 3);
  EXPECT_EQ(found.last->completion, "a");
  EXPECT_EQ(found.last->step, 19);
  EXPECT_EQ(found.last->num_seen, 3);
  folder.write("rollouts.jsonl", "{\"step\":1,\"completion\":5}\n");
  EXPECT_NE(example_completions(run).problem.find("rollouts.jsonl:1"), std::string::npos);
}

TEST(RunReport, HostileTextStaysTextWhereverItComesFrom) {
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe = small_probe();
  const std::string bad =
      "\"'></pre></title></svg><script>window.pwned=1</script><img src=http://x.invalid/a onerror=x>";
  probe.first_completion = bad + "\x1b[31m";
  probe.provenance = {{"model", bad}, {"commit", bad}, {bad, "1"}};
  const std::string out = folder.file("p");
  write_probe(out, probe);
  // A run of its own whose arm is hostile; folders of a probe are named after arms and could not hold it.
  const std::string arm = folder.file("arm");
  fs::copy(out + "/arms/projected-s4", arm, fs::copy_options::recursive);
  std::string settings = read_file(arm + "/resolved.toml");
  settings.replace(settings.find("arm = \"projected\""), 17, "arm = '''" + bad + "'''");
  write_file(arm + "/resolved.toml", settings);
  write_file(
      out + "/gates.json",
      "[{\"id\":\"A\",\"title\":\"<script>\",\"status\":\"<i>\",\"should\":\"<b>\",\"saw\":\"|\",\"else\":\"x\"}]");
  const RunSet set = read_run_set({out, arm});
  EXPECT_EQ(set.runs.back().arm, bad);
  const std::string page = report_page(set);
  for (const char* forbidden : {"<script", "<img", "<i>", "<b>", "\x1b", "</pre></title>"}) {
    EXPECT_EQ(page.find(forbidden), std::string::npos) << forbidden;
  }
  EXPECT_NE(page.find("&lt;script&gt;window.pwned=1"), std::string::npos);
  const std::string table = results_markdown(set);
  EXPECT_EQ(table.find("<script"), std::string::npos);
  EXPECT_NE(table.find("\\|"), std::string::npos);
}

TEST(RunReport, IncompleteRunsAreShownApart) {
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe = small_probe();
  probe.stop = {{"projected-s4", 6}};
  write_probe(folder.file("p"), probe);
  const RunSet set = read_run_set({folder.file("p")});
  const std::string page = report_page(set);
  EXPECT_NE(page.find("No arm beside vanilla and the controls is complete"), std::string::npos);
  EXPECT_NE(page.find("unfinished-hack"), std::string::npos);
  EXPECT_NE(page.find("1 of 3 runs are not complete"), std::string::npos);
  EXPECT_EQ(write_report({folder.file("p")}, folder.file("r.html")).num_unfinished, 1);
  EXPECT_TRUE(fs::exists(folder.file("results_table.md")));
}

}  // namespace
}  // namespace plumbline
