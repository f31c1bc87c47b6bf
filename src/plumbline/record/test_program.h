/// Turns the text of tests into data: asserts in any style that a test program is written in, HumanEval's `check`,
/// pytest functions, unittest classes, expected exceptions, loops over constants. The program is read, not run: what it
/// would call and what it would ask of the results becomes TestCases that mean the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/problem.h"

namespace plumbline {

struct TestProgram {
  std::vector<TestCase> tests;
  std::string code_reason;       ///< why it cannot be data; empty when it is
  bool asserts_nothing = false;  ///< it was read to its end, and every solution would pass
};

/// Reads a whole program. A function `check` that nothing calls is called with the entry point; functions named test*
/// without parameters and unittest classes are run. `code_reason` is set, and `tests` empty, when any part of it is not
/// known to mean the same as data, and when it asserts nothing.
TestProgram read_test_program(std::string_view source, const std::string& entry_point);

/// Names that the program calls, outermost first, in order: where an entry point may be looked for.
std::vector<std::string> called_names(std::string_view source);

/// The test as one line of Python: `assert f(1) == 2`; empty for expected exceptions and for programs.
std::string to_python_assert(const TestCase& test, const std::string& entry_point);

}  // namespace plumbline
