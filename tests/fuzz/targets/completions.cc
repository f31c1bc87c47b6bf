#include "plumbline/record/completion_reader.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_completions(std::string_view bytes) {
  if (is_packed(bytes)) return;
  expect_value_or_error([&] {
    for (const Completion& completion : read_completions(file_of(bytes))) to_json_line(completion);
  });
}

}  // namespace plumbline::test
