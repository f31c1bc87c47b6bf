/// Compares a returned value with the expected one. Runs in the grader, on rebuilt builtin values: no code of a
/// submission takes part.
#pragma once

#include "plumbline/record/problem.h"
#include "plumbline/record/python_value.h"

namespace plumbline {

struct ComparisonRule {
  CompareRule rule = CompareRule::kExact;
  double rel_tol = 1e-9, abs_tol = 0;  ///< for kApprox, as math.isclose takes them
};

/// kExact: same builtin type and value all the way down; 0.0 and -0.0 differ, nan matches nan.
/// kPython: what == says of builtin values, and nan matches nan.
/// kApprox: as kPython, but numbers (bool apart) may differ within the tolerances.
/// kJson: as kPython, a tuple counting as the list of its items.
/// kUnordered: as kExact, the outermost list or tuple in any order.
/// The order of sets and dicts never counts.
bool values_match(const PythonValue& got, const PythonValue& expected, const ComparisonRule& comparison);

}  // namespace plumbline
