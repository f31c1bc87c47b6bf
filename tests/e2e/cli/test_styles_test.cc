/// Problems of every test style, graded and validated as a user does it. The truth beside each solution is known by
/// construction.
#include <gtest/gtest.h>
#include <zstd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

std::vector<Json> rows(const std::string& text) {
  std::vector<Json> parsed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) parsed.push_back(parse_json(line, "output"));
  return parsed;
}

class TestStyles : public testing::Test {
 protected:
  test::ProcessResult plumbline(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), test::binary_path("plumbline"));
    return test::run_process(words, input);
  }
  /// Outcomes of the solutions, in order.
  std::vector<std::string> grade(const Json& problem, const std::vector<std::string>& codes,
                                 const std::string& method = "data") {
    const std::string problems = folder_.write("problems.jsonl", to_json_line(problem) + "\n");
    std::string completions;
    const Json& id = problem.contains("id") ? problem["id"] : problem["task_id"];
    for (size_t i = 0; i < codes.size(); ++i) {
      completions +=
          to_json_line(Json{{"problem_id", id}, {"sample", i}, {"completion", "```python\n" + codes[i] + "\n```"}}) +
          "\n";
    }
    const auto result = plumbline({"grade", problems, folder_.write("completions.jsonl", completions), "--cpu-s", "3"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> outcomes;
    for (const Json& row : rows(result.out)) {
      outcomes.push_back(row["outcome"]);
      EXPECT_EQ(row["method"], method) << to_json_line(row);
      last_detail_ = row.value("detail", "");
    }
    return outcomes;
  }
  test::TemporaryFolder folder_;
  std::string last_detail_;
};

using Outcomes = std::vector<std::string>;

TEST_F(TestStyles, ProgramsSlow) {
  Json problem = {
      {"id", 1}, {"task", "code"}, {"prompt", "Add."}, {"reference", "print(sum(map(int, input().split())))"}};
  problem["tests"] = Json::array({{{"stdin", "1 2\n"}, {"stdout", "3\n"}}, {{"stdin", "5 5\n"}, {"stdout", "10"}}});
  EXPECT_EQ(grade(problem,
                  {"print(sum(map(int, input().split())))",
                   "import sys\ndef main():\n    print(sum(map(int, sys.stdin.read().split())), end=' \\n\\n')\n"
                   "if __name__ == '__main__':\n    main()",
                   "import os\nos.write(1, str(sum(map(int, os.read(0, 100).split()))).encode())\nos._exit(0)",
                   "import threading\nthreading.Thread(target=lambda: print(sum(map(int, input().split())))).start()",
                   "import sys\nprint(sum(map(int, open(0).read().split())))\nsys.exit(3)", "print(3)",
                   "print(sum(map(int, input().split())))\n1/0", "while True: pass", "print('x' * (3 << 20))",
                   "import os\nos.kill(os.getpid(), 9)",
                   "for fd in range(3, 20):\n    try:\n        __import__('os').write(fd, b'V3')\n    except "
                   "OSError:\n        pass"}),
            (Outcomes{"pass", "pass", "pass", "pass", "pass", "wrong", "error", "timeout", "wrong", "error", "error"}));
}

TEST_F(TestStyles, FunctionsWithConditions) {
  Json problem = {{"id", "x"}, {"entry_point", "f"}, {"prompt", "p"}, {"solution", "s"}};
  problem["test"] =
      "def check(c):\n    assert sorted(c([2, 1])) == [1, 2]\n    assert abs(c([0.5, 0.25])[0] - 0.25) < 1e-6\n"
      "    try:\n        c(None)\n        assert False\n    except TypeError:\n        pass\n";
  EXPECT_EQ(
      grade(problem, {"def f(x):\n    return sorted(x)", "def f(x):\n    return list(sorted(x))[:1] * 2",
                      "def f(x):\n    return sorted(x) if x else []",
                      "def f(x):\n    if x is None: raise ValueError()\n    return sorted(x)",
                      "def f(x):\n    class L(list):\n        def __eq__(s, o): return True\n    return L(x)", "g = 1",
                      "class T(TypeError): pass\ndef f(x):\n    if x is None: raise T()\n    return sorted(x)"}),
      (Outcomes{"pass", "wrong", "wrong", "error", "wrong", "error", "pass"}));
  problem["test"] = "assert set(f(3)) == {0, 1, 2}";
  EXPECT_EQ(grade(problem,
                  {"def f(n):\n    yield from range(n)", "def f(n):\n    return range(n)",
                   "def f(n):\n    return {}.keys()", "def f(n):\n    return 3", "def f(n):\n    return b'\\0\\1\\2'"}),
            (Outcomes{"pass", "pass", "wrong", "wrong", "pass"}));
}

TEST_F(TestStyles, TestsAsCodeCannotBeMetByLeaving) {
  Json problem = {{"id", "x"}, {"entry_point", "f"}, {"prompt", "p"}, {"solution", "s"}};
  problem["test"] =
      "import random\ndef check(c):\n    for x in [random.randint(1, 9)]:\n        try:\n            c(-x)\n"
      "        except Exception:\n            return\n        assert False\n";
  EXPECT_EQ(grade(problem,
                  {"def f(x):\n    raise ValueError()", "def f(x):\n    raise SystemExit()",
                   "def f(x):\n    raise KeyboardInterrupt()", "def f(x):\n    return object()",
                   "def f(x):\n    raise MemoryError()", "y = 1", "def f(x):\n    return 1"},
                  "code_tests"),
            (Outcomes{"pass", "error", "error", "error", "error", "error", "wrong"}));
}

TEST_F(TestStyles, UnittestClassesAsCode) {
  Json problem = {{"id", "x"}, {"entry_point", "f"}, {"prompt", "p"}, {"solution", "s"}};
  problem["test"] =
      "import unittest, random\nclass T(unittest.TestCase):\n    def test_a(self):\n"
      "        x = random.random()\n        self.assertEqual(f(x), x)\n"
      "if __name__ == '__main__':\n    unittest.main()\n";
  EXPECT_EQ(grade(problem, {"def f(x):\n    return x", "def f(x):\n    return 0"}, "code_tests"),
            (Outcomes{"pass", "wrong"}));
}

TEST_F(TestStyles, MalformedRowsEndWithTheirPlace) {
  const std::string good =
      R"({"id": "a", "task": "code", "prompt": "p", "entry_point": "f", "tests": [{"args": [], "expected": 1}]})"
      "\n";
  const std::string problems = folder_.write("problems.jsonl", good);
  const auto row = [](const std::string& members) {
    return R"({"problem_id": "a", "completion": "", )" + members + "}\n";
  };
  for (const std::string& text : {row(R"("sample": -1)"), row(R"("sample": 18446744073709551615)"),
                                  row(R"("sample": 1.5)"), row(R"("sample": 1)") + row(R"("sample": 1)")}) {
    const auto result = plumbline({"grade", problems, folder_.write("completions.jsonl", text)});
    EXPECT_EQ(result.exit_code, 3) << text;
    EXPECT_NE(result.err.find("completions.jsonl:"), std::string::npos) << result.err;
  }
  // A stream may ask again.
  const auto twice = plumbline({"grade", problems, "-"}, row(R"("sample": 1)") + row(R"("sample": 1)"));
  EXPECT_EQ(twice.exit_code, 0);
  EXPECT_EQ(rows(twice.out).size(), 2u);
  // Half a surrogate pair in one completion does not end the run.
  const std::string half = R"({"problem_id": "a", "sample": 2, "completion": "```python\nx = '\ud800'\n```"})"
                           "\n";
  const auto graded = plumbline({"grade", problems, "-"}, half);
  EXPECT_EQ(graded.exit_code, 0) << graded.err;
  EXPECT_EQ(rows(graded.out).at(0)["outcome"], "error");
}

TEST_F(TestStyles, ZstdIsReadAndBombsAreRefusedSlow) {
  const std::string good =
      R"({"id": "a", "task": "code", "prompt": "p", "entry_point": "f", "tests": [{"args": [], "expected": 1}]})"
      "\n";
  const auto packed = [](const std::string& text) {
    std::string bytes(ZSTD_compressBound(text.size()), '\0');
    bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
    return bytes;
  };
  const std::string completion = R"({"problem_id": "a", "sample": 0, "completion": "```\ndef f(): return 1\n```"})"
                                 "\n";
  const std::string problems = folder_.write("problems.jsonl.zst", packed(good));
  const auto graded =
      plumbline({"grade", problems, folder_.write("c.zst", packed(completion) + packed(completion).substr(0, 0))});
  ASSERT_EQ(graded.exit_code, 0) << graded.err;
  EXPECT_EQ(rows(graded.out).at(0)["outcome"], "pass");
  const auto piped = plumbline({"grade", problems, "-"}, packed(completion));
  EXPECT_EQ(rows(piped.out).size(), 1u) << piped.err;
  const std::string half = packed(good + std::string(5000, ' ') + good);
  EXPECT_EQ(plumbline({"validate", folder_.write("cut.zst", half.substr(0, half.size() - 5))}).exit_code, 3);
  std::string bomb;
  for (int i = 0; i < 80; ++i) bomb += packed(std::string(8 << 20, '\n'));
  const auto refused = plumbline({"grade", folder_.write("bomb.zst", bomb), "-"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("data.bomb"), std::string::npos) << refused.err;
}

TEST_F(TestStyles, ValidateTypesEveryReasonSlow) {
  const auto row = [](const std::string& id, const std::string& reference) {
    Json problem = {{"id", id},           {"task", "code"},         {"prompt", "p"},
                    {"entry_point", "f"}, {"reference", reference}, {"cpu_s", 1}};
    problem["tests"] = Json::array({{{"args", {3}}, {"expected", 6}}});
    return problem;
  };
  Json wrong = row("wrong", "def f(x):\n    return x * 2");
  wrong["known_wrong"] = {"def f(x):\n    return x + x", "def f(x):\n    return x"};
  Json missing = row("missing", "");
  std::string text =
      to_json_line(row("good", "def f(x):\n    return 2 * x")) + "\n" + to_json_line(wrong) + "\n" +
      to_json_line(row("fails", "def f(x):\n    return 7")) + "\n" + to_json_line(missing) + "\n" +
      to_json_line(row("slow", "import time\ndef f(x):\n    while time.process_time() < 0.5: pass\n    return 6")) +
      "\n{\"id\": \"bad\"}\n";
  const std::string out = folder_.file("report.jsonl");
  const auto result = plumbline({"validate", folder_.write("p.jsonl", text), "--out", out, "--runs", "2"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  std::map<std::string, std::string> kinds;
  for (const Json& report : rows(read_file(out))) {
    std::string& found = kinds[report["id"].get<std::string>()];
    for (const Json& reason : report["reasons"]) found += reason["kind"].get<std::string>() + " ";
    EXPECT_EQ(report["usable"].get<bool>(), found.empty());
    if (report["id"] == "\"slow\"") {
      EXPECT_GE(report["suggested_cpu_s"], 5);
    }
    if (report["id"] == "\"good\"") {
      EXPECT_EQ(report["suggested_cpu_s"], 1);
    }
  }
  EXPECT_EQ(kinds["\"good\""], "");
  EXPECT_EQ(kinds["\"wrong\""], "known_wrong_passes ");
  EXPECT_EQ(kinds["\"fails\""], "reference_fails ");
  EXPECT_EQ(kinds["\"missing\""], "reference_missing ");
  EXPECT_EQ(kinds["\"slow\""], "near_time_limit ");
  EXPECT_EQ(kinds.size(), 6u);
  EXPECT_NE(result.out.find("6 problems checked, 1 usable"), std::string::npos) << result.out;
}

/// The order of a set of strings follows the hash seed: run 0 has seed 0, the others have others.
TEST_F(TestStyles, ValidateFindsReferencesThatFollowTheHashSeedSlow) {
  const std::string first = "next(iter(set('abcdefghijklmnopqrstuvwxyz')))";
  const auto at_seed_0 =
      test::run_process({"/usr/bin/python3", "-c", "print(" + first + ", end='')"}, "", {{"PYTHONHASHSEED", "0"}});
  Json problem = {{"id", "p"}, {"task", "code"}, {"prompt", "p"}, {"entry_point", "f"}};
  problem["reference"] = "def f():\n    return " + first + "\n";
  problem["tests"] = Json::array({{{"args", Json::array()}, {"expected", at_seed_0.out}}});
  const auto result = plumbline({"validate", folder_.write("p.jsonl", to_json_line(problem) + "\n"), "--no-load"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.out.find("1 flaky"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace plumbline
