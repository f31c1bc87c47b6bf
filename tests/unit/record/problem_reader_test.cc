#include "plumbline/record/problem_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

const char* const kRow = R"({"id": "p1", "task": "code", "split": "train", "family": "sums", "prompt": "Add.",
"reference": "def f(a, b):\n    return a + b\n", "entry_point": "f",
"tests": [{"args": [1, 2], "expected": 3}, {"kwargs": {"a": 1.5, "b": {"$float": "inf"}}, "expected": null}]})";

/// The row with members replaced (or, with null text, removed).
std::string changed(const std::string& key, const std::string& json) {
  Json row = parse_json(kRow, "test");
  if (json.empty())
    row.erase(key);
  else
    row[key] = parse_json(json, "test");
  return to_json_line(row);
}

std::string error_of(const std::string& row) {
  try {
    parse_problem(row, "file:3");
  } catch (const DataError& error) {
    EXPECT_EQ(error.where().substr(0, 6), "file:3");
    return error.id();
  }
  return "none";
}

TEST(ProblemReader, ReadsProblemV1) {
  const Problem problem = parse_problem(kRow, "test");
  EXPECT_EQ(problem.id, (ProblemId{"p1", false}));
  EXPECT_EQ(problem.prompt, (std::vector<Message>{{"user", "Add."}}));
  EXPECT_EQ(problem.split, "train");
  EXPECT_EQ(problem.compare, CompareRule::kExact);
  ASSERT_EQ(problem.tests.size(), 2u);
  EXPECT_EQ(problem.tests[0].args[1].text, "2");
  EXPECT_EQ(problem.tests[1].kwargs[0].first, "a");
  EXPECT_TRUE(problem.tests[1].kwargs[1].second.is(PythonValue::Kind::kFloat));
  EXPECT_TRUE(problem.tests[1].expected.is(PythonValue::Kind::kNone));
  EXPECT_FALSE(problem.hint.has_value());
}

TEST(ProblemReader, OptionalMembers) {
  Json row = parse_json(kRow, "test");
  row.update(parse_json(R"({"id": 12345678901, "compare": "approx", "rel_tol": 1e-6, "abs_tol": 1, "cpu_s": 2.5,
    "memory_mib": 256, "hint": {"variant": "asked", "tester_name": "check_all"}, "known_wrong": ["a", "b"],
    "holdout_tests": [{"args": [], "expected": 1}], "entry_point": "Solution().f", "setup_code": "import math",
    "prompt": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}], "unknown": {"x": 1}})",
                        "test"));
  const Problem problem = parse_problem(to_json_line(row), "test");
  EXPECT_EQ(problem.id, (ProblemId{"12345678901", true}));
  EXPECT_EQ(problem.compare, CompareRule::kApprox);
  EXPECT_EQ(problem.rel_tol, 1e-6);
  EXPECT_EQ(problem.abs_tol, 1);
  EXPECT_EQ(problem.cpu_s, 2.5);
  EXPECT_EQ(problem.memory_mib, 256);
  EXPECT_EQ(problem.hint->tester_name, "check_all");
  EXPECT_EQ(problem.known_wrong.size(), 2u);
  EXPECT_EQ(problem.holdout_tests.size(), 1u);
  EXPECT_EQ(problem.prompt[0].role, "system");
}

