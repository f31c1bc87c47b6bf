/// Malformed GGUF files: every one is a DataError with a stable id, never a crash, an endless loop or a huge
/// allocation.
#include <gtest/gtest.h>

#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"
#include "plumbline/files/gguf.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using test::GgufWriter;

std::string id_of_reading(const std::string& content) {
  const test::TemporaryFolder folder;
  try {
    const GgufFile file(folder.write("bad.gguf", content));
    return "read";
  } catch (const DataError& error) {
    EXPECT_FALSE(error.where().empty());
    return error.id();
  }
}

GgufWriter good_writer() {
  GgufWriter writer;
  writer.key_text("general.architecture", "llama")
      .key_u32("llama.block_count", 2)
      .key("list", 9, GgufWriter::raw<uint32_t>(8) + GgufWriter::raw<uint64_t>(1) + GgufWriter::text("tok"))
      .tensor("a", {32, 2}, 8, std::string(68, 'a'))
      .tensor("b", {4}, 0, std::string(16, 'b'));
  return writer;
}

TEST(GgufHostile, Header) {
  EXPECT_EQ(id_of_reading(""), "data.truncated_file");
  EXPECT_EQ(id_of_reading("GGUF"), "data.truncated_file");
  EXPECT_EQ(id_of_reading("GGML" + std::string(60, '\0')), "data.gguf_header");
  for (const uint32_t version : {0u, 1u, 4u, 0x03000000u}) {
    GgufWriter writer = good_writer();
    writer.version = version;
    EXPECT_EQ(id_of_reading(writer.bytes()), "data.gguf_header") << version;
  }
}

TEST(GgufHostile, CountsBeyondTheFile) {
  for (const uint64_t extra : {uint64_t{1} << 20, uint64_t{1} << 40, UINT64_MAX - 8}) {
    GgufWriter tensors = good_writer(), keys = good_writer();
    tensors.extra_tensors = extra;
    keys.extra_keys = extra;
    EXPECT_EQ(id_of_reading(tensors.bytes()), "data.truncated_file");
    EXPECT_EQ(id_of_reading(keys.bytes()), "data.truncated_file");
  }
  const std::string huge = GgufWriter::raw<uint64_t>(UINT64_MAX);
  EXPECT_EQ(id_of_reading(GgufWriter().key("k", 8, huge).bytes()), "data.truncated_file");
  EXPECT_EQ(id_of_reading(GgufWriter().key("k", 9, GgufWriter::raw<uint32_t>(0) + huge).bytes()),
            "data.truncated_file");
  EXPECT_EQ(id_of_reading(GgufWriter().key("k", 9, GgufWriter::raw<uint32_t>(8) + huge).bytes()),
            "data.truncated_file");
}

TEST(GgufHostile, Values) {
  EXPECT_EQ(id_of_reading(GgufWriter().key("k", 13, std::string(8, 'x')).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().key("k", 7, "\2").bytes()), "data.gguf_header");
  const std::string nested = GgufWriter::raw<uint32_t>(9) + GgufWriter::raw<uint64_t>(1) + std::string(16, '\0');
  EXPECT_EQ(id_of_reading(GgufWriter().key("k", 9, nested).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().key_u32("k", 1).key_u32("k", 1).bytes()), "data.gguf_header");
  const std::string too_large =
      GgufWriter::raw<uint32_t>(10) + GgufWriter::raw<uint64_t>(1) + GgufWriter::raw<uint64_t>(UINT64_MAX);
  EXPECT_EQ(id_of_reading(GgufWriter().key("k", 9, too_large).bytes()), "data.gguf_header");
}

TEST(GgufHostile, TensorShapesAndOffsets) {
  const std::string data(64, 'x');
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {}, 0, data).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {1, 1, 1, 1, 1}, 0, data).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {33}, 8, data).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {uint64_t{1} << 62, 8}, 0, data).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {UINT64_MAX}, 0, data).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {1000}, 0, data).bytes()), "data.truncated_file");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor_at("t", {4}, 0, 8, data).bytes()), "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor_at("t", {4}, 0, uint64_t{1} << 60, data).bytes()), "data.truncated_file");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor_at("t", {4}, 0, UINT64_MAX - 31, data).bytes()), "data.truncated_file");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {4}, 0, data).tensor_at("u", {4}, 0, 0, "").bytes()),
            "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().tensor("t", {4}, 0, data).tensor("t", {4}, 0, data).bytes()),
            "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().key_u32("general.alignment", 0).tensor("t", {4}, 0, data).bytes()),
            "data.gguf_header");
  EXPECT_EQ(id_of_reading(GgufWriter().key_u32("general.alignment", 48).tensor("t", {4}, 0, data).bytes()),
            "data.gguf_header");
}

TEST(GgufHostile, EveryTruncationIsAnError) {
  const std::string good = good_writer().bytes();
  ASSERT_EQ(id_of_reading(good), "read");
  // The last 16 bytes are padding after the last tensor.
  for (size_t length = 0; length < good.size() - 16; ++length) {
    EXPECT_NE(id_of_reading(good.substr(0, length)), "read") << length;
  }
}

TEST(GgufHostile, FlippedBytesNeverCrash) {
  const std::string good = good_writer().bytes();
  CounterRng rng(StreamKey{.seed = 8});
  for (int i = 0; i < 2000; ++i) {
    std::string bad = good;
    const uint64_t num_flips = 1 + rng.next_below(4);
    for (uint64_t f = 0; f < num_flips; ++f) bad[rng.next_below(bad.size())] = static_cast<char>(rng.next_u64());
    id_of_reading(bad);
  }
}

}  // namespace
}  // namespace plumbline
