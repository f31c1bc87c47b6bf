// One libFuzzer binary a target: PLUMBLINE_FUZZ_TARGET names its function.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  plumbline::test::PLUMBLINE_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
