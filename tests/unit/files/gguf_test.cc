#include "plumbline/files/gguf.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using test::GgufWriter;

TEST(Gguf, ReadsEveryKindOfValueAndTensor) {
  const test::TemporaryFolder folder;
  for (const uint32_t version : {2u, 3u}) {
    GgufWriter writer;
    writer.version = version;
    writer.key_u32("u", 4'000'000'000u)
        .key("i", 5, GgufWriter::raw<int32_t>(-7))
        .key_f32("f", 0.5f)
        .key("d", 12, GgufWriter::raw<double>(0.1))
        .key("yes", 7, std::string(1, '\1'))
        .key_text("name", "llama")
        .key("texts", 9,
             GgufWriter::raw<uint32_t>(8) + GgufWriter::raw<uint64_t>(2) + GgufWriter::text("a") + GgufWriter::text(""))
        .key("ints", 9,
             GgufWriter::raw<uint32_t>(5) + GgufWriter::raw<uint64_t>(2) + GgufWriter::raw<int32_t>(3) +
                 GgufWriter::raw<int32_t>(-4))
        .tensor("w", {3, 2}, 0, std::string(24, 'w'))
        .tensor("q", {32, 2}, 3, std::string(40, 'q'));
    const GgufFile file(folder.write("a.gguf", writer.bytes()));
    EXPECT_EQ(file.integer("u"), 4'000'000'000);
    EXPECT_EQ(file.integer("i"), -7);
    EXPECT_EQ(file.real("f"), 0.5);
    EXPECT_EQ(file.real("d"), 0.1);
    EXPECT_TRUE(file.boolean("yes"));
    EXPECT_EQ(file.text("name"), "llama");
    EXPECT_EQ(file.texts("texts"), (std::vector<std::string>{"a", ""}));
    EXPECT_EQ(file.integers("ints"), (std::vector<int64_t>{3, -4}));
    ASSERT_EQ(file.tensors().size(), 2u);
    EXPECT_EQ(file.find("w")->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(file.find("w")->bytes, std::string(24, 'w'));
    EXPECT_EQ(file.find("q")->dtype, "Q4_1");
    EXPECT_EQ(file.find("q")->bytes, std::string(40, 'q'));
  }
}

TEST(Gguf, NamesMissingKeysAndWrongTypes) {
  const test::TemporaryFolder folder;
  const GgufFile file(folder.write("a.gguf", GgufWriter().key_text("name", "x").bytes()));
  try {
    file.integer("llama.block_count");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.gguf_missing_key");
    EXPECT_NE(error.message().find("llama.block_count"), std::string::npos);
  }
  try {
    file.integer("name");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.gguf_key_type");
  }
}

TEST(Gguf, AnUnknownTensorTypeIsNamedWithItsTensor) {
  const test::TemporaryFolder folder;
  try {
    const GgufFile file(
        folder.write("a.gguf", GgufWriter().tensor("blk.0.odd", {32}, 39, std::string(32, 'x')).bytes()));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.gguf_type");
    EXPECT_NE(error.message().find("blk.0.odd"), std::string::npos);
    EXPECT_NE(error.message().find("39"), std::string::npos);
  }
}

TEST(Gguf, ReadsSmolLM2) {
  PL_NEED_SMOLLM2();
  const GgufFile file(test::smollm2_path());
  EXPECT_EQ(file.text("general.architecture"), "llama");
  EXPECT_EQ(file.integer("llama.block_count"), 30);
  EXPECT_EQ(file.texts("tokenizer.ggml.tokens").size(), 49152u);
  EXPECT_EQ(file.tensors().size(), 272u);
  EXPECT_EQ(file.find("blk.0.attn_k.weight")->shape, (std::vector<int64_t>{192, 576}));
}

}  // namespace
}  // namespace plumbline
