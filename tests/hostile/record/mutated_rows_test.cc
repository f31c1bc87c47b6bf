/// Whatever stands in a data file, reading it ends in a value or in a DataError.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"
#include "plumbline/record/completion_reader.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/python_literal.h"
#include "plumbline/record/test_program.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {
namespace {

const std::vector<std::string> kSeeds = {
    R"({"id":"p1","task":"code","prompt":[{"role":"user","content":"é"}],"reference":"r","entry_point":"f","tests":)"
    R"([{"args":[1,{"$tuple":[1.5,"a"]}],"expected":{"$dict":[[1,{"$float":"nan"}]]}}],"hint":{"variant":"asked"}})",
    R"({"id":7,"func_name":"Solution().m","prompt":"p","gt_answer":["assert Solution().m(a = [1, 'x']) == -inf"]})",
    R"({"task_id":"H/0","prompt":"def f():\n","entry_point":"f","canonical_solution":" x","test":"def check(c):\n assert c(1) "})",
    R"({"task_id":1,"text":"p","code":"def g(x):\n return x","test_list":["assert set(g([1])) == {1}"]})",
    R"({"question_id":"q","question_content":"p","public_test_cases":"[{\"input\":\"1\",\"output\":\"2\",)"
    R"(\"testtype\":\"stdin\"}]","private_test_cases":"eJyLjgUAARUAuQ=="})",
    R"({"problem_id":2,"question":"p","input_output":"{\"fn_name\":\"g\",\"inputs\":[[1]],\"outputs\":[[2]]}"})",
    R"({"problem_id":1,"sample":0,"completion":"x","token_ids":[1,2],"finish_reason":"stop"})",
};
const std::vector<std::string> kLiterals = {
    "assert f(1, k={'a': (1,), 2: {3.5, None}}) == [\"\\u00e9\\x41\", -inf, frozenset({1})], 'why'",
    "import math\ndef check(c):\n  x = [i**2 for i in range(3) if i % 2]\n  assert math.isclose(c(*x, k='a'*2), 2/3) "
    "and not c(x)[0] or c(1) is None\n  try:\n    c()\n    assert False\n  except (ValueError, KeyError):\n    pass\n",
    "class T(unittest.TestCase):\n def test(self):\n  for a, b in [(1, 2)]:\n   self.assertIn(f(a), {b: 1}, msg='x')\n",
    "[1_000, -2.5e-3, r'\\n', '''a\nb''', set(), float('nan'), {}, ()]"};

std::string mutated(const std::string& seed, CounterRng& rng) {
  static const std::string kBytes = "{}[]()\"'\\,:$=#-+.eE019afnr \n\0\x80\xff";
  std::string text = seed;
  const uint64_t num_changes = 1 + rng.next_below(4);
  for (uint64_t i = 0; i < num_changes && !text.empty(); ++i) {
    const size_t at = rng.next_below(text.size());
    switch (rng.next_below(4)) {
      case 0:
        text[at] = kBytes[rng.next_below(kBytes.size())];
        break;
      case 1:
        text.erase(at, 1 + rng.next_below(5));
        break;
      case 2:
        text.insert(at, 1, kBytes[rng.next_below(kBytes.size())]);
        break;
      default:
        text.insert(at, text.substr(rng.next_below(text.size()), 1 + rng.next_below(20)));
    }
  }
  return text;
}

TEST(MutatedRows, EndInAValueOrADataError) {
  CounterRng rng({.seed = 20261130});
  size_t num_read = 0, num_refused = 0;
  for (int round = 0; round < 8000; ++round) {
    const std::string text = mutated(kSeeds[rng.next_below(kSeeds.size())], rng);
    try {
      parse_problem(text, "t");
      ++num_read;
    } catch (const DataError&) {
      ++num_refused;
    }
    try {
      const Json row = parse_json(text, "t");
      parse_completion(row, "t");
      parse_verdict(row, "t");
    } catch (const DataError&) {
    }
  }
  EXPECT_GT(num_read, 100u);
  EXPECT_GT(num_refused, 100u);
}

TEST(MutatedRows, LiteralsReadBackAsThemselves) {
  CounterRng rng({.seed = 7});
  size_t num_read = 0;
  for (int round = 0; round < 8000; ++round) {
    const std::string text = mutated(kLiterals[rng.next_below(kLiterals.size())], rng);
    read_test_program(text, "f");
    if (const auto value = parse_python_literal(text)) {
      ++num_read;
      const auto again = parse_python_literal(to_python_literal(*value));
      ASSERT_TRUE(again.has_value()) << text;
      EXPECT_EQ(python_equality_key(*again), python_equality_key(*value)) << text;
    }
  }
  EXPECT_GT(num_read, 100u);
}

}  // namespace
}  // namespace plumbline
