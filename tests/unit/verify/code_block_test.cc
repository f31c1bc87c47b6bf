#include "plumbline/verify/code_block.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(CodeBlock, TakesTheBodyOfAPythonFence) {
  EXPECT_EQ(extract_code("Look:\n```python\nx = 1\ny = 2\n```\nDone."), "x = 1\ny = 2\n");
}

TEST(CodeBlock, TagMayBeAbsentShortOrUpperCase) {
  for (const char* tag : {"", "py", "PY", "Python", "PYTHON"}) {
    EXPECT_EQ(extract_code("```" + std::string(tag) + "\nx\n```"), "x\n") << tag;
  }
}

TEST(CodeBlock, OpenFenceRunsToTheEnd) {
  EXPECT_EQ(extract_code("```python\nx = 1"), "x = 1\n");
}

TEST(CodeBlock, BlocksAreJoinedByABlankLine) {
  EXPECT_EQ(extract_code("```python\na\n```\ntext\n```py\nb\n```\n"), "a\n\nb\n");
}

TEST(CodeBlock, OtherLanguagesAreSkippedWhole) {
  EXPECT_EQ(extract_code("```bash\nls\n```\nprose is no code\n```python\nx\n```"), "x\n");
  EXPECT_EQ(extract_code("```cpp\nint x;\n```"), std::nullopt);
}

TEST(CodeBlock, WindowsLineEndsChangeNothing) {
  EXPECT_EQ(extract_code("```python\r\na\r\nb\r\n```\r\n"), "a\nb\n");
}

TEST(CodeBlock, LongerFenceKeepsShorterOnesInside) {
  EXPECT_EQ(extract_code("````python\ns = '''\n```\n'''\n````\n"), "s = '''\n```\n'''\n");
}

TEST(CodeBlock, KeepsTabsNulAndOtherBytes) {
  using std::string_literals::operator""s;
  EXPECT_EQ(extract_code("```python\n\tx\0\xff\n```"s), "\tx\0\xff\n"s);
}

TEST(CodeBlock, NoFenceOrAnEmptyOneIsNoCode) {
  EXPECT_EQ(extract_code(""), std::nullopt);
  EXPECT_EQ(extract_code("def f(): pass"), std::nullopt);
  EXPECT_EQ(extract_code("inline ```code``` only"), std::nullopt);
  EXPECT_EQ(extract_code("```python\n \n\t\n```"), std::nullopt);
}

}  // namespace
}  // namespace plumbline
