#include "plumbline/record/jsonl.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

std::string gzip(const std::string& path, const std::string& text) {
  gzFile file = ::gzopen(path.c_str(), "wb");
  ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(file);
  return path;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  for (JsonlReader reader(path); reader.next();) {
    lines.push_back(std::to_string(reader.line_number()) + ":" + reader.line());
  }
  return lines;
}

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id() + " " + error.where();
  }
  return "none";
}

TEST(JsonlReader, SkipsMarksCarriageReturnsAndBlankLines) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a", "\xEF\xBB\xBF{\"a\":1}\r\n\r\n  \n[2]\n3");
  EXPECT_EQ(lines_of(path), (std::vector<std::string>{"1:{\"a\":1}", "4:[2]", "5:3"}));
}

TEST(JsonlReader, ReadsLinesLongerThanItsBlocks) {
  const test::TemporaryFolder folder;
  const std::string longer = "\"" + std::string(300000, 'x') + "\"";
  const std::string path = folder.write("a", longer + "\n1\n" + longer + "\n");
  EXPECT_EQ(lines_of(path), (std::vector<std::string>{"1:" + longer, "2:1", "3:" + longer}));
}

TEST(JsonlReader, ReadsGzipByItsMagic) {
  const test::TemporaryFolder folder;
  const std::string path = gzip(folder.file("named_without_gz"), "{\"a\":1}\n{\"a\":2}\n");
  EXPECT_EQ(lines_of(path), (std::vector<std::string>{"1:{\"a\":1}", "2:{\"a\":2}"}));
}

TEST(JsonlReader, ACutGzipFileIsAnError) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  const std::string whole = read_file(gzip(folder.file("a.gz"), text));
  const std::string cut = folder.write("cut.gz", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(error_of([&] { lines_of(cut); }), "data.truncated_file " + cut);
}

TEST(JsonlReader, ACutLastLineIsNamed) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a", "{\"a\":1}\n{\"a\":");
  JsonlReader reader(path);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.line_ended());
  EXPECT_EQ(reader.parse()["a"], 1);
  ASSERT_TRUE(reader.next());
  EXPECT_FALSE(reader.line_ended());
  EXPECT_EQ(error_of([&] { reader.parse(); }), "data.truncated_file " + path + ":2");
  EXPECT_EQ(error_of([&] { reader.parse_exact(); }), "data.truncated_file " + path + ":2");
  EXPECT_FALSE(reader.next());
}

TEST(JsonlReader, ABrokenLineInTheMiddleIsNotCut) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a", "{\"a\":\n{\"a\":1}\n");
  JsonlReader reader(path);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(error_of([&] { reader.parse(); }).starts_with("data.json " + path + ":1"));
}

TEST(JsonlReader, MissingFilesAndFoldersAreErrors) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(error_of([&] { JsonlReader(folder.file("none")); }).starts_with("data.missing_file"));
  EXPECT_TRUE(error_of([&] { JsonlReader(folder.path()); }).starts_with("data.unreadable_file"));
}

TEST(JsonlWriter, AppendsWholeRows) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("rows");
  {
    JsonlWriter writer(path);
    writer.write("{\"a\":1}");
    EXPECT_EQ(read_file(path), "{\"a\":1}\n");  // visible before the writer is gone
  }
  JsonlWriter writer(path);
  EXPECT_FALSE(writer.removed_cut_line());
  writer.write("2");
  EXPECT_EQ(read_file(path), "{\"a\":1}\n2\n");
}

TEST(JsonlWriter, RemovesWhatAKilledWriterLeft) {
  const test::TemporaryFolder folder;
  const std::string rest(200000, 'x');  // longer than one block
  const std::string path = folder.write("rows", "1\n22\n" + rest);
  JsonlWriter writer(path);
  EXPECT_TRUE(writer.removed_cut_line());
  writer.write("3");
  EXPECT_EQ(read_file(path), "1\n22\n3\n");
  const std::string only = folder.write("only", "no line end");
  JsonlWriter second(only);
  EXPECT_EQ(read_file(only), "");
}

TEST(JsonlWriter, AFullDiskIsAnError) {
  JsonlWriter writer("/dev/full");
  EXPECT_EQ(error_of([&] { writer.write("1"); }), "data.unwritable /dev/full");
  EXPECT_TRUE(error_of([] { JsonlWriter("/no/such/folder/file"); }).starts_with("data.unwritable"));
}

}  // namespace
}  // namespace plumbline
