/// Test programs as data. The truth beside each row is what CPython does: a result that satisfies the program and one
/// that does not.
#include "plumbline/record/test_program.h"

#include <gtest/gtest.h>

#include "plumbline/record/python_evaluation.h"
#include "plumbline/record/python_literal.h"

namespace plumbline {
namespace {

std::vector<TestCase> data(const std::string& source, const std::string& entry = "f") {
  const TestProgram program = read_test_program(source, entry);
  EXPECT_EQ(program.code_reason, "") << source;
  return program.tests;
}

/// The plain tests of a program, as text.
std::string plain(const std::string& source, const std::string& entry = "f") {
  std::string text;
  for (const TestCase& test : read_test_program(source, entry).tests) {
    if (!test.is_plain()) return "not plain";
    text += (text.empty() ? "" : "; ") + to_python_call(test, entry) + " -> " + to_python_literal(test.expected);
  }
  return text;
}

/// Whether the one test of the program holds when the calls return these literals.
bool holds(const std::string& source, const std::vector<std::string>& results) {
  const auto tests = data(source);
  if (tests.size() != 1 || !tests[0].condition) {
    ADD_FAILURE() << source << " has " << tests.size() << " tests";
    return false;
  }
  std::vector<PythonValue> values;
  for (const std::string& text : results) values.push_back(*parse_python_literal(text));
  const auto value = evaluate(*tests[0].condition, values);
  return value && is_truthy(*value);
}

TEST(TestProgram, EqualityIsPlainEitherWayRound) {
  EXPECT_EQ(plain("assert f(1, k='a') == [2]"), "f(1, k='a') -> [2]");
  EXPECT_EQ(plain("assert [2] == f(1)"), "f(1) -> [2]");
  EXPECT_EQ(plain("assert (f(1) == 2)"), "f(1) -> 2");
  EXPECT_EQ(plain("assert f() == None, 'message ' + str(f())"), "f() -> None");
  EXPECT_EQ(plain("assert f(\n  [1,\n   2],\n) == -inf  # why"), "f([1, 2]) -> float('-inf')");
  EXPECT_EQ(plain("assert f(*[1, 2]) == [0] * 3"), "f(1, 2) -> [0, 0, 0]");
  EXPECT_EQ(plain("assert f(2**10 - 1, 'a' * 3) == 7 // 2"), "f(1023, 'aaa') -> 3");
  EXPECT_EQ(plain("assert Solution().go(a = 1,b=2) == 3", "Solution().go"), "Solution().go(a=1, b=2) -> 3");
  EXPECT_EQ(plain("s = Solution()\nassert s.go(1) == 3", "Solution().go"), "Solution().go(1) -> 3");
}

TEST(TestProgram, WholeProgramsInEveryStyle) {
  EXPECT_EQ(plain("METADATA = {'a': 1}\ndef check(candidate):\n    \"\"\"doc\"\"\"\n    assert candidate(1) == 2\n"
                  "    assert True, 'fine'\n"),
            "f(1) -> 2");
  EXPECT_EQ(plain("def check(c):\n  assert c(1) == 2\ncheck(f)\n"), "f(1) -> 2");
  EXPECT_EQ(plain("def test_a():\n    assert f(1) == 2\ndef test_b():\n    x = [1]\n    assert f(x) == 3\n"),
            "f(1) -> 2; f([1]) -> 3");
  EXPECT_EQ(plain("for x in range(2, 4):\n    assert f(x, x + 1) == str(x)\n"), "f(2, 3) -> '2'; f(3, 4) -> '3'");
  EXPECT_EQ(plain("for a, b in [(1, 2), (3, 4)]:\n    assert f(a) == b\n"), "f(1) -> 2; f(3) -> 4");
  EXPECT_EQ(plain("lst = list(range(-3, 4, 2))\nodd = sum([i**2 for i in lst if i%2!=0 and i > 0])\n"
                  "assert f(lst) == odd"),
            "f([-3, -1, 1, 3]) -> 10");
  EXPECT_EQ(plain("result = f(3)\nexpected = {'a': 1}\nassert result == expected\n"), "f(3) -> {'a': 1}");
  EXPECT_EQ(plain("import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.x = 4\n"
                  "    def test_it(self):\n        self.assertEqual(f(self.x), 5, 'msg')\n"
                  "if __name__ == '__main__':\n    unittest.main()\n"),
            "f(4) -> 5");
  EXPECT_EQ(
      plain("import unittest\nclass T(unittest.TestCase):\n  def test(self):\n    self.assertListEqual(f(1), [1])\n"),
      "f(1) -> [1]");
}

TEST(TestProgram, ConditionsMeanWhatPythonSays) {
  struct Row {
    const char *source, *right, *wrong;
  };
  const Row rows[] = {
      {"assert f(1)", "[0]", "[]"},
      {"assert not f(1)", "0", "'x'"},
      {"assert f(1) is None", "None", "0"},
      {"assert f(1) is True", "True", "1"},
      {"assert f(1) is not False", "0", "False"},
      {"assert f(1) in [1, 2]", "2", "3"},
      {"assert f(1) not in ('a', 'b')", "'c'", "'a'"},
      {"assert 3 in f(1)", "[1, 3]", "[1]"},
      {"assert f(1) != 2", "3", "2.0"},
      {"assert 0 < f(1) <= 2", "2", "0"},
      {"assert abs(f(1) - 2.0/3.0) < 1e-6", "0.6666666667", "0.667"},
      {"import math\nassert math.isclose(f(1), 0.3, rel_tol=1e-3)", "0.3001", "0.31"},
      {"from math import isclose as close\nassert close(f(1), 0.3)", "0.30000000000000004", "0.3001"},
      {"import pytest\nassert f(1) == pytest.approx(0.3)", "0.30000001", "0.30001"},
      {"from pytest import approx\nassert approx([1, 0.5], abs=0.1) == f(1)", "[1.05, 0.45]", "[1.2, 0.5]"},
      {"import numpy as np\nassert np.allclose(f(1), [1, 2])", "[1.00000001, 2]", "[1.1, 2]"},
      {"assert sorted(f(1)) == sorted([3, 1, 2])", "(2, 3, 1)", "[1, 2]"},
      {"assert set(f(1)) == set([1, 2])", "[2, 1, 1]", "[1]"},
      {"assert set(map(tuple, f(1))) == {(1, 2)}", "[[1, 2]]", "[[2, 1]]"},
      {"assert tuple(f(1)) == (1, 2)", "[1, 2]", "[1]"},
      {"assert len(f(1)) == 2 and f(1)[0] == 'a'", "['a', 1]", "['b', 1]"},
      {"assert isinstance(f(1), (int, str))", "True", "1.5"},
      {"assert type(f(1)) == int", "1", "True"},
      {"assert round(f(1), 2) == 2.67", "2.675", "2.685"},
      {"assert all(x > 0 for x in f(1))", "[1, 2]", "[1, 0]"},
      {"assert (5 if True else 6) == f(1) + 0", "5", "6"},
      {"from collections import Counter\nassert Counter(f(1)) == Counter('aab')", "['b', 'a', 'a']", "'ab'"},
      {"assert f(1)['k'][-1] == 2", "{'k': [1, 2]}", "{}"},
      {"assert f(1) > 9007199254740992.0", "9007199254740993", "9007199254740992"},
  };
  for (const Row& row : rows) {
    const size_t calls = std::string(row.source).find("and f(1)") == std::string::npos ? 1 : 2;
    EXPECT_TRUE(holds(row.source, std::vector<std::string>(calls, row.right))) << row.source;
    EXPECT_FALSE(holds(row.source, std::vector<std::string>(calls, row.wrong))) << row.source;
  }
  EXPECT_TRUE(holds("assert tuple(f([1])) == tuple(f([2]))", {"[1]", "(1,)"}));
  EXPECT_FALSE(holds("assert tuple(f([1])) == tuple(f([2]))", {"[1]", "(2,)"}));
}

TEST(TestProgram, UnittestMethods) {
  struct Row {
    const char *method, *right, *wrong;
  };
  const Row rows[] = {{"assertTrue(f(1))", "1", "0"},
                      {"assertFalse(f(1))", "''", "'a'"},
                      {"assertIsNone(f(1))", "None", "False"},
                      {"assertIn(f(1), [1, 2], msg='no')", "1", "3"},
                      {"assertAlmostEqual(f(1), 0.1)", "0.10000001", "0.1000001"},
                      {"assertAlmostEqual(f(1), 5, places=1)", "5.04", "5.06"},
                      {"assertAlmostEqual(f(1), 5, delta=2)", "7", "7.5"},
                      {"assertCountEqual(f(1), [1, 2, 2])", "[2, 1, 2]", "[1, 2]"},
                      {"assertGreaterEqual(f(1), 3)", "3", "2"},
                      {"assertIsInstance(f(1), dict)", "{}", "[]"},
                      {"assertNotEqual(f(1), 3)", "4", "3"}};
  for (const Row& row : rows) {
    const std::string source =
        std::string("import unittest\nclass T(unittest.TestCase):\n  def test(self):\n    self.") + row.method + "\n";
    EXPECT_TRUE(holds(source, {row.right})) << row.method;
    EXPECT_FALSE(holds(source, {row.wrong})) << row.method;
  }
}

TEST(TestProgram, ExpectedExceptions) {
  for (const char* source :
       {"import pytest\nwith pytest.raises(ValueError):\n    f(1)\n",
        "try:\n    f(1)\n    assert False, 'no exception'\nexcept ValueError:\n    pass\n",
        "try:\n    x = f(1)\nexcept ValueError as e:\n    assert True\nelse:\n    raise AssertionError()\n",
        "import unittest\nclass T(unittest.TestCase):\n  def test(self):\n    with self.assertRaises(ValueError):\n"
        "      f(1)\n",
        "import unittest\nclass T(unittest.TestCase):\n  def test(self):\n    self.assertRaises(ValueError, f, 1)\n"}) {
    const auto tests = data(source);
    ASSERT_EQ(tests.size(), 1u) << source;
    EXPECT_EQ(tests[0].raises, std::vector<std::string>{"ValueError"});
    EXPECT_EQ(to_python_call(tests[0], "f"), "f(1)");
  }
}

TEST(TestProgram, WhatIsNotDataSaysWhy) {
  for (const char* source : {
           "assert f(1) == 2 == g()",
           "assert f(x) == 2",
           "assert f(k=1, 2) == 3",
           "assert f(k=1, k=2) == 3",
           "assert g(f(1)) == 2",
           "assert str(f(1)) == '1.0'",
           "assert sorted(f(1), key=len) == []",
           "assert f(1) is [1]",
           "assert f(1).x == 2",
           "assert f(1)[1:] == []",
           "assert f(f(1)) == 2",
           "x = [3, 1]\nf(x)\nassert x == [1, 3]",
           "x = [3, 1]\ny = f(x)\nassert x == [3, 1]\nassert y == 2",
           "def f(x): pass\nassert f(1) == 2",
           "sorted = len\nassert sorted(f(1)) == 2",
           "import random\nassert f(random.randint(1, 2)) == 2",
           "for x in {1, 2}:\n    assert f(x) == 2",
           "while True:\n    assert f(1) == 2",
           "try:\n    f(1)\n    assert False\nexcept Exception:\n    pass",  // catches its own failure
           "try:\n    f(1)\nexcept ValueError:\n    pass",                   // content when nothing is raised
           "with pytest.raises(ValueError, match='x'):\n    f(1)",
           "with open('x') as h:\n    assert f(1) == 2",
           "assert f(1) == b'x'",
           "assert f(1) == f'{2}'",
           "r = f(2)\nassert f(1) == 2",
           "assert False or g()",
           "assert f(1) == 2 if",
           "assert f(1) == 'a",
           "assert f(b'x') == 1",
           "async def test(): assert f(1) == 2",
           "import os\nos.system('x')\nassert f(1) == 2",
           "@skip\ndef test_x():\n    assert f(1) == 2",
           "assert f(\xC3\xA9) == 2",
       }) {
    const TestProgram program = read_test_program(source, "f");
    EXPECT_NE(program.code_reason, "") << source;
    EXPECT_TRUE(program.tests.empty()) << source;
    EXPECT_FALSE(program.asserts_nothing) << source;
  }
  for (const char* source : {"", "assert True", "x = 1", "def check(c):\n    pass"}) {
    EXPECT_TRUE(read_test_program(source, "f").asserts_nothing) << source;
  }
}

TEST(TestProgram, GeneratorsCountWhereTheyAreWalkedThrough) {
  EXPECT_TRUE(data("assert sorted(f(1)) == [1]")[0].as_list);
  EXPECT_TRUE(data("assert set(map(tuple, f(1))) == set()")[0].as_list);
  EXPECT_FALSE(data("assert f(1) == [1]")[0].as_list);
  EXPECT_FALSE(data("assert len(f(1)) == 1")[0].as_list);
}

TEST(TestProgram, HugeAndDeepProgramsEnd) {
  EXPECT_NE(read_test_program("assert f(" + std::string(100000, '(') + "1" + std::string(100000, ')') + ") == 1", "f")
                .code_reason,
            "");
  std::string sum = "assert f(1) == 1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  EXPECT_NE(read_test_program(sum, "f").code_reason, "");
  std::string power = "assert f(1) == 2";
  for (int i = 0; i < 100000; ++i) power += "**2";
  EXPECT_NE(read_test_program(power, "f").code_reason, "");
  EXPECT_NE(read_test_program("assert f('a' * 999999999) == 1", "f").code_reason, "");
  EXPECT_NE(read_test_program("assert f(9**9**9) == 1", "f").code_reason, "");
  EXPECT_NE(read_test_program("for a in range(1000):\n  for b in range(1000):\n    assert f(a) == b", "f").code_reason,
            "");
  std::string blocks;
  for (int i = 0; i < 90; ++i) blocks += std::string(static_cast<size_t>(i), ' ') + "if True:\n";
  EXPECT_NE(read_test_program(blocks + std::string(90, ' ') + "assert f(1) == 1", "f").code_reason, "");
}

TEST(TestProgram, WritesAsserts) {
  EXPECT_EQ(to_python_assert(data("assert f(1) == 'a'")[0], "f"), "assert f(1) == 'a'");
  EXPECT_EQ(to_python_assert(data("assert abs(f(1) - 2) < 1")[0], "f"), "assert (abs((f(1) - 2)) < 1)");
}

}  // namespace
}  // namespace plumbline
