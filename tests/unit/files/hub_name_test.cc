#include "plumbline/files/hub_name.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(HubName, ReadsRepositoryFileAndRevision) {
  const HubName plain = *parse_hub_name("Qwen/Qwen3-0.6B");
  EXPECT_EQ(plain.repository, "Qwen/Qwen3-0.6B");
  EXPECT_EQ(plain.revision, "main");
  EXPECT_EQ(plain.file, "");
  const HubName pinned = *parse_hub_name("a/b_c.d@refs/pr/7");
  EXPECT_EQ(pinned.repository, "a/b_c.d");
  EXPECT_EQ(pinned.revision, "refs/pr/7");
  const HubName gguf = *parse_hub_name("a/b/quants/m.Q4_0.gguf@v1.0");
  EXPECT_EQ(gguf.repository, "a/b");
  EXPECT_EQ(gguf.file, "quants/m.Q4_0.gguf");
  EXPECT_EQ(gguf.revision, "v1.0");
  for (const char* text : {"Qwen/Qwen3-0.6B", "a/b_c.d@refs/pr/7", "a/b/quants/m.Q4_0.gguf@v1.0"}) {
    EXPECT_EQ(parse_hub_name(text)->text(), text);
  }
  EXPECT_EQ(parse_hub_name("a/b@main")->text(), "a/b");
}

TEST(HubName, PathsAndOtherWordsAreNoNames) {
  for (const char* text : {"",
                           "model",
                           "/a/b",
                           "./a/b",
                           "../a",
                           "~/a",
                           "a/",
                           "/b",
                           "a//b",
                           "a/b/c",
                           "a/b/",
                           "models/tiny.gguf",
                           "models/tiny",
                           "a/b/../c.gguf",
                           "a/b/c.gguf/d",
                           "a/..",
                           "-a/b",
                           "a/b-",
                           ".a/b",
                           "a/b.",
                           "a/b--c",
                           "a/b.git",
                           "a b/c",
                           "a/b@",
                           "a/b@../x",
                           "a/b@/x",
                           "a/b@x//y",
                           "a/b@x@y",
                           "a/b@x\\y",
                           "a/b\n",
                           "a/\xC3\xA9"}) {
    EXPECT_FALSE(parse_hub_name(text)) << text;
  }
  EXPECT_FALSE(parse_hub_name("a/" + std::string(97, 'b')));
  EXPECT_TRUE(parse_hub_name("a/" + std::string(96, 'b')));
}

TEST(SafeRelativePath, StaysInItsFolder) {
  for (const char* path : {"a", "a/b.json", "..a", "a..b/c", ".gitattributes"})
    EXPECT_TRUE(is_safe_relative_path(path)) << path;
  for (const char* path : {"", "/a", "a/", "..", "a/../b", "./a", "a//b", "a\\b", "a\tb", "a\x7F"}) {
    EXPECT_FALSE(is_safe_relative_path(path)) << path;
  }
  EXPECT_FALSE(is_safe_relative_path(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace plumbline
