/// Labelled pairs (tools/reference/math_pairs.py): no wrong verdict, few undecided.
#include "plumbline/math/equivalence.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/math/parser.h"
#include "plumbline/math/rational.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

std::vector<Json> labelled_pairs() {
  const std::string path = test::source_path("tests/golden/math/pairs.jsonl");
  std::istringstream lines(read_file(path));
  std::vector<Json> pairs;
  for (std::string line; std::getline(lines, line);) pairs.push_back(parse_json(line, path));
  return pairs;
}

TEST(MathEquivalence, NoWrongVerdictOnLabelledPairs) {
  int num_decidable = 0, num_undecided = 0;
  const std::vector<Json> pairs = labelled_pairs();
  EXPECT_GE(pairs.size(), 300u);
  for (const Json& pair : pairs) {
    const std::string a = pair["a"], b = pair["b"], label = pair["label"];
    for (const MathComparison& result : {compare_math(a, b), compare_math(b, a)}) {
      const std::string verdict(name_of(result.verdict));
      if (label == "undecided" || verdict != "undecided") {
        EXPECT_EQ(verdict, label) << a << "   " << b;
      } else {
        std::printf("undecided: %s   %s   (%s)\n", a.c_str(), b.c_str(), result.reason.c_str());
        ++num_undecided;
      }
      num_decidable += label != "undecided";
    }
  }
  EXPECT_LE(num_undecided * 20, num_decidable) << num_undecided << " of " << num_decidable;
}

TEST(MathEquivalence, IsTheSameEitherWayRoundAndReflexive) {
  for (const Json& pair : labelled_pairs()) {
    const std::string a = pair["a"], b = pair["b"];
    EXPECT_EQ(compare_math(a, b).verdict, compare_math(b, a).verdict) << a << "   " << b;
    if (a.empty()) continue;
    EXPECT_EQ(compare_math(a, a).verdict, MathVerdict::kEqual) << a;
  }
}

TEST(MathEquivalence, DoesNotTrustRoundingWithLongNumbers) {
  EXPECT_EQ(compare_math(R"(e^{\pi\sqrt{163}})", "262537412640768744").verdict, MathVerdict::kUndecided);
  EXPECT_EQ(compare_math(R"(e^{\pi\sqrt{163}})", "262537412640000000").verdict, MathVerdict::kDifferent);
}

/// Each is right at every small number, or to sixteen digits.
TEST(MathEquivalence, IsNotFooledByAnswersMadeToPass) {
  const std::string gold = "x^2+2x+1";
  for (const char* answer :
       {"(x+1)^2+\\sqrt{(x-100)^2}-(100-x)", "(x+1)^2+|x-1000000|-(1000000-x)", "x^2+2x+1+10^{-20}x",
        "x^2+2.000000000000000000001x+1", "(x+1)^2+|x-10^{10}|-(10^{10}-x)"}) {
    EXPECT_EQ(compare_math(answer, gold).verdict, MathVerdict::kDifferent) << answer;
  }
  EXPECT_NE(compare_math("\\sin x+10^{-20}x", "\\sin x").verdict, MathVerdict::kEqual);
  EXPECT_NE(compare_math("\\sqrt2+10^{-30}", "\\sqrt2").verdict, MathVerdict::kEqual);
  EXPECT_NE(compare_math("e^{x(1+10^{-25})}", "e^x").verdict, MathVerdict::kEqual);
  EXPECT_EQ(compare_math("\\frac{x^2-1}{x-1}", "x+1").verdict, MathVerdict::kEqual);
  EXPECT_EQ(compare_math("\\sin(2x)", "2\\sin x\\cos x").verdict, MathVerdict::kEqual);
  EXPECT_EQ(compare_math("\\sqrt{x^2}", "|x|").verdict, MathVerdict::kEqual);
}

TEST(MathEquivalence, WordsThatTakeBackAnAnswerAreNoUnit) {
  for (const char* answer : {"1260\\text{ not}", "1260\\text{ is wrong}", "1260 never", "1260\\text{ minus }3"}) {
    EXPECT_NE(compare_math(answer, "1260").verdict, MathVerdict::kEqual) << answer;
  }
  EXPECT_EQ(compare_math("1260\\text{ apples}", "1260").verdict, MathVerdict::kEqual);
}

