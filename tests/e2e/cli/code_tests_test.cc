/// Tests that run as code call the submission in another process. What they see must be what they would see beside it:
/// the truth here is Python itself, with solution and tests in one program.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

struct Pair {
  const char *solution, *tests;
};

const Pair kPairs[] = {
    {"def f(x):\n    x.sort()", "l = [3, 1, 2]\nf(l)\nassert l == [1, 2, 3]"},
    {"def f(x):\n    x.sort()", "l = [3, 1, 2]\nf(l)\nassert l == [3, 1, 2]"},
    {"def f(x):\n    return sorted(x)", "l = [3, 1, 2]\nassert f(l) == [1, 2, 3] and l == [3, 1, 2]"},
    {"def f(x):\n    return x", "l = [1]\nassert f(l) is l"},
    {"def f(x):\n    return x", "l = [1]\nassert f(l) is not l"},
    {"def f(x):\n    return x[:]", "l = [1]\nassert f(l) is not l"},
    {"def f(x):\n    return x[0]", "l = [[1], 2]\nassert f(l) is l[0]"},
    {"def f(x):\n    return (x, 1)", "l = [1]\nr = f(l)\nassert type(r) is tuple and r[0] is l"},
    {"def f(a, b):\n    a.append(1)\n    return b", "l = []\nassert f(l, l) == [1] and l == [1]"},
    {"def f(a, b):\n    return a is b", "l = []\nassert f(l, l) and not f([], [])"},
    {"def f(x):\n    x['a'] = {1, 2}\n    del x['b']", "d = {'b': 0}\nf(d)\nassert d == {'a': {1, 2}}"},
    {"def f(x):\n    x[0]['k'].add((1, (2,)))", "d = [{'k': {0}}]\nf(d)\nassert d == [{'k': {0, (1, (2,))}}]"},
    {"def f(x):\n    x.append(x)", "l = [1]\nf(l)\nassert l[1] is l and len(l) == 2"},
    {"def f(n):\n    return [[0] * n] * n", "g = f(2)\ng[0][0] = 1\nassert g == [[1, 0], [0, 0]]"},
    {"def f(n):\n    return [[0] * n for _ in range(n)]", "g = f(2)\ng[0][0] = 1\nassert g == [[1, 0], [0, 0]]"},
    {"def f(x):\n    x.pop()\n    raise ValueError('no')",
     "l = [1, 2]\ntry:\n    f(l)\nexcept ValueError as e:\n    assert str(e) == 'no'\nelse:\n    assert 0\nassert l == "
     "[1]"},
    {"def f(x):\n    x[0] = True", "l = [1]\nf(l)\nassert l[0] is True"},
    {"def f(x):\n    x[0] = object()", "l = [1]\nf(l)\nassert l[0] != 1 and len(l) == 1"},
    {"def f(x, y=None):\n    y.update(x)", "a, b = {1: [2]}, {}\nf(x=a, y=b)\nassert b[1] is a[1]"},
    {"def f(x):\n    x['b'] = 2",
     "import collections\nc = collections.Counter('a')\nf(c)\nassert c == collections.Counter('abb') and c['z'] == 0"},
    {"def f(x):\n    x[0] += 1\n    return x[0]", "l = [0]\nassert f(l) == 1\nassert f(l) == 2"},
    {"def f(x):\n    x.discard(1)", "s = {1, 2}\nf(s)\nassert s == {2}"},
    {"def f(x):\n    return x[0] + x[1]['a']", "assert f((1, {'a': 2.5})) == 3.5 and f(([1], {'a': []})) == [1]"},
    {"def f(x):\n    return {frozenset([x]): (x, [x])}",
     "assert f((1, 2)) == {frozenset([(1, 2)]): ((1, 2), [(1, 2)])}"},
    {"def f(x):\n    return [x, None, 1.5, -0.0, 10 ** 40, 'é']",
     "r = f(True)\nassert r == [True, None, 1.5, 0, 10 ** 40, 'é'] and str(r[3]) == '-0.0' and r[0] is True"},
    {"def f(n):\n    r = []\n    for _ in range(n):\n        r = [r]\n    return r",
     "r, n = f(3000), 0\nwhile r:\n    r, n = r[0], n + 1\nassert n == 3000"},
    {"def f(x):\n    return list(x)", "l = list(range(40000))\nassert f(l) == l"},
};

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) out += c == '\n' ? "\n    " : std::string(1, c);
  return out;
}

TEST(CodeTests, SeeWhatTheyWouldSeeBesideTheSolution) {
  const test::TemporaryFolder folder;
  std::string problems, completions;
  std::vector<bool> truth;
  for (size_t i = 0; i < std::size(kPairs); ++i) {
    const auto& [solution, tests] = kPairs[i];
    const std::string check = "def check(f):\n" + indented(tests) + "\n";
    const Json row = {{"task_id", "t" + std::to_string(i)},
                      {"prompt", "def f(x):\n    pass\n"},
                      {"entry_point", "f"},
                      {"canonical_solution", ""},
                      {"test", check}};
    problems += to_json_line(row) + "\n";
    completions += to_json_line(Json{{"problem_id", row["task_id"]},
                                     {"sample", 0},
                                     {"completion", std::string("```python\n") + solution + "\n```"}}) +
                   "\n";
    const std::string program = std::string(solution) + "\n" + check + "\ncheck(f)\n";
    truth.push_back(test::run_process({"/usr/bin/python3", "-X", "utf8", "-c", program}).exit_code == 0);
  }
  const auto graded = test::run_process({test::binary_path("plumbline"), "grade", folder.write("p.jsonl", problems),
                                         folder.write("c.jsonl", completions)});
  ASSERT_EQ(graded.exit_code, 0) << graded.err;
  std::istringstream lines(graded.out);
  std::string line;
  size_t num_true = 0, num_code = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    const Json row = parse_json(line, "verdict");
    num_code += row["method"] == "code_tests";
    EXPECT_EQ(row["outcome"] == "pass", truth[i]) << kPairs[i].solution << "\n" << kPairs[i].tests << "\n" << line;
    num_true += truth[i];
  }
  EXPECT_GT(num_code, truth.size() - 4);  // the rest is data
  EXPECT_GT(num_true, truth.size() / 2);
  EXPECT_LT(num_true, truth.size());
}

}  // namespace
}  // namespace plumbline
