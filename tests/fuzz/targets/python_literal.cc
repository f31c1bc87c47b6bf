#include "plumbline/record/python_literal.h"

#include <stdexcept>

#include "plumbline/record/test_program.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_python_literal(std::string_view bytes) {
  expect_value_or_error([&] {
    if (const auto value = parse_python_literal(bytes)) {
      // Writing a value and reading it again must settle at once.
      const std::string text = to_python_literal(*value);
      const auto again = parse_python_literal(text);
      if (!again || to_python_literal(*again) != text) throw std::logic_error("a literal does not read back as itself");
    }
    for (const char* entry_point : {"f", "Solution().m"}) {
      for (const TestCase& test : read_test_program(bytes, entry_point).tests) to_python_assert(test, entry_point);
    }
    called_names(bytes);
  });
}

}  // namespace plumbline::test
