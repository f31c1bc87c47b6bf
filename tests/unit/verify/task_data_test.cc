/// The shipped problems of every task but code: what their generator says, sealed, split by family, and graded right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/seal.h"
#include "plumbline/verify/tasks/task_verifier.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

const std::vector<std::string> kTasks = {"math", "physics", "step", "invention", "provenance", "concept"};

std::string file_of(const std::string& task) {
  return test::source_path("data/" + task + "/problems.jsonl");
}

Verdict grade(TaskVerifier& verifier, const Problem& problem, const std::string& completion) {
  const std::vector<GradeRequest> requests = {{&problem, 0, completion}};
  return verifier.grade(requests).front();
}

TEST(TaskData, RegeneratingGivesTheSameBytes) {
  const test::TemporaryFolder folder;
  const auto result =
      test::run_process({"python3", test::source_path("tools/make_task_problems.py"), "--out", folder.path()}, "",
                        {{"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONHASHSEED", "random"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& task : kTasks) {
    for (const std::string name : {"/problems.jsonl", "/problems.seal.json"}) {
      EXPECT_TRUE(read_file(folder.file(task + name)) == read_file(test::source_path("data/" + task + name)))
          << task << name;
    }
  }
}

TEST(TaskData, SealedWithEnoughItemsOfFamiliesThatAreInOneSplitOnly) {
  for (const std::string& task : kTasks) {
    EXPECT_EQ(check_seal(file_of(task))->generator, task + " 1");
    std::map<std::string, std::set<std::string>> families, prompts;
    std::map<std::string, int> counts;
    for (const Problem& problem : read_problems(file_of(task))) {
      EXPECT_EQ(problem.task, task);
      families[problem.split].insert(problem.family);
      prompts[problem.split].insert(problem.prompt.front().content);
      ++counts[problem.split];
    }
    EXPECT_EQ(counts.size(), 2u);
    EXPECT_GE(counts["train"], 400) << task;
    EXPECT_GE(counts["eval"], 200) << task;
    EXPECT_EQ(prompts["train"].size(), static_cast<size_t>(counts["train"])) << task << ": prompts repeat";
    EXPECT_EQ(prompts["eval"].size(), static_cast<size_t>(counts["eval"])) << task << ": prompts repeat";
    for (const std::string& family : families["eval"]) EXPECT_FALSE(families["train"].count(family)) << family;
  }
}

TEST(TaskData, AChangedFileBreaksItsSeal) {
  const test::TemporaryFolder folder;
  folder.write("problems.seal.json", read_file(test::source_path("data/math/problems.seal.json")));
  const std::string path = folder.write("problems.jsonl", read_file(file_of("math")) + "\n");
  try {
    check_seal(path);
    FAIL() << "the seal holds";
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.seal");
  }
  EXPECT_FALSE(check_seal(folder.write("other.jsonl", "")));
}

/// Answers come from exact arithmetic in Python, or are written by hand; the graders are another program.
TEST(TaskData, EveryReferencePassesAndANearMissDoesNot) {
  TaskVerifier verifier(nullptr);
  for (const std::string task : {"math", "physics", "provenance", "concept"}) {
    for (const Problem& problem : read_problems(file_of(task))) {
      const Verdict right = grade(verifier, problem, problem.reference);
      EXPECT_TRUE(right.passed()) << to_string(problem.id) << ": " << problem.reference << ": " << right.detail;
      EXPECT_EQ(right.reward, 1.0);
      if (task == "math") {
        EXPECT_EQ(grade(verifier, problem, "Answer: 1000003").outcome, Outcome::kWrong) << to_string(problem.id);
      }
      if (task == "physics") {
        EXPECT_EQ(grade(verifier, problem, "Answer: 1.0" + problem.reference).passed(), false);
        EXPECT_EQ(grade(verifier, problem, problem.reference + " s").outcome, Outcome::kWrong);
      }
    }
  }
}

TEST(TaskData, EveryStepSolutionPassesAndItsLastLineAloneIsNoWork) {
  TaskVerifier verifier(nullptr);
  for (JsonlReader lines(file_of("step")); lines.next();) {
    const Problem problem = parse_problem(lines.line(), lines.where());
    const std::string solution = lines.parse().at("solution").get<std::string>();
    const Verdict verdict = grade(verifier, problem, solution);
    EXPECT_EQ(verdict.outcome, Outcome::kPass) << solution << verdict.detail;
    EXPECT_EQ(grade(verifier, problem, problem.reference).outcome, Outcome::kNoWork);
    EXPECT_EQ(grade(verifier, problem, solution + "STEP: 1000003 | no\n").outcome, Outcome::kWrong);
  }
}

TEST(TaskVerifier, KeepsSamplesAndThrowsForAGoldThatIsNone) {
  TaskVerifier verifier(nullptr);
  const Problem problem = parse_problem(R"({"id":1,"task":"physics","prompt":"?","reference":"fast"})", "t");
  EXPECT_THROW(grade(verifier, problem, "5 m/s"), DataError);
}

}  // namespace
}  // namespace plumbline
