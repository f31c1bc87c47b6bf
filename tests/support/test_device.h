/// The device that parity tests run on: $PLUMBLINE_TEST_DEVICE ("cuda"), else the CPU. CI has no GPU; on a machine with
/// one the same tests hold the CUDA build to the same tolerances.
#pragma once

#include <torch/types.h>

#include <cstdlib>

namespace plumbline::test {

inline torch::Device test_device() {
  const char* wanted = std::getenv("PLUMBLINE_TEST_DEVICE");
  return torch::Device(wanted && *wanted ? wanted : "cpu");
}

}  // namespace plumbline::test
