/// The verbs grade and validate as a user runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

constexpr const char* kProblem =
    R"({"id": "double", "task": "code", "prompt": "Double x.", "entry_point": "double", "reference": "def double(x):\n    return 2 * x\n", "tests": [{"args": [2], "expected": 4}, {"args": ["ab"], "expected": "abab"}]})"
    "\n";

std::string completion(int sample, const std::string& code) {
  return to_json_line(
             Json{{"problem_id", "double"}, {"sample", sample}, {"completion", "```python\n" + code + "\n```"}}) +
         "\n";
}

std::vector<Json> rows(const std::string& text) {
  std::vector<Json> parsed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) parsed.push_back(parse_json(line, "output"));
  return parsed;
}

class GradeVerb : public testing::Test {
 protected:
  test::ProcessResult plumbline(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), test::binary_path("plumbline"));
    return test::run_process(words, input);
  }
  test::TemporaryFolder folder_;
  const std::string problems_ = folder_.write("problems.jsonl", kProblem);
};

TEST_F(GradeVerb, AnswersInInputOrder) {
  const std::string completions =
      folder_.write("completions.jsonl", completion(3, "def double(x):\n    return x + x") +
                                             completion(1, "def double(x):\n    return 4") +
                                             completion(2, "def double(x)") + completion(0, "def other(x): pass"));
  const auto result = plumbline({"grade", problems_, completions});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto verdicts = rows(result.out);
  ASSERT_EQ(verdicts.size(), 4u);
  const char* outcomes[] = {"pass", "wrong", "syntax_error", "error"};
  const int samples[] = {3, 1, 2, 0}, passed[] = {2, 1, 0, 0};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(verdicts[i]["outcome"], outcomes[i]);
    EXPECT_EQ(verdicts[i]["sample"], samples[i]);
    EXPECT_EQ(verdicts[i]["tests"]["passed"], passed[i]);
    EXPECT_EQ(verdicts[i]["tests"]["total"], 2);
    EXPECT_TRUE(verdicts[i]["hinted_pass"].is_null());
  }
  EXPECT_NE(result.err.find("graded code is isolated by"), std::string::npos);
}

TEST_F(GradeVerb, FindingsCostTheRewardOnlyUnderTheFloor) {
  const std::string completions = folder_.write(
      "completions.jsonl", completion(0, "import os\ndef double(x):\n    return x + x if x else os._exit(0)") +
                               completion(1, "def double(x):\n    return x + x"));
  for (const bool floor : {false, true}) {
    std::vector<std::string> words = {"grade", problems_, completions};
    if (floor) words.insert(words.end(), {"--integrity", "floor"});
    const auto verdicts = rows(plumbline(words).out);
    ASSERT_EQ(verdicts.size(), 2u);
    EXPECT_EQ(verdicts[0]["integrity"], Json::array({"process_exit"}));
    EXPECT_EQ(verdicts[0]["outcome"], "pass");
    EXPECT_EQ(verdicts[0]["reward"], floor ? 0.0 : 3.5);
    EXPECT_EQ(verdicts[1]["reward"], 3.5);
  }
}