TEST(MathEquivalence, SpacesBetweenDigitsCountAndNothingIsNoAnswer) {
  EXPECT_EQ(compare_math("1 1/2", "11/2").verdict, MathVerdict::kDifferent);
  EXPECT_EQ(compare_math("1 1/2", "3/2").verdict, MathVerdict::kEqual);
  EXPECT_NE(compare_math("1 2", "12").verdict, MathVerdict::kEqual);
  EXPECT_NE(compare_math("$1$ $2$", "12").verdict, MathVerdict::kEqual);
  EXPECT_EQ(compare_math("$ 12 $", "12").verdict, MathVerdict::kEqual);
  for (const char* blank : {"", " ", "\n", "$$", "$ $"}) {
    EXPECT_EQ(compare_math(blank, "\n").verdict, MathVerdict::kUndecided) << blank;
    EXPECT_EQ(compare_math("\n", blank).verdict, MathVerdict::kUndecided) << blank;
  }
}

/// 2 m is no length where m is the problem's own symbol: what is equal as algebra stays equal, what differs different.
TEST(MathEquivalence, LettersOfAnAlgebraicAnswerStaySymbols) {
  EXPECT_EQ(compare_math("3m+2", "2+3m").verdict, MathVerdict::kEqual);
  EXPECT_EQ(compare_math("2 m + 3 h", "3 h + 2 m").verdict, MathVerdict::kEqual);
  EXPECT_EQ(compare_math("2 m + 3 h", "2 m + 4 h").verdict, MathVerdict::kDifferent);
  EXPECT_EQ(compare_math("3m", "3").verdict, MathVerdict::kDifferent);
  EXPECT_EQ(compare_math("2gh", "2hg").verdict, MathVerdict::kEqual);
  EXPECT_EQ(compare_math("2gh", "3gh").verdict, MathVerdict::kDifferent);
  EXPECT_EQ(compare_math("\\sqrt{2gh}", "\\sqrt{2hg}").verdict, MathVerdict::kEqual);
}

TEST(MathEquivalence, SaysWhatItCouldNotRead) {
  const MathComparison result = compare_math("1", "2 +");
  EXPECT_EQ(result.verdict, MathVerdict::kUndecided);
  EXPECT_EQ(result.reason, "b, byte 3: an operand is missing");
}

std::string tree(const std::string& text) {
  const auto parsed = parse_math(text);
  const auto* expression = std::get_if<Expression>(&parsed);
  return expression ? to_text(*expression) : "failure: " + std::get<MathFailure>(parsed).reason;
}

TEST(MathParser, BuildsTheTreesThatMathematiciansMean) {
  EXPECT_EQ(tree("-x^2"), "(neg (pow x 2))");
  EXPECT_EQ(tree("2x^2y"), "(mul (mul 2 (pow x 2)) y)");
  EXPECT_EQ(tree(R"(\frac12)"), "(div 1 2)");
  EXPECT_EQ(tree(R"(\frac{a}{b}c)"), "(mul (div a b) c)");
  EXPECT_EQ(tree(R"(\sin^2 x)"), "(pow (sin x) 2)");
  EXPECT_EQ(tree(R"(\sin 2x + 1)"), "(add (sin (mul 2 x)) 1)");
  EXPECT_EQ(tree(R"(\sin x \cos x)"), "(mul (sin x) (cos x))");
  EXPECT_EQ(tree(R"(\sqrt[3]{x})"), "(root x 3)");
  EXPECT_EQ(tree(R"(\log_2 8)"), "(log 8 2)");
  EXPECT_EQ(tree("1,000,000"), "1000000");
  EXPECT_EQ(tree("(1,000)"), "(tuple 1 000)");
  EXPECT_EQ(tree("3!"), "(factorial 3)");
  EXPECT_EQ(tree("x_{10}"), "x_10");
  EXPECT_EQ(tree("1 < x <= 3"), "(relation 1 < x <= 3)");
  EXPECT_EQ(tree(R"(5\text{ cm}^2)"), "(unit cm^2 5)");
  EXPECT_EQ(tree("a/b/c"), "(div (div a b) c)");
  EXPECT_EQ(tree("|x-1|"), "(abs (add x (neg 1)))");
}

std::string tree_in(MathReading reading, const std::string& text) {
  const auto parsed = parse_math(text, reading);
  const auto* expression = std::get_if<Expression>(&parsed);
  return expression ? to_text(*expression) : "failure: " + std::get<MathFailure>(parsed).reason;
}

