/// Rows of other tools, in the shapes that their data sets have.
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "plumbline/record/packed_json.h"
#include "plumbline/record/problem_reader.h"

namespace plumbline {
namespace {

Problem read(const Json& row) {
  return parse_problem(to_json_line(row), "file:1");
}

std::string error_of(const Json& row) {
  try {
    read(row);
  } catch (const DataError& error) {
    EXPECT_EQ(error.where().substr(0, 6), "file:1");
    return error.id();
  }
  return "none";
}

std::string base64(const std::string& bytes) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

std::string deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  compress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size());
  bytes.resize(size);
  return bytes;
}

TEST(ProblemFormats, Mbpp) {
  const Json row = {{"task_id", 7},
                    {"text", "Double it."},
                    {"code", "import math\ndef helper(x):\n    return x\ndef twice(x):\n    return 2 * x\n"},
                    {"test_list", {"assert twice(2) == 4", "assert set(twice([1])) == set([1])"}},
                    {"test_setup_code", "import re"},
                    {"challenge_test_list", {"assert twice('a') == 'aa'"}}};
  const Problem problem = read(row);
  EXPECT_EQ(problem.id, (ProblemId{"7", true}));
  EXPECT_EQ(problem.entry_point, "twice");
  EXPECT_EQ(problem.setup_code, "import re");
  EXPECT_EQ(problem.tests.size(), 2u);
  EXPECT_TRUE(problem.tests[1].as_list);
  EXPECT_EQ(problem.holdout_tests.size(), 1u);
  EXPECT_EQ(problem.code_tests, "");
  Json sanitized = {{"task_id", 8}, {"prompt", "p"}, {"code", row["code"]}, {"test_imports", {"import math"}}};
  sanitized["test_list"] = {"assert math.isclose(twice(2.0), 4.0)", "assert twice(Pair(1)) == 2"};
  const Problem mixed = read(sanitized);
  EXPECT_EQ(mixed.setup_code, "import math\n");
  EXPECT_EQ(mixed.tests.size(), 1u);
  EXPECT_EQ(mixed.code_tests, "assert twice(Pair(1)) == 2\n");
  sanitized["test_list"] = {"assert other(1) == 2"};
  EXPECT_EQ(error_of(sanitized), "data.problem");
  sanitized["test_list"] = {"twice(1)"};
  EXPECT_EQ(error_of(sanitized), "data.problem");
}

Json livecodebench(const std::string& kind, const Json& tests) {
  Json row = {{"question_id", "abc_1"}, {"question_content", "Add."}, {"starter_code", ""}, {"metadata", "{}"}};
  row["public_test_cases"] = tests.dump();
  if (kind == "functional") {
    row["starter_code"] = "class Solution:\n    def add(self, a, b):\n";
    row["metadata"] = R"({"func_name": "add"})";
  }
  return row;
}

TEST(ProblemFormats, LiveCodeBench) {
  const Json stdin_tests = Json::array({{{"input", "1 2\n"}, {"output", "3\n"}, {"testtype", "stdin"}}});
  Json row = livecodebench("stdin", stdin_tests);
  const Problem program = read(row);
  EXPECT_EQ(program.entry_point, "");
  ASSERT_EQ(program.tests.size(), 1u);
  EXPECT_EQ(program.tests[0].program->input, "1 2\n");
  EXPECT_EQ(program.tests[0].program->output, "3\n");

  row["private_test_cases"] = base64(deflated(stdin_tests.dump()));
  EXPECT_EQ(read(row).tests.size(), 2u);
  row["private_test_cases"] = base64(deflated("\x80\x04\x95\x10"));
  EXPECT_EQ(error_of(row), "data.pickled_tests");
  row["private_test_cases"] = "no base64!";
  EXPECT_EQ(error_of(row), "data.packed");
  row["private_test_cases"] = base64(deflated(stdin_tests.dump()).substr(0, 20));
  EXPECT_EQ(error_of(row), "data.packed");
  row["private_test_cases"] = base64(deflated("[1"));
  EXPECT_EQ(error_of(row), "data.json");

  const Json calls =
      Json::array({{{"input", "[1, 2]\n\"a\""}, {"output", "{\"k\": null}"}, {"testtype", "functional"}}});
  const Problem function = read(livecodebench("functional", calls));
  EXPECT_EQ(function.entry_point, "Solution().add");
  EXPECT_EQ(function.compare, CompareRule::kJson);
  ASSERT_EQ(function.tests[0].args.size(), 2u);
  EXPECT_EQ(to_notation(function.tests[0].args[0]), "[1,2]");
  EXPECT_EQ(to_notation(function.tests[0].expected), R"({"k":null})");
  EXPECT_EQ(error_of(livecodebench("stdin", calls)), "data.problem");
  EXPECT_EQ(error_of(livecodebench("functional", stdin_tests)), "data.problem");
  EXPECT_EQ(error_of(livecodebench("stdin", Json::array())), "data.problem");
}

TEST(ProblemFormats, Apps) {
  Json row = {{"problem_id", 3}, {"question", "Add."}, {"solutions", R"j(["print(sum(map(int, input().split())))"])j"}};
  row["input_output"] = R"({"inputs": ["1 2\n", ["3 4", "5"]], "outputs": ["3\n", ["7"]]})";
  const Problem program = read(row);
  EXPECT_EQ(program.reference, "print(sum(map(int, input().split())))");
  ASSERT_EQ(program.tests.size(), 2u);
  EXPECT_EQ(program.tests[1].program->input, "3 4\n5\n");
  row["input_output"] = R"({"fn_name": "add", "inputs": [[1, 2], [[1], 2]], "outputs": [[3], 4]})";
  const Problem function = read(row);
  EXPECT_EQ(function.entry_point, "add");
  EXPECT_TRUE(function.tests[0].condition != nullptr);
  EXPECT_TRUE(function.tests[1].is_plain());
  row["starter_code"] = "class Solution:\n    def add(self, a, b):\n";
  EXPECT_EQ(read(row).entry_point, "Solution().add");
  row["input_output"] = R"({"inputs": ["1"], "outputs": []})";
  EXPECT_EQ(error_of(row), "data.problem");
  row["input_output"] = "{";
  EXPECT_EQ(error_of(row), "data.json");
  row["input_output"] = R"({"inputs": [], "outputs": []})";
  EXPECT_EQ(error_of(row), "data.problem");
}

TEST(ProblemFormats, ProgramsInProblemV1) {
  Json row = {{"id", 1}, {"task", "code"}, {"prompt", "p"}, {"reference", "print(1)"}};
  row["tests"] = Json::array({{{"stdin", ""}, {"stdout", "1"}}});
  EXPECT_EQ(read(row).tests[0].program->output, "1");
  row["tests"].push_back({{"args", Json::array()}, {"expected", 1}});
  EXPECT_EQ(error_of(row), "data.json_missing_key");
  row["entry_point"] = "f";
  EXPECT_EQ(error_of(row), "data.problem");
}

TEST(ProblemFormats, UnknownShapesNameTheirKeys) {
  try {
    read({{"question", "?"}, {"answer", "4"}});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.problem_format");
    EXPECT_NE(error.message().find("question, answer"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace plumbline