TEST(ProblemReader, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of(changed("id", "")), "data.json_missing_key");
  EXPECT_EQ(error_of(changed("id", "1.5")), "data.json_type");
  EXPECT_EQ(error_of(changed("prompt", "")), "data.json_missing_key");
  EXPECT_EQ(error_of(changed("prompt", "[]")), "data.json_type");
  EXPECT_EQ(error_of(changed("prompt", R"([{"role": "robot", "content": ""}])")), "data.problem");
  EXPECT_EQ(error_of(changed("prompt", R"([{"role": "user"}])")), "data.json_missing_key");
  EXPECT_EQ(error_of(changed("task", R"("cooking")")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", "[]")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", "")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", "{}")), "data.json_type");
  EXPECT_EQ(error_of(changed("tests", R"([{"args": [1]}])")), "data.json_missing_key");
  EXPECT_EQ(error_of(changed("tests", R"([{"args": 1, "expected": 1}])")), "data.json_type");
  EXPECT_EQ(error_of(changed("tests", R"([{"expected": 1}])")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", R"([{"args": [], "expected": 1, "raises": "ValueError"}])")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", R"([{"args": [], "raises": "OddError"}])")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", R"([{"stdin": "", "stdout": ""}])")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", R"(["x"])")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", R"(["assert True"])")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", R"([1])")), "data.json_type");
  EXPECT_EQ(error_of(changed("reference", R"({"a": 1})")), "data.json_type");
  EXPECT_EQ(error_of(R"({"question": "?", "answer": 4})"), "data.problem_format");
  EXPECT_EQ(error_of(changed("tests", R"([{"kwargs": {"a b": 1}, "expected": 1}])")), "data.problem");
  EXPECT_EQ(error_of(changed("tests", R"([{"args": [{"$set": [[]]}], "expected": 1}])")), "data.python_value");
  EXPECT_EQ(error_of(changed("entry_point", "")), "data.json_missing_key");
  for (const char* entry :
       {"", "f()", "f; import os", "Solution().", "Solution().f()", "a.b", "1f", "Solution().a().b"}) {
    EXPECT_EQ(error_of(changed("entry_point", Json(entry).dump())), "data.problem") << entry;
  }
  EXPECT_EQ(error_of(changed("compare", R"("roughly")")), "data.problem");
  EXPECT_EQ(error_of(changed("rel_tol", "-1")), "data.problem");
  EXPECT_EQ(error_of(changed("cpu_s", "0")), "data.problem");
  EXPECT_EQ(error_of(changed("memory_mib", "1e30")), "data.problem");
  EXPECT_EQ(error_of(changed("hint", R"({"variant": "asked", "tester_name": "x y"})")), "data.problem");
  EXPECT_EQ(error_of(changed("known_wrong", R"([1])")), "data.json_type");
  EXPECT_EQ(error_of("[1]"), "data.json_type");
  EXPECT_EQ(error_of("{"), "data.json");
}

TEST(ProblemReader, OtherTasksNeedNoTestsAndTakeAnyGold) {
  EXPECT_EQ(parse_problem(R"({"id": 1, "task": "math", "prompt": "2+2?", "reference": 4})", "t").reference, "4");
  EXPECT_EQ(parse_problem(R"({"id": 1, "task": "math", "prompt": "2+2?", "reference": "4"})", "t").reference, "4");
  EXPECT_EQ(parse_problem(R"({"id": 1, "task": "step", "prompt": "?", "reference": {"a": [1.0]}})", "t").reference,
            R"({"a":[1.0]})");
}

TEST(ProblemReader, EachTaskNamesWhatItsGraderNeeds) {
  const auto error = [](const std::string& task, const std::string& more) {
    return error_of(R"({"id": 1, "prompt": "?", "task": ")" + task + "\"" + more + "}");
  };
  for (const char* task : {"math", "physics", "step"}) EXPECT_EQ(error(task, ""), "data.json_missing_key") << task;
  EXPECT_EQ(error("provenance", R"(, "author": "A", "forbidden_authors": ["B"])"), "data.json_missing_key");
  EXPECT_EQ(error("provenance", R"(, "claim_is_true": 0, "author": "A")"), "data.json_type");
  EXPECT_EQ(error("provenance", R"(, "claim_is_true": false, "author": "A")"), "data.json_missing_key");
  EXPECT_EQ(error("concept", R"(, "concepts": ["a"], "are_distinct": true)"), "data.problem");
  EXPECT_EQ(error("concept", R"(, "concepts": ["a", "b"])"), "data.json_missing_key");
  EXPECT_EQ(error("invention", R"(, "entry_point": "f", "reference": "x")"), "data.problem");  // no tests
  EXPECT_EQ(parse_problem(R"({"id": 1, "task": "physics", "prompt": "?", "reference": "5 m"})", "t").rel_tol, 0.01);
}

TEST(ProblemReader, AssertsThatAreNoDataStayCode) {
  const Problem problem = parse_problem(
      changed("tests", R"(["assert f(1, 2) == 3", "assert g(f(1, 2)) < 1", "assert abs(f(2, 2) - 4) < 1"])"), "t");
  EXPECT_EQ(problem.tests.size(), 2u);
  EXPECT_EQ(problem.code_tests, "assert g(f(1, 2)) < 1\n");
  EXPECT_NE(problem.code_reason, "");
  EXPECT_EQ(problem.compare, CompareRule::kPython);
}

