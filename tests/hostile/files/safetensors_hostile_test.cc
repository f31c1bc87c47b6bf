/// Malformed safetensors files: every one is a DataError with a stable id, never a crash or a silent read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"
#include "plumbline/files/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

std::string file_of(const std::string& header, const std::string& data, uint64_t announced = UINT64_MAX) {
  const uint64_t length = announced == UINT64_MAX ? header.size() : announced;
  std::string content(8, '\0');
  for (size_t i = 0; i < 8; ++i) content[i] = static_cast<char>(length >> (8 * i));
  return content + header + data;
}

std::string id_of_reading(const std::string& content) {
  const test::TemporaryFolder folder;
  try {
    const SafetensorsFile file(folder.write("bad.safetensors", content));
    return "read";
  } catch (const DataError& error) {
    EXPECT_NE(error.where().find("byte "), std::string::npos) << error.line();
    return error.id();
  }
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

TEST(SafetensorsHostile, HeaderLength) {
  EXPECT_EQ(id_of_reading(""), "data.truncated_file");
  EXPECT_EQ(id_of_reading("1234567"), "data.truncated_file");
  EXPECT_EQ(id_of_reading(file_of("{}", "", 3)), "data.truncated_file");
  EXPECT_EQ(id_of_reading(file_of("{}", "", 1ull << 40)), "data.safetensors_header");
  EXPECT_EQ(id_of_reading(file_of("{}", "", UINT64_MAX - 7)), "data.safetensors_header");
  EXPECT_EQ(id_of_reading(file_of("{}", "", 0)), "data.safetensors_header");
  EXPECT_EQ(id_of_reading(file_of("{}", "")), "read");
}

TEST(SafetensorsHostile, HeaderJson) {
  for (const char* header : {"[]", "null", "{", "{\"a\":1}", "{\"a\":{}}", "{\"__metadata__\":[]}",
                             "{\"__metadata__\":{\"a\":1}}", "{\"a\":{\"dtype\":1}}", "\xff\xfe", "{}{}"}) {
    EXPECT_EQ(id_of_reading(file_of(header, "")), "data.safetensors_header") << header;
  }
  EXPECT_EQ(id_of_reading(file_of(std::string(100'000, '[') + std::string(100'000, ']'), "")),
            "data.safetensors_header");
  const std::string twice = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                            R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})";
  EXPECT_EQ(id_of_reading(file_of(twice, "xy")), "data.safetensors_header");
}

TEST(SafetensorsHostile, ShapesAndOffsets) {
  EXPECT_EQ(id_of_reading(file_of(entry("F32", "[2]", "[0,8]"), "12345678")), "read");
  EXPECT_EQ(id_of_reading(file_of(entry("F32", "[2]", "[0,8]"), "1234567")), "data.truncated_file");
  EXPECT_EQ(id_of_reading(file_of(entry("F32", "[2]", "[0,9223372036854775807]"), "1")), "data.truncated_file");
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"[3]", "[0,8]"},
      {"[-2]", "[0,8]"},
      {"[2.0]", "[0,8]"},
      {"2", "[0,8]"},
      {"[2]", "[8,0]"},
      {"[2]", "[0,8,8]"},
      {"[2]", "[0]"},
      {"[2]", "[-8,0]"},
      {"[1]", "[4,8]"},
      {"[1]", "[0,4]"},
      {"[2]", "null"},
      {"[18446744073709551615]", "[0,8]"},
      {"[4611686018427387904,2]", "[0,8]"},
      {"[4611686018427387904,4611686018427387904,4]", "[0,0]"}};
  for (const auto& [shape, offsets] : bad) {
    EXPECT_EQ(id_of_reading(file_of(entry("F32", shape, offsets), "12345678")), "data.safetensors_header")
        << shape << offsets;
  }
  EXPECT_EQ(id_of_reading(file_of(entry("F33", "[2]", "[0,8]"), "12345678")), "data.safetensors_header");
}

TEST(SafetensorsHostile, OverlapsAndHoles) {
  const auto two = [](const std::string& a, const std::string& b) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + a +
           R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + b + "}}";
  };
  EXPECT_EQ(id_of_reading(file_of(two("[0,2]", "[2,4]"), "abcd")), "read");
  EXPECT_EQ(id_of_reading(file_of(two("[0,2]", "[1,3]"), "abc")), "data.safetensors_header");
  EXPECT_EQ(id_of_reading(file_of(two("[0,2]", "[0,2]"), "ab")), "data.safetensors_header");
  EXPECT_EQ(id_of_reading(file_of(two("[0,2]", "[3,5]"), "abcde")), "data.safetensors_header");
  EXPECT_EQ(id_of_reading(file_of(two("[0,2]", "[2,4]"), "abcde")), "data.safetensors_header");
}

TEST(SafetensorsHostile, VeryManyTensorsDoNotTakeForever) {
  std::string header = "{";
  for (int i = 0; i < 100'000; ++i) {
    header += fmt::format("{}\"model.layers.{}.weight\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
                          i == 0 ? "" : ",", i);
  }
  EXPECT_EQ(id_of_reading(file_of(header + "}", "")), "read");
}

TEST(SafetensorsHostile, FlippedBytesNeverCrash) {
  const std::string good =
      file_of(R"({"__metadata__":{"f":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
              R"("b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})",
              "12345678xyz");
  ASSERT_EQ(id_of_reading(good), "read");
  CounterRng rng(StreamKey{.seed = 7});
  for (int i = 0; i < 2000; ++i) {
    std::string bad = good;
    const uint64_t num_flips = 1 + rng.next_below(3);
    for (uint64_t f = 0; f < num_flips; ++f) bad[rng.next_below(bad.size())] = static_cast<char>(rng.next_u64());
    if (rng.next_below(4) == 0) bad.resize(rng.next_below(bad.size()));
    id_of_reading(bad);
  }
}

}  // namespace
}  // namespace plumbline
