#include "plumbline/text/tokenizer.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_tokenizer_json(std::string_view bytes) {
  if (is_packed(bytes)) return;
  expect_value_or_error([&] {
    const Tokenizer tokenizer = Tokenizer::load(file_of(bytes));
    const std::string text =
        "ab <e>a\xCC\x81 ba\n  1234 \xF0\x9F\x98\x80"
        "don't\t\xFF";
    tokenizer.decode(tokenizer.encode(text));
    tokenizer.decode_text({0, 1, -1, tokenizer.size(), INT64_MAX});
  });
}

}  // namespace plumbline::test
