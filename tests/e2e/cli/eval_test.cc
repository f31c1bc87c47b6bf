/// Train, `eval` and `compare` as a user runs them, on the embedded model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "tests/support/fake_provider.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using test::ProcessResult;
using testing::HasSubstr;

using Settings = std::vector<std::string>;

std::vector<std::string> words_of(const std::string& verb, const std::string& out, const Settings& settings) {
  std::vector<std::string> words = {test::binary_path("plumbline"), verb, "demo", "--out", out};
  Settings all = {"run.device=cpu",
                  "run.threads=1",
                  "rollout.group_size=4",
                  "rollout.prompts_per_step=4",
                  "rollout.max_new_tokens=40",
                  "rollout.context_tokens=1024",
                  "train.steps=2",
                  "eval.every=0",
                  "grade.workers=1",
                  "eval.samples=1",
                  "eval.temperature=0",
                  "eval.greedy_beside=false"};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const std::string& setting : all) words.insert(words.end(), {"--set", setting});
  return words;
}

ProcessResult train(const std::string& out, const Settings& settings) {
  const ProcessResult result = test::run_process(words_of("train", out, settings));
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.err;  // 1: Gate C, a result
  return result;
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

ProcessResult evaluate(const std::string& out, const Settings& settings, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = words_of("eval", out, settings);
  words.insert(words.end(), more.begin(), more.end());
  return test::run_process(words);
}

ProcessResult compare(std::vector<std::string> words) {
  words.insert(words.begin(), {test::binary_path("plumbline"), "compare", "--json"});
  return test::run_process(words);
}

ordered_json json_of(const std::string& path) {
  return ordered_json::parse(read_file(path));
}

/// Words of a gate that fails; empty when it does not.
std::string failure_of(const ordered_json& comparison, const std::string& gate) {
  for (const ordered_json& row : comparison["gates"]) {
    if (row["id"] == gate && row["state"] == "fail") return row["words"];
  }
  return "";
}

void expect_invalid(const std::vector<std::string>& reports, const std::string& gate, const std::string& words) {
  const ProcessResult result = compare(reports);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const ordered_json comparison = ordered_json::parse(result.out);
  EXPECT_EQ(comparison["decision"], "INVALID") << words;
  EXPECT_THAT(comparison["blocking"].dump(), HasSubstr("\"" + gate + "\""));
  EXPECT_THAT(failure_of(comparison, gate), HasSubstr(words));
  EXPECT_TRUE(comparison["tasks"][0]["headline"].is_null());
}

TEST(EvalSlow, AnAdapterThatAddsNothingIsNamed) {
  const test::TemporaryFolder folder;
  const std::string run = folder.file("run");
  train(run, {"train.lr=0", "adapter.kind=lora", "adapter.rank=4", "adapter.alpha=8.0"});  // every lora_B stays 0
  const ProcessResult result = evaluate(folder.file("e"), {"eval.limit=4", "eval.adapter=[\"" + run + "\"]"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("adds nothing to any weight: the candidate is the base itself"));
  EXPECT_EQ(json_of(folder.file("e") + "/code-s0.eval.json")["paired"]["delta"], 0.0);
}

TEST(EvalSlow, SeedsOfOneTaskCompareAndEveryMixIsInvalidByName) {
  const test::TemporaryFolder folder;
  const auto run = [&](const std::string& name) { return folder.file(name); };
  for (const std::string seed : {"0", "1", "2"}) train(run("s" + seed), {"run.seed=" + seed});
  train(run("g2"), {"run.seed=3", "rollout.group_size=2"});
  train(run("dirty"), {"run.seed=4", "data.split=eval"});
  const Settings three = {"eval.limit=24",
                          "eval.adapter=[\"" + run("s0") + "\", \"" + run("s1") + "\", \"" + run("s2") + "\"]"};
  const ProcessResult result = evaluate(run("e"), three);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("first prompt, SHA-256 "));
  std::vector<std::string> reports;
  for (const std::string seed : {"0", "1", "2"}) reports.push_back(run("e") + "/code-s" + seed + ".eval.json");
  const ordered_json first = json_of(reports[0]);
  EXPECT_EQ(first["base"]["n"], 24);
  EXPECT_GT(first["base"]["pass_at_1"], 0.0);
  EXPECT_EQ(first["pin"]["num_generations"], 4);
  EXPECT_EQ(first["pin"]["max_new_tokens"], 40);
  EXPECT_EQ(first["pin"]["template_wrap"], true);
  EXPECT_EQ(first["split"]["family_overlap"].size(), 0u);
  EXPECT_EQ(first["rows"]["base"], json_of(reports[2])["rows"]["base"]);
  const ProcessResult compared = compare(reports);
  EXPECT_EQ(compared.exit_code, 1) << compared.err;
  const ordered_json comparison = ordered_json::parse(compared.out);
  EXPECT_EQ(comparison["decision"], "NO-GO") << comparison["blocking"].dump();  // two steps teach nothing
  EXPECT_EQ(failure_of(comparison, "comparable"), "");
  EXPECT_THAT(result.out, HasSubstr("NO-GO"));

  const auto other = [&](const std::string& name, const Settings& settings) {
    const ProcessResult made = evaluate(run(name), with({"eval.limit=24"}, settings));
    EXPECT_EQ(made.exit_code, 0) << made.err;
    for (const auto& entry : fs::directory_iterator(run(name))) {
      if (entry.path().string().ends_with(".eval.json")) return entry.path().string();
    }
    return std::string();
  };
  const std::string second = "eval.adapter=[\"" + run("s1") + "\"]";
  expect_invalid({reports[0], other("tokens", {second, "rollout.max_new_tokens=32"})}, "comparable",
                 "max_new_tokens: 40 and 32");
  expect_invalid({reports[0], other("raw", {second, "model.chat_template=never"})}, "comparable",
                 "template_wrap: true and false");
  expect_invalid({reports[0], other("group", {"eval.adapter=[\"" + run("g2") + "\"]"})}, "comparable",
                 "num_generations: 4 and 2");
  expect_invalid({reports[0], other("split", {second, "eval.limit=20"})}, "comparable", "split_hash");
  expect_invalid({other("contaminated", {"eval.adapter=[\"" + run("dirty") + "\"]"})}, "no_contamination",
                 "in training and in evaluation");
  ordered_json mixed = json_of(reports[1]);
  mixed["metric"] = mixed["pin"]["metric"] = "mean_reward";
  expect_invalid({reports[0], folder.write("mixed.json", mixed.dump())}, "comparable", "metric");
  ordered_json dead = json_of(reports[0]);
  for (const char* arm : {"base", "candidate"}) {
    for (ordered_json& row : dead["rows"][arm]) {
      row["passed"] = false;
      row["outcome"] = "no_code";
      row["reward"] = 0;
    }
    dead[arm]["pass_at_1"] = dead[arm]["mean_reward"] = 0;
  }
  expect_invalid({folder.write("dead.json", dead.dump())}, "base_alive", "suspect: template");

  // --pin: refused before a completion is made, and nothing is left behind.
  const ProcessResult refused =
      evaluate(run("pinned"), {"eval.limit=24", second, "rollout.max_new_tokens=32"}, {"--pin", reports[0]});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("config.pin_mismatch"));
  EXPECT_THAT(refused.err, HasSubstr("max_new_tokens: 32 and 40"));
  EXPECT_FALSE(fs::exists(run("pinned")));
  const Settings shorter = {"eval.limit=24", second, "rollout.max_new_tokens=32"};
  EXPECT_EQ(evaluate(run("dry"), shorter, {"--pin", reports[0], "--dry-run"}).exit_code, 2) << "a dry run looks too";
  EXPECT_EQ(evaluate(run("allowed"), {"eval.limit=24", second}, {"--pin", reports[0]}).exit_code, 0);
  EXPECT_EQ(json_of(run("allowed") + "/code-s1.eval.json"), json_of(reports[1])) << "the same run measures the same";
}

