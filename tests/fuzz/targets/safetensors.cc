#include "plumbline/files/safetensors.h"

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_safetensors(std::string_view bytes) {
  expect_value_or_error([&] {
    const SafetensorsFile file(file_of(bytes));
    unsigned sum = 0;
    for (const RawTensor& tensor : file.tensors()) {
      if (!tensor.bytes.empty()) sum += static_cast<unsigned char>(tensor.bytes.front()) + tensor.bytes.back();
      if (file.find(tensor.name) != &tensor) throw std::logic_error("a tensor is not found under its name");
    }
    keep(sum);
  });
}

}  // namespace plumbline::test
