#include "plumbline/record/problem_reader.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_problems(std::string_view bytes) {
  if (is_packed(bytes)) return;
  expect_value_or_error([&] {
    for (const Problem& problem : read_problems(file_of(bytes))) grading_hash(problem);
  });
}

}  // namespace plumbline::test
