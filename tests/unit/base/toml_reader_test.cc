#include "plumbline/base/toml_reader.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

TEST(TomlReader, StringsAndCommentsHoldAnyCharacters) {
  const TomlValue root = parse_toml(
      "\xEF\xBB\xBF# caf\u00e9 'not a string\n"
      "a = \"\u00e9 \\\" \u00e9 # no comment\"  # \u00e9\n"
      "b = '\u00e9 \\'\n"
      "c = \"\"\"\u00e9\n\"\u00e9\"\"\"\n"
      "d = '''\u00e9\n'\u00e9'''\n"
      "'\u00e9' = 1\n",
      "here");
  ASSERT_EQ(root.children.size(), 5u);
  EXPECT_EQ(root.children[0].text, "\u00e9 \" \u00e9 # no comment");
  EXPECT_EQ(root.children[1].text, "\u00e9 \\");
  EXPECT_EQ(root.children[2].text, "\u00e9\n\"\u00e9");
  EXPECT_EQ(root.children[3].text, "\u00e9\n'\u00e9");
  EXPECT_EQ(root.children[4].key, "\u00e9");
}

TEST(TomlReader, CharactersBeyondAsciiElsewhereAreRefusedWithTheirLine) {
  for (const char* text :
       {"a = 1\n[\u00e9]\n", "a = 1\nb\u00e9 = 2", "a = 'x'\n\u00a0b = 1", "a = \"x\nb = \u00e9\""}) {
    try {
      parse_toml(text, "here");
      FAIL() << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(error.line().find("here:2"), std::string::npos) << error.line();
    }
  }
}

}  // namespace
}  // namespace plumbline
