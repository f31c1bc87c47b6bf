#include "plumbline/files/gguf.h"

#include "plumbline/text/checkpoint_text.h"
#include "plumbline/text/tokenizer.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_gguf(std::string_view bytes) {
  const std::string path = file_of(bytes);
  expect_value_or_error([&] {
    const GgufFile file(path);
    unsigned sum = 0;  // every byte that a tensor claims must be there
    for (const RawTensor& tensor : file.tensors()) {
      if (!tensor.bytes.empty()) sum += static_cast<unsigned char>(tensor.bytes.front()) + tensor.bytes.back();
    }
    keep(sum);
    if (!file.has("tokenizer.ggml.model")) return;
    const Tokenizer tokenizer = Tokenizer::load(path);
    tokenizer.decode(tokenizer.encode("ab <e>a ba\n 12"));
  });
  // Only what starts as a GGUF is read as one; the rest is taken for the folder's other files.
  if (bytes.starts_with("GGUF")) expect_value_or_error([&] { read_checkpoint_text(path); });
}

}  // namespace plumbline::test
