#include "plumbline/files/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "plumbline/base/error.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

std::string_view as_bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(Safetensors, ReadsAFileWrittenByHand) {
  const test::TemporaryFolder folder;
  const std::string header = R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]},)"
                             R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})";
  std::string content(8, '\0');
  content[0] = static_cast<char>(header.size());
  content += header + std::string("\0\0\x80\x3f\0\0\0\xc0", 8) + "xyz";
  const SafetensorsFile file(folder.write("hand.safetensors", content));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(file.tensors()[0].name, "a") << "in the order of their data";
  EXPECT_EQ(file.find("b")->bytes, "xyz");
  const RawTensor* a = file.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->shape, (std::vector<int64_t>{1, 2}));
  float values[2];
  std::memcpy(values, a->bytes.data(), sizeof values);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(file.find("c"), nullptr);
}

TEST(Safetensors, RoundTripsAndItsBytesDependOnContentAlone) {
  const test::TemporaryFolder folder;
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6};
  const RawTensor wide{"z.weight", "F32", {2, 3}, as_bytes(floats)};
  const RawTensor narrow{"a.mask", "U8", {3}, "\x01\x02\x03"};
  const RawTensor empty{"none", "BF16", {0, 7}, ""};
  const std::map<std::string, std::string> metadata = {{"k", "v\"\n"}, {"a", "ä"}};
  write_safetensors(folder.file("one"), std::vector{narrow, wide, empty}, metadata);
  write_safetensors(folder.file("two"), std::vector{empty, wide, narrow}, metadata);
  EXPECT_EQ(read_file(folder.file("one")), read_file(folder.file("two")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("one.partial")));

  const SafetensorsFile file(folder.file("one"));
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.find("z.weight")->bytes, wide.bytes);
  EXPECT_EQ(file.find("z.weight")->shape, wide.shape);
  EXPECT_EQ(file.find("a.mask")->bytes, narrow.bytes);
  EXPECT_EQ(file.find("none")->shape, empty.shape);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.find("z.weight")->bytes.data()) % 8, 0u);
}

TEST(Safetensors, RefusesToWriteWhatDoesNotFitTogether) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(write_safetensors(folder.file("x"), std::vector{RawTensor{"a", "F32", {2}, "1234"}}, {}), InternalError);
  const RawTensor twice{"a", "U8", {1}, "1"};
  EXPECT_THROW(write_safetensors(folder.file("x"), std::vector{twice, twice}, {}), InternalError);
}

TEST(Safetensors, ReadsACheckpointOfTheReferenceWriter) {
  PL_NEED_SHARED("golden/models/qwen3/model.safetensors");
  const SafetensorsFile file(test::shared_path("golden/models/qwen3/model.safetensors"));
  const RawTensor* embedding = file.find("model.embed_tokens.weight");
  ASSERT_NE(embedding, nullptr);
  EXPECT_EQ(embedding->dtype, "F32");
  EXPECT_EQ(embedding->shape, (std::vector<int64_t>{310, 48}));
  file.release(*embedding);
  EXPECT_EQ(embedding->bytes.size(), 310u * 48u * 4u);
  EXPECT_NE(embedding->bytes.substr(0, 64), std::string(64, '\0'));  // released pages are read again
}

}  // namespace
}  // namespace plumbline
