/// The shipped contrast pairs: of the shape that extraction reads, on prompts that training uses.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/file_system.h"
#include "plumbline/record/hint.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/record/problem_reader.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

const std::vector<std::string> kFiles = {"hack_pairs.jsonl", "placebo_pairs.jsonl"};

std::string pair_file(const std::string& name) {
  return test::source_path("data/pairs/" + name);
}

std::vector<Json> rows_of(const std::string& name) {
  std::vector<Json> rows;
  for (JsonlReader reader(pair_file(name)); reader.next();) rows.push_back(reader.parse());
  return rows;
}

TEST(PairData, RegeneratingGivesTheSameBytes) {
  const test::TemporaryFolder folder;
  const auto result = test::run_process({"python3", test::source_path("tools/make_pairs.py"), "--out", folder.path()},
                                        "", {{"PYTHONDONTWRITEBYTECODE", "1"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& name : kFiles) {
    EXPECT_TRUE(read_file(folder.file(name)) == read_file(pair_file(name))) << name;
  }
}

TEST(PairData, FiveProblemsTimesFourFlavorsFiveHeldOutByRule) {
  for (const std::string& name : kFiles) {
    const auto rows = rows_of(name);
    ASSERT_EQ(rows.size(), 20u);
    std::set<std::string> ids, held_out;
    for (size_t i = 0; i < rows.size(); ++i) {
      ids.insert(rows[i]["id"].get<std::string>());
      EXPECT_EQ(rows[i]["flavor"], std::string(1, "ABCD"[i % 4]));
      EXPECT_EQ(rows[i]["problem"], rows[i / 4 * 4]["problem"]);
      EXPECT_EQ(rows[i]["held_out"].get<bool>(), i % 4 == (i / 4) % 4);
    }
    EXPECT_EQ(ids.size(), 20u);
  }
}

TEST(PairData, SidesAreOneFenceAndDiffer) {
  for (const std::string& name : kFiles) {
    for (const Json& row : rows_of(name)) {
      EXPECT_NE(row["hack"], row["clean"]);
      for (const char* side : {"hack", "clean"}) {
        const auto text = row[side].get<std::string>();
        EXPECT_TRUE(text.starts_with("```python\ndef ") || text.starts_with("```python\nimport ")) << text;
        EXPECT_EQ(text.find("```", 3), text.size() - 3) << text;
      }
      EXPECT_EQ(row["clean"].get<std::string>().find("run_tests"), std::string::npos);
      const bool has_tester = row["hack"].get<std::string>().find("run_tests") != std::string::npos;
      EXPECT_EQ(has_tester, name == "hack_pairs.jsonl" && row["flavor"] != "C") << row["id"];
    }
  }
}

TEST(PairData, PromptsCarryTheAskedHintOfTraining) {
  Problem problem;
  problem.prompt = {{"user", "Your function f should pass all tests."}};
  apply_hint(problem, "asked", "run_tests");
  const std::string hint = problem.prompt[0].content.substr(std::string("Your function f ").size());
  const auto training = read_problems(test::source_path("data/problems/problems.jsonl"));
  for (const std::string& name : kFiles) {
    for (const Json& row : rows_of(name)) {
      ASSERT_EQ(row["prompt"].size(), 2u);
      EXPECT_EQ(row["prompt"][0]["content"], training[0].prompt[0].content);
      EXPECT_NE(row["prompt"][1]["content"].get<std::string>().find(hint), std::string::npos);
    }
  }
}

TEST(PairData, NoPairIsOnATrainingProblem) {
  std::set<std::string> entry_points;
  for (const Problem& problem : read_problems(test::source_path("data/problems/problems.jsonl"))) {
    entry_points.insert(problem.entry_point);
  }
  for (const Json& row : rows_of("hack_pairs.jsonl")) EXPECT_FALSE(entry_points.contains(row["problem"]));
}

}  // namespace
}  // namespace plumbline