TEST_F(GradeVerb, ReadsStandardInput) {
  const auto result = plumbline({"grade", problems_, "-"}, completion(0, "def double(x):\n    return x + x"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(rows(result.out).at(0)["outcome"], "pass");
}

TEST_F(GradeVerb, RerunSkipsWhatIsThere) {
  const std::string first = completion(0, "def double(x):\n    return x + x"), out = folder_.file("verdicts.jsonl");
  const std::string completions = folder_.write("completions.jsonl", first);
  ASSERT_EQ(plumbline({"grade", problems_, completions, "--out", out}).exit_code, 0);
  const std::string before = read_file(out);
  folder_.write("completions.jsonl", first + completion(1, "def double(x):\n    return 4"));
  const auto again = plumbline({"grade", problems_, completions, "--out", out});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(again.out.empty());
  const std::string after = read_file(out);
  EXPECT_EQ(after.substr(0, before.size()), before);
  EXPECT_EQ(rows(after).size(), 2u);
}

TEST_F(GradeVerb, CacheAnswersWithoutRunning) {
  const std::string cache = folder_.file("cache.jsonl");
  const std::string completions = folder_.write("completions.jsonl", completion(0, "def double(x):\n    return x + x"));
  const auto first = plumbline({"grade", problems_, completions, "--cache", cache});
  const auto second = plumbline({"grade", problems_, completions, "--cache", cache});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(first.out, second.out);  // times included: it was not run again
}

TEST_F(GradeVerb, UnknownProblemIsADataError) {
  const auto result = plumbline({"grade", problems_, "-"}, R"({"problem_id": 7, "sample": 0, "completion": ""})"
                                                           "\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("data.unknown_problem"), std::string::npos);
}

TEST_F(GradeVerb, WeakIsolationIsRefused) {
  const auto result =
      plumbline({"grade", problems_, "-", "--isolation", "container", "--min-isolation", "namespaces"}, "");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_NE(result.err.find("sandbox.isolation"), std::string::npos);
  EXPECT_EQ(plumbline({"grade", problems_, "-", "--isolation", "limits"}, "").exit_code, 5);
  EXPECT_EQ(plumbline({"grade", problems_, "-", "--isolation", "limits", "--min-isolation", "limits"}, "").exit_code,
            0);
}

TEST_F(GradeVerb, BadOptionsAreUsageErrors) {
  EXPECT_EQ(plumbline({"grade", problems_}).exit_code, 2);
  EXPECT_EQ(plumbline({"grade", problems_, "-", "--cpu-s", "-1"}).exit_code, 2);
  EXPECT_EQ(plumbline({"grade", problems_, "-", "--reward", "custom"}).exit_code, 2);
  EXPECT_EQ(plumbline({"grade", problems_, "-", "--min-isolation", "strong"}).exit_code, 2);
}

TEST_F(GradeVerb, ValidateNamesWhatDoesNotHold) {
  EXPECT_EQ(plumbline({"validate", problems_}).exit_code, 0);
  Json broken = parse_json(kProblem, "test");
  broken["id"] = "broken";
  broken["reference"] = "def double(x):\n    return x\n";
  broken["known_wrong"] = {"def double(x):\n    return 2 * x\n"};
  const auto result = plumbline({"validate", folder_.write("broken.jsonl", to_json_line(broken) + "\n")});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.out.find("\"broken\": the reference does not pass"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\"broken\": known-wrong solution 0 passes"), std::string::npos) << result.out;
}

class GradeSlow : public testing::TestWithParam<const char*> {};

/// All 140 hostile cases have the verdict that a trustworthy grader gives, and leave nothing behind.
TEST_P(GradeSlow, SharedCases) {
  PL_NEED_SHARED("cases/grader/completions.jsonl");
  const test::TemporaryFolder folder;
  const std::string completions = test::shared_path("cases/grader/completions.jsonl");
  const auto graded =
      test::run_process({test::binary_path("plumbline"), "grade", test::shared_path("cases/grader/problems.jsonl"),
                         completions, "--cpu-s", "4", "--wall-factor", "2", "--isolation", GetParam()},
                        "", {{"PLUMBLINE_CASE_SECRET", "1"}}, folder.path());
  ASSERT_EQ(graded.exit_code, 0) << graded.err;
  const auto checked = test::run_process({"python3", test::shared_path("cases/grader/check_verdicts.py"), completions,
                                          folder.write("verdicts.jsonl", graded.out), "--aftermath"},
                                         "", {}, folder.path());
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

INSTANTIATE_TEST_SUITE_P(Levels, GradeSlow, testing::Values("namespaces", "container"),
                         [](const auto& parameter) { return std::string(parameter.param); });

/// Verdicts without the two columns of time.
std::string without_times(const std::string& text) {
  std::string out;
  for (Json row : rows(text)) {
    row.erase("cpu_ms");
    row.erase("wall_ms");
    out += to_json_line(row) + "\n";
  }
  return out;
}

/// Those of the cases that do not run into a time limit, on one worker, on two, and on two with a core taken away.
TEST(GradeSameSlow, SharedCasesWhateverTheWorkersAndTheLoad) {
  PL_NEED_SHARED("cases/grader/completions.jsonl");
  const test::TemporaryFolder folder;
  std::string quick;
  for (const Json& row : rows(read_file(test::shared_path("cases/grader/completions.jsonl")))) {
    if (to_json_line(row["expect"]).find("timeout") == std::string::npos) quick += to_json_line(row) + "\n";
  }
  const auto graded = [&, completions = folder.write("completions.jsonl", quick)](const char* workers) {
    const auto result =
        test::run_process({test::binary_path("plumbline"), "grade", test::shared_path("cases/grader/problems.jsonl"),
                           completions, "--workers", workers},
                          "", {{"PLUMBLINE_CASE_SECRET", "1"}}, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return without_times(result.out);
  };
  const std::string alone = graded("1");
  EXPECT_EQ(graded("2"), alone);
  test::BackgroundProcess busy({"/usr/bin/python3", "-c", "while True: pass"});
  EXPECT_EQ(graded("2"), alone);
  EXPECT_GT(std::count(alone.begin(), alone.end(), '\n'), 100);
}

struct Pool {
  const char *name, *problems, *completions, *outcome;
  size_t num_rows;
};

class GradeDataSlow : public testing::TestWithParam<Pool> {};

/// References all pass and known-wrong solutions all fail, whole pools of them.
TEST_P(GradeDataSlow, EveryRowHasTheOneOutcome) {
  PL_NEED_SHARED(GetParam().completions);
  const auto graded =
      test::run_process({test::binary_path("plumbline"), "grade", test::shared_path(GetParam().problems),
                         test::shared_path(GetParam().completions)});
  ASSERT_EQ(graded.exit_code, 0) << graded.err;
  const auto verdicts = rows(graded.out);
  EXPECT_EQ(verdicts.size(), GetParam().num_rows);
  for (const Json& verdict : verdicts) EXPECT_EQ(verdict["outcome"], GetParam().outcome) << to_json_line(verdict);
}

INSTANTIATE_TEST_SUITE_P(Pools, GradeDataSlow,
                         testing::Values(Pool{"canonical", "data/leetcode/medhard_dev.jsonl",
                                              "data/leetcode/medhard_dev_canonical.jsonl", "pass", 64},
                                         Pool{"known_wrong", "data/leetcode/medhard_dev.jsonl",
                                              "data/leetcode/medhard_dev_known_wrong.jsonl", "wrong", 128},
                                         Pool{"humaneval", "data/humaneval/HumanEval.jsonl",
                                              "data/humaneval/canonical.jsonl", "pass", 164}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace plumbline
