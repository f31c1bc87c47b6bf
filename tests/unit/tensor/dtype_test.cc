#include "plumbline/tensor/dtype.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

TEST(Dtype, NamesRoundTrip) {
  for (const char* name : {"float32", "bfloat16", "float64"}) EXPECT_EQ(name_of_dtype(dtype_of_name(name)), name);
  EXPECT_THROW(dtype_of_name("float8"), ConfigError);
}

TEST(Device, UnknownNamesAreRefused) {
  EXPECT_EQ(device_of_name("cpu"), torch::Device(torch::kCPU));
  EXPECT_THROW(device_of_name("tpu"), ConfigError);
}

}  // namespace
}  // namespace plumbline
