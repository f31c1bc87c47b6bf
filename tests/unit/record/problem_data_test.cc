/// The shipped problems: readable, hintable, and exactly what their sources say.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "plumbline/base/file_system.h"
#include "plumbline/record/hint.h"
#include "plumbline/record/problem_reader.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

std::vector<Problem> shipped() {
  return read_problems(test::source_path("data/problems/problems.jsonl"));
}

TEST(ProblemData, RegeneratingGivesTheSameBytes) {
  const test::TemporaryFolder folder;
  const auto result =
      test::run_process({"python3", test::source_path("tools/make_problems.py"), "--out", folder.file("again.jsonl")},
                        "", {{"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONHASHSEED", "random"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(read_file(folder.file("again.jsonl")) == read_file(test::source_path("data/problems/problems.jsonl")))
      << "run tools/make_problems.py and commit the file";
}

TEST(ProblemData, FamiliesDoNotCrossTheSplit) {
  std::map<std::string, std::set<std::string>> splits;
  std::map<std::string, int> counts;
  for (const Problem& problem : shipped()) {
    splits[problem.family].insert(problem.split);
    ++counts[problem.split];
  }
  for (const auto& [family, names] : splits) EXPECT_EQ(names.size(), 1u) << family;
  EXPECT_EQ(counts, (std::map<std::string, int>{{"eval", 45}, {"train", 135}}));
}

TEST(ProblemData, EveryProblemIsWhole) {
  for (const Problem& problem : shipped()) {
    EXPECT_GE(problem.tests.size(), 8u) << problem.id.text;
    EXPECT_EQ(problem.known_wrong.size(), 2u) << problem.id.text;
    EXPECT_TRUE(problem.code_tests.empty()) << problem.id.text;
    EXPECT_TRUE(problem.reference.starts_with(problem.starter_code)) << problem.id.text;
    ASSERT_EQ(problem.prompt.size(), 2u);
    EXPECT_LT(problem.prompt[1].content.size(), 500u) << problem.id.text;
    EXPECT_NE(problem.prompt[1].content.find(problem.starter_code), std::string::npos) << problem.id.text;
  }
}

TEST(ProblemData, EveryHintFits) {
  for (const Problem& problem : shipped()) {
    for (const std::string& variant : hint_variants()) {
      Problem hinted = problem;
      apply_hint(hinted, variant, "run_tests");
      EXPECT_EQ(hinted.hint.has_value(), variant != "none");
    }
  }
}

}  // namespace
}  // namespace plumbline