TEST(EvalSlow, TrainingFilesAreTakenAsTheRunsSawThem) {
  const test::TemporaryFolder folder;
  std::string rows, spaced;
  std::istringstream shipped(read_file(test::source_path("data/tiny/problems.jsonl")));
  int64_t num_rows = 0;
  for (std::string line; std::getline(shipped, line);) {
    ordered_json row = ordered_json::parse(line);
    if (row["split"] != "eval" || num_rows == 24) continue;
    ++num_rows;
    rows += row.dump() + "\n";
    row["split"] = "train";  // the same prompts but for a space, under other names
    row["id"] = "other-" + std::to_string(num_rows);
    row["family"] = "other " + std::to_string(num_rows);
    std::string prompt = row["prompt"][0]["content"];
    row["prompt"][0]["content"] = prompt.replace(prompt.find(' '), 1, "  ");
    spaced += row.dump() + "\n";
  }
  const std::string problems = folder.write("problems.jsonl", rows + spaced);
  train(folder.file("run"), {"data.problems=" + problems});
  const Settings settings = {"eval.problems=[\"" + problems + "\"]", "data.problems=" + problems,
                             "eval.adapter=[\"" + folder.file("run") + "\"]"};
  const ProcessResult result = evaluate(folder.file("leaked"), settings);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_invalid({folder.file("leaked") + "/code-s0.eval.json"}, "no_contamination", "in training and in evaluation");
  EXPECT_THAT(result.out, HasSubstr("contamination"));  // the doctor sees it too

  folder.write("problems.jsonl", rows + spaced + "\n\n");
  const ProcessResult changed = evaluate(folder.file("changed"), settings);
  EXPECT_EQ(changed.exit_code, 3);
  EXPECT_THAT(changed.err, HasSubstr("data.training_changed"));
  EXPECT_FALSE(fs::exists(folder.file("changed")));
}

