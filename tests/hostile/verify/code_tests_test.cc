/// Tests that are programs: what a submission can see of them, and programs that test nothing.
#include <gtest/gtest.h>

#include "plumbline/verify/code_verifier.h"

namespace plumbline {
namespace {

Verdict grade(const std::string& tests, const std::string& prelude, const std::string& code) {
  static CodeVerifier verifier([] {
    GradeOptions options;
    options.workers = 1;
    options.cpu_s = 2;
    return options;
  }());
  Problem problem;
  problem.id.text = "p";
  problem.entry_point = "f";
  problem.code_prelude = prelude;
  problem.code_tests = tests;
  const GradeRequest request{&problem, 0, "```python\n" + code + "\n```"};
  return verifier.grade({&request, 1}).at(0);
}

TEST(CodeTests, ASubmissionDoesNotSeeTheirPrelude) {
  const std::string prelude = "import math\ndef expected(x):\n    return x * 31 + 7\nKNOWN = [7, 38, 69]\n",
                    tests = "for n in range(3):\n    assert f(n) == expected(n) == KNOWN[n]\n";
  EXPECT_EQ(grade(tests, prelude, "def f(x):\n    return x * 31 + 7\n").outcome, Outcome::kPass);
  // Every module, and every text and function on the heap.
  const std::string thief = R"(
import gc, sys
def found():
    for module in list(sys.modules.values()):
        for value in list(getattr(module, "__dict__", {}).values()):
            if isinstance(value, dict):
                yield from value.values()
            yield value
    yield from gc.get_objects()
def f(x):
    for value in list(found()):
        try:
            known = getattr(value, "expected", None)
            if callable(known):
                return known(x)
        except Exception:
            pass
    return -1)";
  EXPECT_EQ(grade(tests, prelude, thief).outcome, Outcome::kWrong);
}

TEST(CodeTests, AProgramThatNeverCallsTheSubmissionPassesNobody) {
  const std::string right = "def f(x):\n    return x + 1\n";
  for (const char* tests : {
           "class TestF:\n    def test_f(self):\n        assert f(1) == 2\n",
           "def test_f(a=1):\n    assert f(a) == 2\n",
           "async def test_f():\n    assert f(1) == 2\n",
           "def test_f():\n    yield f(1) == 2\n",
           "def check(candidate):\n    assert candidate(1) == 2\n",
           "def test_f():\n    assert f(1) == 2\nif __name__ == '__main__':\n    check()\n    del test_f\ndel test_f\n",
           "pass\n",
       }) {
    const Verdict verdict = grade(tests, "", right);
    EXPECT_EQ(verdict.outcome, Outcome::kError) << tests;
    EXPECT_NE(verdict.detail.find("without having called"), std::string::npos) << verdict.detail;
  }
  EXPECT_EQ(grade("def test_f():\n    assert f(1) == 2\n", "", right).outcome, Outcome::kPass);
}

}  // namespace
}  // namespace plumbline
