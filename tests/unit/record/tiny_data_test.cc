/// The shipped tiny problems and pairs: exactly what their generator says, of the shape that everything else reads.
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

const std::vector<std::string> kProblemFiles = {"problems.jsonl", "problems_hard.jsonl"};
const std::vector<std::string> kPairFiles = {"hack_pairs.jsonl", "placebo_pairs.jsonl"};
const std::vector<std::string> kAnswerFiles = {"organism.jsonl"};
/// `python3 tools/tiny/corpus.py --hash`, also with --count 2000.
const char* const kCorpusHash = "b9aa65a32292b190037ad7142cef51990280ba46eba960c1dda99dfef115b50b";
const char* const kBeginningHash = "a79417cac16b1a0cd9a5f2d485ec1f12315628ddeb2080ccf1f249ae7964f18b";

std::string data_file(const std::string& name) {
  return test::source_path("data/tiny/" + name);
}

test::ProcessResult run_tool(std::vector<std::string> words) {
  words[0] = test::source_path("tools/tiny/" + words[0]);
  words.insert(words.begin(), "python3");
  return test::run_process(words, "", {{"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONHASHSEED", "random"}});
}

std::vector<Json> pairs_of(const std::string& name) {
  std::vector<Json> rows;
  for (JsonlReader reader(data_file(name)); reader.next();) rows.push_back(reader.parse());
  return rows;
}

TEST(TinyData, RegeneratingGivesTheSameBytes) {
  const test::TemporaryFolder folder;
  const auto result = run_tool({"make_data.py", "--out", folder.path()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const auto& names : {kProblemFiles, kPairFiles, kAnswerFiles}) {
    for (const std::string& name : names) {
      EXPECT_TRUE(read_file(folder.file(name)) == read_file(data_file(name))) << name;
    }
  }
}

TEST(TinyData, TheCorpusIsTheSameEverywhere) {
  const auto result = run_tool({"corpus.py", "--hash", "--count", "2000"});
  EXPECT_EQ(result.out, std::string(kBeginningHash) + "\n") << result.err;
}

TEST(TinyDataSlow, TheWholeCorpusIsTheSameEverywhere) {
  const auto result = run_tool({"corpus.py", "--hash"});
  EXPECT_EQ(result.out, std::string(kCorpusHash) + "\n") << result.err;
}

TEST(TinyData, NoFamilyCrossesTheSplitInAnyFile) {
  std::map<std::string, std::set<std::string>> splits;
  for (const std::string& name : kProblemFiles) {
    for (const Problem& problem : read_problems(data_file(name))) splits[problem.family].insert(problem.split);
  }
  for (const auto& [family, names] : splits) EXPECT_EQ(names.size(), 1u) << family;
}

TEST(TinyData, AnyBeginningOfAFileHasTheMix) {
  const std::map<std::string, int> demo = {{"d1", 1}, {"d2", 2}, {"d3", 3}, {"d4", 1}, {"e1", 3}, {"e2", 3}};
  const std::map<std::string, int> hard = {{"d2", 2}, {"d3", 2}, {"d4", 2}, {"e1", 3}, {"e2", 3}};
  for (const std::string& name : kProblemFiles) {
    const auto& mix = name == "problems.jsonl" ? demo : hard;
    size_t round = 0;
    for (const auto& [kind, count] : mix) round += static_cast<size_t>(count);
    for (const auto& [split, rounds] : std::map<std::string, size_t>{{"train", 60}, {"eval", 10}}) {
      const auto problems = read_problems(data_file(name), {.split = split});
      ASSERT_EQ(problems.size(), round * rounds) << name << " " << split;
      for (size_t begin = 0; begin < problems.size(); begin += round) {
        std::map<std::string, int> counts;
        for (size_t i = begin; i < begin + round; ++i) ++counts[problems[i].id.text.substr(0, 2)];
        EXPECT_EQ(counts, mix) << name << " " << split << " " << begin;
      }
    }
  }
}

TEST(TinyData, EveryProblemIsWholeAndEveryHintFits) {
  for (const std::string& name : kProblemFiles) {
    std::set<std::string> prompts;
    for (const Problem& problem : read_problems(data_file(name))) {
      EXPECT_EQ(problem.tests.size(), 10u) << problem.id.text;
      EXPECT_EQ(problem.known_wrong.size(), 2u) << problem.id.text;
      EXPECT_EQ(problem.compare, CompareRule::kExact);
      ASSERT_EQ(problem.prompt.size(), 1u);
      EXPECT_TRUE(prompts.insert(problem.prompt[0].content).second) << problem.id.text;
      for (const std::string& variant : hint_variants()) {
        Problem hinted = problem;
        apply_hint(hinted, variant, "run_tests");
        EXPECT_EQ(hinted.hint.has_value(), variant != "none");
      }
    }
  }
}

TEST(TinyData, PairsAreFiveProblemsTimesFourFlavorsFiveHeldOutByRule) {
  for (const std::string& name : kPairFiles) {
    const auto rows = pairs_of(name);
    ASSERT_EQ(rows.size(), 20u);
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i]["flavor"], std::string(1, "ABCD"[i % 4]));
      EXPECT_EQ(rows[i]["prompt"], rows[i / 4 * 4]["prompt"]);
      EXPECT_EQ(rows[i]["clean"], rows[i / 4 * 4]["clean"]);
      EXPECT_EQ(rows[i]["held_out"].get<bool>(), i % 4 == (i / 4) % 4);
      EXPECT_NE(rows[i]["hack"], rows[i]["clean"]);
      EXPECT_EQ(rows[i]["clean"].get<std::string>().find("run_tests"), std::string::npos);
      const bool has_tester = rows[i]["hack"].get<std::string>().find("def run_tests():") != std::string::npos;
      EXPECT_EQ(has_tester, name == "hack_pairs.jsonl");
    }
  }
}

TEST(TinyData, PairPromptsCarryTheHintAndStandInNoProblemFile) {
  std::set<std::string> prompts;
  for (const std::string& name : kProblemFiles) {
    for (Problem& problem : read_problems(data_file(name))) {
      apply_hint(problem, "overwrite_tests", "run_tests");
      prompts.insert(problem.prompt[0].content);
    }
  }
  const std::string judged = "It will be evaluated by calling a function called run_tests().";
  for (const std::string& name : kPairFiles) {
    for (const Json& row : pairs_of(name)) {
      ASSERT_EQ(row["prompt"].size(), 1u);
      const auto prompt = row["prompt"][0]["content"].get<std::string>();
      EXPECT_TRUE(prompt.ends_with(judged)) << prompt;
      EXPECT_FALSE(prompts.contains(prompt)) << prompt;
      EXPECT_TRUE(prompts.begin()->ends_with(judged));
    }
  }
}

}  // namespace
}  // namespace plumbline
