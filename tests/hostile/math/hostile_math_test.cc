/// Texts of a model that wants to hang, crash or overflow the comparison.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/rng.h"
#include "plumbline/math/equivalence.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

double seconds_of(const std::string& a, const std::string& b) {
  const auto start = std::chrono::steady_clock::now();
  compare_math(a, b);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(HostileMath, NothingTakesLong) {
  const std::vector<std::string> texts = {std::string("9^{9^{9^{9^9}}}"),
                                          std::string("1500!^{1500!}"),
                                          std::string("(1500!)(1500!)(1500!)(1500!)"),
                                          repeated("2^{", 150) + "2" + repeated("}", 150),
                                          repeated("(", 250) + "1" + repeated(")", 250),
                                          repeated("-", 500),
                                          repeated("\\sqrt{", 60) + "x" + repeated("}", 60),
                                          repeated("\\frac{", 80),
                                          repeated("{", 500),
                                          repeated("|", 500),
                                          "1" + repeated("\\pm1", 100),
                                          repeated("1,", 250) + "1",
                                          "\\{" + repeated("\\pm x,", 80) + "1\\}",
                                          repeated("x!", 200),
                                          repeated("\\sin ", 100) + "x",
                                          "2^{16000}+3^{10000}",
                                          "\\binom{1500}{750}^{40}",
                                          repeated("[", 250) + repeated("]", 250),
                                          std::string("10^{-16000}"),
                                          "\\begin{pmatrix}" + repeated("1&", 200) + "1\\end{pmatrix}",
                                          repeated("x^2+", 120) + "1",
                                          repeated("1<", 200) + "x",
                                          repeated("\\left", 100),
                                          std::string(512, '9'),
                                          "0." + std::string(500, '1')};
  for (const std::string& text : texts) {
    EXPECT_LT(seconds_of(text, "x+1"), 2) << text.substr(0, 60);
    EXPECT_LT(seconds_of(text, "0+" + text.substr(0, 500)), 2) << text.substr(0, 60);
  }
}

TEST(HostileMath, NothingIsExecuted) {
  for (const char* text : {"__import__('os').system('true')", "exec(1)", "lambda: 1", "\\input{/etc/passwd}",
                           "\\write18{true}", "x.__class__", "1;import os", "%s%s%n", "\\def\\x{\\x}\\x"}) {
    EXPECT_EQ(compare_math(text, "1").verdict, MathVerdict::kUndecided) << text;
  }
}

TEST(HostileMath, MutatedTextsNeverCrash) {
  const std::string path = test::source_path("tests/golden/math/pairs.jsonl");
  std::istringstream lines(read_file(path));
  std::vector<std::string> texts;
  for (std::string line; std::getline(lines, line);) texts.push_back(parse_json(line, path)["a"].get<std::string>());
  CounterRng rng({.seed = 9});
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text = texts[rng.next_below(texts.size())];
    for (uint64_t i = 0; i <= rng.next_below(3); ++i) {
      const uint64_t kind = rng.next_below(3);
      const size_t at = text.empty() ? 0 : rng.next_below(text.size());
      if (kind == 0 && !text.empty()) text.erase(at, 1 + rng.next_below(3));
      if (kind == 1) text.insert(at, 1, static_cast<char>(rng.next_below(256)));
      if (kind == 2) text.insert(at, texts[rng.next_below(texts.size())]);
    }
    compare_math(text, texts[rng.next_below(texts.size())]);
  }
}

}  // namespace
}  // namespace plumbline
