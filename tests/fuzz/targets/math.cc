#include <stdexcept>

#include "plumbline/math/equivalence.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

/// Two answers, one a line.
void fuzz_math(std::string_view bytes) {
  const size_t end = bytes.find('\n');
  const std::string_view a = bytes.substr(0, end), b = end == bytes.npos ? a : bytes.substr(end + 1);
  expect_value_or_error([&] {
    if (compare_math(a, b).verdict != compare_math(b, a).verdict) {
      throw std::logic_error("two answers are the same one way round only");
    }
  });
}

}  // namespace plumbline::test
