#include "plumbline/preset/schema.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_preset(std::string_view bytes) {
  expect_value_or_error([&] {
    const Preset preset = load_preset(file_of(bytes), {"run.seed=1"});
    // What was read must be written as what is read again.
    const std::string text = to_toml(preset);
    Preset again = load_preset(file_of(text));
    if (to_toml(again) != text) throw std::logic_error("a resolved preset does not read back as itself");
  });
}

}  // namespace plumbline::test
