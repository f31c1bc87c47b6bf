#include "plumbline/base/gzip.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

/// `printf 'hello hello hello\n' | gzip -n9`, written by GNU gzip.
const std::string kHello(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00"
    "\x00",
    29);

std::string id_of_error(const std::string& bytes, size_t max_bytes = 1000) {
  try {
    gunzip(bytes, "x.gz", max_bytes);
  } catch (const DataError& error) {
    return error.id();
  }
  return "none";
}

TEST(Gzip, InflatesOneAndSeveralMembers) {
  EXPECT_EQ(gunzip(kHello, "x.gz", 1000), "hello hello hello\n");
  EXPECT_EQ(gunzip(kHello + kHello, "x.gz", 1000), "hello hello hello\nhello hello hello\n");
}

TEST(Gzip, EveryCutIsAnError) {
  for (size_t length = 0; length < kHello.size(); ++length) {
    EXPECT_EQ(id_of_error(kHello.substr(0, length)), "data.truncated_file") << length;
  }
}

TEST(Gzip, CorruptionAndSizeAreErrors) {
  std::string broken = kHello;
  broken[22] ^= 1;  // the checksum
  EXPECT_EQ(id_of_error(broken), "data.gzip");
  EXPECT_EQ(id_of_error("not gzip at all"), "data.gzip");
  EXPECT_EQ(id_of_error(kHello, 10), "data.too_large");
}

}  // namespace
}  // namespace plumbline