class EvalEachTask : public testing::TestWithParam<std::string> {};

TEST_P(EvalEachTask, TrainsEvaluatesAndComparesSlow) {
  const std::string task = GetParam();
  const test::TemporaryFolder folder;
  const Settings data = {"data.problems=data/" + task + "/problems.jsonl", "data.hint=none",
                         "eval.tasks=[\"" + task + "\"]"};
  train(folder.file("run"), data);
  EXPECT_THAT(read_file(folder.file("run") + "/rollouts.jsonl"), HasSubstr(task + "-train-"));
  const ProcessResult result =
      evaluate(folder.file("e"), with(data, {"eval.limit=12", "eval.adapter=[\"" + folder.file("run") + "\"]"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string path = folder.file("e") + "/" + task + "-s0.eval.json";
  const ordered_json report = json_of(path);
  EXPECT_EQ(report["task"], task);
  EXPECT_EQ(report["base"]["n"], 12);
  EXPECT_EQ(report["pin"]["template_wrap"], task == "invention");
  EXPECT_EQ(report["pin"]["generator_version"], task + " 1");
  EXPECT_EQ(report["split"]["sealed"], true);
  EXPECT_EQ(report["split"]["family_overlap"].size(), 0u);
  for (const ordered_json& row : report["rows"]["candidate"]) {
    EXPECT_FALSE(row["completion"].get<std::string>().empty());
    EXPECT_EQ(row.contains("vsc"), task == "step");
    EXPECT_EQ(row.contains("score"), task == "provenance" || task == "concept");
  }
  // A model that writes one-line functions knows nothing of these tasks; what counts is that the gates say so.
  const ProcessResult compared = compare({path});
  EXPECT_EQ(compared.exit_code, 1) << compared.err;
  const ordered_json comparison = ordered_json::parse(compared.out);
  EXPECT_EQ(comparison["decision"], "INVALID") << comparison["gates"].dump();
  EXPECT_THAT(failure_of(comparison, "base_alive"), HasSubstr("suspect: template"));
}

INSTANTIATE_TEST_SUITE_P(AllTasks, EvalEachTask,
                         testing::Values("math", "physics", "step", "invention", "provenance", "concept"),
                         [](const auto& test) { return test.param; });

TEST(EvalSlow, AnInterruptedRunGoesOnToTheSameReports) {
  const test::TemporaryFolder folder;
  train(folder.file("run"), {});
  const Settings settings = {"eval.limit=100", "eval.adapter=[\"" + folder.file("run") + "\"]"};
  ASSERT_EQ(evaluate(folder.file("whole"), settings).exit_code, 0);
  const std::string out = folder.file("stopped");
  test::BackgroundProcess process(words_of("eval", out, settings));
  const std::string rows = out + "/rows/code.base.greedy.jsonl";
  for (int i = 0; i < 2400 && process.is_running(); ++i) {
    if (fs::exists(rows) && fs::file_size(rows) > 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.send(SIGINT);
  ASSERT_EQ(process.wait(), 130);
  EXPECT_FALSE(fs::exists(out + "/COMPLETE"));
  const std::string plan = folder.write("late.toml", "[tasks]\nheadline = ['code']\n");
  const ProcessResult late =
      test::run_process({test::binary_path("plumbline"), "eval", "--resume", out, "--plan", plan});
  EXPECT_EQ(late.exit_code, 2) << late.err;
  EXPECT_THAT(late.err, HasSubstr("config.plan_differs"));
  const std::string saved = read_file(rows);
  EXPECT_GT(saved.size(), 0u);
  const ProcessResult resumed = test::run_process({test::binary_path("plumbline"), "eval", "--resume", out});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(read_file(rows).starts_with(saved)) << "rows that were there are not made again";
  EXPECT_EQ(json_of(out + "/code-s0.eval.json")["rows"], json_of(folder.file("whole") + "/code-s0.eval.json")["rows"]);
  EXPECT_EQ(test::run_process({test::binary_path("plumbline"), "eval", "--resume", out}).exit_code, 2);
}

TEST(EvalSlow, TwoCheckpointsAndSamples) {
  const test::TemporaryFolder folder;
  const std::string plan = folder.write("plan.toml", "[tasks]\nheadline = ['code']\n");
  const ProcessResult result = evaluate(
      folder.file("e"), {"eval.limit=10", "eval.candidate=models/tiny", "eval.samples=4", "eval.temperature=1"},
      {"--plan", plan});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("is not committed as it stands"));
  EXPECT_THAT(result.err, HasSubstr("models/tiny has the weights of the base: the candidate is the base itself"));
  const ordered_json report = json_of(folder.file("e") + "/code-s0.eval.json");
  EXPECT_EQ(report["preregistration"]["sha256"], sha256_hex(read_file(plan)));
  EXPECT_TRUE(report["preregistration"]["commit"].is_null());
  EXPECT_EQ(read_file(folder.file("e") + "/plan.toml"), read_file(plan));
  EXPECT_EQ(report["paired"]["delta"], 0.0);
  EXPECT_EQ(report["rows"]["base"], report["rows"]["candidate"]) << "the same weights, the same items";
  EXPECT_EQ(report["pin"]["adapter_kind"], "none");
  EXPECT_EQ(report["pin"]["temperature"], 0);
  const ordered_json& estimates = report["sampled"]["base"]["pass_at_k"];
  EXPECT_EQ(estimates.size(), 3u);
  EXPECT_LE(estimates["1"].get<double>(), estimates["4"].get<double>());
}

TEST(EvalSlow, AServedModelIsACandidate) {
  // The provider knows one program. It breaks down after ten answers and comes back.
  std::atomic<bool> is_broken = false;
  std::atomic<int> num_answers = 0;
  const std::string text = "```python\ndef f(x):\n    return x\n```\n";
  const test::FakeProvider provider([&](const test::AskedQuestion& question) -> std::optional<test::ServedAnswer> {
    if (test::is_trial(question)) return test::FakeProvider::says(question, "ready");
    if (is_broken && num_answers >= 10) {
      return test::FakeProvider::misbehaves(question, test::Misbehaviour::kTermsOfService);
    }
    ++num_answers;
    return test::FakeProvider::says(question, text);
  });
  const test::TemporaryFolder folder;
  const Settings settings = {"eval.limit=30", "eval.served=" + provider.spec("some-model")};
  is_broken = true;
  const ProcessResult stopped = evaluate(folder.file("e"), settings);
  EXPECT_EQ(stopped.exit_code, 6) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("remote.candidate"));
  EXPECT_FALSE(fs::exists(folder.file("e") + "/code-s0.eval.json")) << "no report without all answers";
  is_broken = false;
  const ProcessResult resumed =
      test::run_process({test::binary_path("plumbline"), "eval", "--resume", folder.file("e")});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;

  const ordered_json report = json_of(folder.file("e") + "/code-s0.eval.json");
  EXPECT_EQ(report["pin"]["rollout_mode"], "served");
  EXPECT_EQ(report["adapter"], provider.spec("some-model"));
  ASSERT_EQ(report["rows"]["candidate"].size(), 30u);
  for (const ordered_json& row : report["rows"]["candidate"]) EXPECT_EQ(row["completion"], text);
  EXPECT_LE(num_answers, 38) << "at most the calls under way at the breakdown are made again";
  for (const test::AskedQuestion& question : provider.questions()) EXPECT_EQ(question.model, "some-model");
}

TEST(Eval, AServedModelThatRefusesStopsBeforeAnythingIsAsked) {
  const test::FakeProvider provider([&](const test::AskedQuestion& question) -> std::optional<test::ServedAnswer> {
    return test::FakeProvider::misbehaves(question, test::Misbehaviour::kTermsOfService);
  });
  const test::TemporaryFolder folder;
  const ProcessResult result = evaluate(folder.file("e"), {"eval.limit=4", "eval.served=" + provider.spec("m")});
  EXPECT_EQ(result.exit_code, 6) << result.err;
  EXPECT_THAT(result.err, HasSubstr("remote.preflight"));
  EXPECT_FALSE(fs::exists(folder.file("e")));
  EXPECT_EQ(provider.num_requests(), 1);
  const ProcessResult unreadable = evaluate(folder.file("e"), {"eval.limit=4", "eval.served=nobody:m"});
  EXPECT_EQ(unreadable.exit_code, 2) << unreadable.err;
  EXPECT_THAT(unreadable.err, HasSubstr("config.served"));
}

TEST(Eval, WrongInputIsRefusedBeforeTheModelIsLoaded) {
  const test::TemporaryFolder folder;
  const ProcessResult nothing = evaluate(folder.file("e"), {});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("config.no_candidate"));
  const ProcessResult no_run = evaluate(folder.file("e"), {"eval.adapter=[\"" + folder.path() + "\"]"});
  EXPECT_EQ(no_run.exit_code, 3);
  EXPECT_THAT(no_run.err, HasSubstr("data.not_a_run"));
  const ProcessResult no_items = evaluate(folder.file("e"), {"eval.candidate=models/tiny", "eval.tasks=[\"math\"]"});
  EXPECT_EQ(no_items.exit_code, 2);
  EXPECT_THAT(no_items.err, HasSubstr("config.no_problems"));
  const ProcessResult both = evaluate(folder.file("e"), {"eval.candidate=models/tiny", "eval.adapter=[\"x\"]"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("config.conflict"));
  const ProcessResult third = evaluate(folder.file("e"), {"eval.candidate=models/tiny", "eval.served=local:m@x"});
  EXPECT_EQ(third.exit_code, 2);
  EXPECT_THAT(third.err, HasSubstr("config.conflict"));
  const ProcessResult undrawn = evaluate(folder.file("e"), {"eval.candidate=models/tiny", "eval.samples=2"});
  EXPECT_EQ(undrawn.exit_code, 2);
  EXPECT_THAT(undrawn.err, HasSubstr("eval.samples = 2 would be ignored"));
  EXPECT_FALSE(fs::exists(folder.file("e")));
}

}  // namespace
}  // namespace plumbline