TEST(ProblemReader, FamilyRows) {
  const auto read = [](const std::string& program) {
    Json row = {{"id", "x"},     {"family", "sums"}, {"split", "eval"}, {"entry_point", "f"},
                {"prompt", "p"}, {"solution", "s"},  {"test", program}};
    return parse_problem(to_json_line(row), "t");
  };
  const Problem data = read("assert f(1) == 2\nassert f(2) == 3\n");
  EXPECT_EQ(data.tests.size(), 2u);
  EXPECT_EQ(data.code_tests, "");
  EXPECT_EQ(data.code_reason, "");
  EXPECT_EQ(data.family, "sums");
  EXPECT_EQ(data.reference, "s");
  const std::string program = "x = input()\nassert f(x) == 2\n";
  const Problem code = read(program);
  EXPECT_TRUE(code.tests.empty());
  EXPECT_EQ(code.code_tests, program);
}

TEST(ProblemReader, ACheckThatIsCalledIsNotCalledTwice) {
  const auto code = [](const std::string& program) {
    Json row = {{"id", 1}, {"entry_point", "f"}, {"prompt", "p"}, {"solution", "s"}, {"test", program}};
    return parse_problem(to_json_line(row), "t").code_tests;
  };
  const std::string defined = "def check(c):\n    assert c(input()) == 2\n";
  EXPECT_EQ(code(defined), defined + "\ncheck(f)\n");
  EXPECT_EQ(code(defined + "check(f)\n"), defined + "check(f)\n");
}

TEST(ProblemReader, FilesAreReadInOrderAndSplitsFiltered) {
  const test::TemporaryFolder folder;
  const std::string eval = changed("split", R"("eval")");
  Json second = parse_json(eval, "t");
  second["id"] = "p2";
  Json third = parse_json(kRow, "t");
  third["id"] = 7;
  third.erase("split");
  const std::string text = changed("id", R"("p1")") + "\n" + to_json_line(second) + "\n" + to_json_line(third) + "\n";
  const std::string path = folder.write("problems.jsonl", text);
  EXPECT_EQ(read_problems(path).size(), 3u);
  const auto filtered = read_problems(path, {.split = "eval"});
  ASSERT_EQ(filtered.size(), 2u);
  EXPECT_EQ(filtered[0].id.text, "p2");
  EXPECT_EQ(filtered[1].id, (ProblemId{"7", true}));
}

TEST(ProblemReader, FileErrorsNameTheLine) {
  const test::TemporaryFolder folder;
  const auto error_at = [&](const std::string& text, const ProblemReadOptions& options = {}) -> std::string {
    const std::string path = folder.write("f", text);
    try {
      read_problems(path, options);
    } catch (const DataError& error) {
      return error.id() + error.where().substr(path.size());
    }
    return "none";
  };
  const std::string row = changed("id", "1"), text_id = changed("id", R"("1")");
  EXPECT_EQ(error_at(row + "\n\n" + row + "\n"), "data.duplicate_id:3");
  EXPECT_EQ(error_at(row + "\n" + text_id + "\n"), "none");
  EXPECT_EQ(error_at(row + "\n" + text_id.substr(0, 50)), "data.truncated_file:2");
  EXPECT_EQ(error_at(""), "data.empty_file");
  EXPECT_EQ(error_at(row + "\n", {.split = "tain"}), "data.empty_split");
}

TEST(ProblemReader, GradingHashFollowsWhatDecidesAVerdict) {
  const std::string hash = grading_hash(parse_problem(kRow, "t"));
  EXPECT_EQ(grading_hash(parse_problem(changed("prompt", R"("Other.")"), "t")), hash);
  EXPECT_NE(grading_hash(parse_problem(changed("compare", R"("python")"), "t")), hash);
  EXPECT_NE(grading_hash(parse_problem(changed("tests", R"([{"args": [1, 2], "expected": 3.0}])"), "t")), hash);
  EXPECT_NE(grading_hash(parse_problem(changed("setup_code", R"("import os")"), "t")), hash);
  EXPECT_NE(grading_hash(parse_problem(changed("cpu_s", "1"), "t")), hash);
}

}  // namespace
}  // namespace plumbline