TEST(MathParser, DigitsEAndDigitsAreOneNumber) {
  EXPECT_EQ(tree("2.5e-3"), "0.0025");
  EXPECT_EQ(tree("1.5E+2"), "150");
  EXPECT_EQ(tree("6.02e2"), "602");
  EXPECT_EQ(tree("12.345e1"), "123.45");
  EXPECT_EQ(tree("0e5"), "0");
  EXPECT_EQ(tree("2e3x"), "(mul 2000 x)");
  EXPECT_EQ(tree("2e"), "(mul 2 e)");
  EXPECT_EQ(tree("2e - 3"), "(add (mul 2 e) (neg 3))");
  EXPECT_EQ(tree("2e -3"), "(add (mul 2 e) (neg 3))");
  EXPECT_EQ(tree("2e-3.5"), "(add (mul 2 e) (neg 3.5))");
  EXPECT_EQ(tree("2e^x"), "(mul 2 (pow e x))");
  EXPECT_EQ(tree("x^2e-3"), "(add (mul (pow x 2) e) (neg 3))");
  EXPECT_EQ(tree(R"(\frac12e-3)"), "(add (mul (div 1 2) e) (neg 3))");
  EXPECT_EQ(tree("x_2e-3"), "(add (mul x_2 e) (neg 3))");
  EXPECT_EQ(tree("e-3"), "(add e (neg 3))");
  EXPECT_EQ(tree(R"(2\mathrm{e}^x)"), "(mul 2 (pow e x))");
  EXPECT_EQ(tree("1e401"), "failure: an exponent beyond 400");
  EXPECT_EQ(tree("1e-99999999999999999999"), "failure: an exponent beyond 400");
  EXPECT_EQ(tree_in({.scientific = false}, "2e-3"), "(add (mul 2 e) (neg 3))");
}

TEST(MathParser, LettersBehindANumberAreUnitsInOneReadingAndSymbolsInAnother) {
  const MathReading units = {.letters = UnitLetters::kAll}, spaced = {.letters = UnitLetters::kSpaced};
  EXPECT_EQ(tree("3 m"), "(mul 3 m)");
  EXPECT_EQ(tree_in(units, "3m"), "(unit m 3)");
  EXPECT_EQ(tree_in(spaced, "3m"), "(mul 3 m)");
  EXPECT_EQ(tree_in(spaced, "3 m"), "(unit m 3)");
  EXPECT_EQ(tree_in(spaced, "20 m/s"), "(unit m/s 20)");
  EXPECT_EQ(tree_in(units, "4186 J/(kg K)"), "(unit J/(kg K) 4186)");
  EXPECT_EQ(tree_in(units, "5 kg m^2 s^{-3}"), "(unit kg m^2 s^-3 5)");
  EXPECT_EQ(tree_in(units, "3x + 2m"), "(add (mul 3 x) (unit m 2))");
  EXPECT_EQ(tree_in({.letters = UnitLetters::kNone}, "5 cm"), "(mul (mul 5 c) m)");
  EXPECT_EQ(tree("5 cm"), "(unit cm 5)");
  EXPECT_EQ(tree("2 hours 30 minutes"), "(add (unit hours 2) (unit minutes 30))");
  EXPECT_EQ(tree("30 minutes 2 hours"), "failure: two numbers side by side");
  EXPECT_EQ(tree("60 miles per hour"), "(unit miles/hour 60)");
}

TEST(MathParser, FailsOnWhatItDoesNotKnow) {
  for (const char* text : {"", "1 +", ")", "(1", "2 3", "x^", R"(\foo{1})", R"(\int x)", "1..2", "f''", "@", "x^y^z",
                           R"(\begin{cases}1\end{cases})", R"(\frac{1})", R"(\text{never)", "\x01", "[1,2,3)"}) {
    EXPECT_EQ(tree(text).substr(0, 7), "failure") << text << " gave " << tree(text);
  }
  EXPECT_EQ(tree(std::string(513, '1')), "failure: longer than 512 characters");
  EXPECT_EQ(tree(std::string(200, '(') + "1" + std::string(200, ')')), "failure: nested too deep");
}

TEST(Rational, IsExactAndBounded) {
  const Rational third = *Rational(1).over(Rational(3));
  EXPECT_TRUE(*third.plus(third)->plus(third) == Rational(1));
  EXPECT_TRUE(*Rational::of_decimal("0.125") == *Rational(1).over(Rational(8)));
  EXPECT_FALSE(Rational(1).over(Rational(0)));
  EXPECT_TRUE(*Rational(2).to_power(-3) == *Rational(1).over(Rational(8)));
  EXPECT_FALSE(Rational(3).to_power(16000));
  EXPECT_EQ(Rational(-12).whole(), -12);
  EXPECT_FALSE(third.whole());
  EXPECT_EQ(Rational(-1).sign(), -1);
}

}  // namespace
}  // namespace plumbline
