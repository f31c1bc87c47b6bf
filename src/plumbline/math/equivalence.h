/// Whether two answers mean the same.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/math/expression.h"

namespace plumbline {

enum class MathVerdict {
  kEqual,
  kDifferent,
  kUndecided  ///< not read, or read and not decided: never "wrong"
};
/// "equal", "different", "undecided".
std::string_view name_of(MathVerdict verdict);

struct MathComparison {
  MathVerdict verdict = MathVerdict::kUndecided;
  std::string reason;  ///< of an undecided one: "b, byte 3: an operand is missing"
};

/// Reads both with parse_math. Texts that are the same but for spaces are equal whatever they are.
///
/// Fractions and whole numbers are compared exactly, and so are fractions of symbols, at 40 fractions each. What has
/// functions is evaluated at 16 near points (positive ones, then of both signs) with a bound on the rounding error:
/// different when the values are apart by more than their errors at one point where both are real, equal when at all
/// of four or more they agree within their errors, and these are below 1e-12 of the value; points at which one side is
/// not real or not defined are left out, unless none else is left. 24 far points, over ten decades and beyond the
/// largest number in either text, may only show a difference. What rounding would hide (a summand of 1e-12 of another,
/// a number of 18 digits) leaves it undecided. Points follow from the texts. That is a proof of "different" and strong
/// evidence of "equal". Bare log is read to base e and to base 10, and must give the same verdict. Lists and
/// sets have no order, tuples and matrices have one; "x = 3" stands for 3 beside an answer without a name; x > 3 is (3,
/// infinity); a unit that one side lacks is left out, two known units are converted. At most 4 symbols.
///
/// What can be read in several ways: letters behind a number may be units (equal when both sides are quantities and so
/// equal; undecided when only a unit that one side lacks makes them so) or symbols; 2e-3 is 0.002, and 3,14 a list, but
/// what is different so and equal with Euler's e, or with a point for the comma, is undecided.
using TreeComparison = MathVerdict(const Expression& a, const Expression& b);
MathVerdict compare_expressions(const Expression& a, const Expression& b);
/// `compare` is asked about every reading of the texts.
MathComparison compare_math(std::string_view a, std::string_view b, TreeComparison* compare = compare_expressions);

}  // namespace plumbline
