#include "plumbline/tensor/raw_tensor.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"
#include "plumbline/tensor/weight_hash.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

TEST(RawTensor, CastsAndNeverSharesMemory) {
  std::string bytes("\xc0\x3f\x01\xc0", 4);  // bfloat16 1.5, -2.015625
  const RawTensor raw{"t", "BF16", {2}, bytes};
  const torch::Tensor own = tensor_from_raw(raw), wide = tensor_from_raw(raw, torch::kFloat64, torch::kCPU);
  bytes.assign(4, '\0');
  EXPECT_EQ(own.scalar_type(), torch::kBFloat16);
  EXPECT_EQ(own[0].item<float>(), 1.5f);
  EXPECT_EQ(wide[1].item<double>(), -2.015625);
}

TEST(RawTensor, ReadsBytesThatAreNotAligned) {
  const std::string bytes("x\0\0\x80\x3f", 5);
  const RawTensor raw{"t", "F32", {1}, std::string_view(bytes).substr(1)};
  EXPECT_EQ(tensor_from_raw(raw)[0].item<float>(), 1.0f);
}

TEST(RawTensor, AnUnknownTypeIsNamed) {
  try {
    tensor_from_raw(RawTensor{"odd.weight", "Q3_Z", {1}, "1"});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.dtype");
    EXPECT_NE(error.where().find("odd.weight"), std::string::npos);
  }
}

TEST(RawTensor, FilesRoundTripEveryType) {
  const test::TemporaryFolder folder;
  TensorMap tensors = {{"f64", torch::randn({2, 3}, torch::kFloat64)},
                       {"f32", torch::randn({5}).slice(0, 0, 5, 2)},
                       {"bf16", torch::randn({3}).to(torch::kBFloat16)},
                       {"i64", torch::arange(4).view({2, 2}).t()},
                       {"bool", torch::ones({3}, torch::kBool)},
                       {"scalar", torch::scalar_tensor(2.5)},
                       {"empty", torch::empty({0, 4})}};
  write_tensors(folder.file("t.safetensors"), tensors, {{"kind", "test"}});
  const TensorMap back = read_tensors(folder.file("t.safetensors"));
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(back.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_EQ(back.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_TRUE(at::equal(back.at(name), tensor)) << name;
  }
}

TEST(WeightHash, IsTheDigestOfTheStatedLayout) {
  const std::string direct = sha256_hex(std::string("a\nF32\n1,2\n12345678b\nU8\n\nx"));
  EXPECT_EQ(WeightHash().add({"a", "F32", {1, 2}, "12345678"}).add({"b", "U8", {}, "x"}).hex(), direct);
  WeightHash hash;
  hash.add({"b", "U8", {1}, "x"});
  EXPECT_THROW(hash.add({"a", "U8", {1}, "x"}), InternalError);
}

}  // namespace
}  // namespace plumbline
