#include "plumbline/steer/contrast_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

ContrastPairs shipped() {
  return load_contrast_pairs(test::source_path("data/pairs/hack_pairs.jsonl"));
}

TEST(ContrastPairs, ShippedFileIsTheLockedOne) {
  EXPECT_FALSE(shipped().modified());
  EXPECT_FALSE(load_contrast_pairs("").modified());
}

TEST(ContrastPairs, AnyEditIsSeen) {
  const test::TemporaryFolder folder;
  const std::string text = read_file(shipped().path);
  EXPECT_TRUE(load_contrast_pairs(folder.write("a.jsonl", text + "\n")).modified());
  EXPECT_TRUE(
      load_contrast_pairs(folder.write("b.jsonl", text.substr(0, text.rfind('\n', text.size() - 2)))).modified());
  EXPECT_FALSE(load_contrast_pairs(folder.write("c.jsonl", text)).modified());
  EXPECT_TRUE(load_contrast_pairs(placebo_pairs_path()).modified());
  EXPECT_FALSE(load_contrast_pairs(shipped_folder("data") + "/tiny/hack_pairs.jsonl").modified());
}

TEST(ContrastPairs, ShippedFileHasFourFlavorsOfFiveProblemsWithOneHeldOutAProblem) {
  std::map<std::string, int> flavors, held_out;
  std::set<std::string> problems;
  const ContrastPairs file = shipped();
  for (const ContrastPair& pair : file.pairs) {
    ++flavors[pair.flavor];
    problems.insert(pair.problem);
    held_out[pair.problem] += pair.held_out ? 1 : 0;
  }
  EXPECT_EQ(file.pairs.size(), 20u);
  EXPECT_EQ(problems.size(), 5u);
  EXPECT_EQ(flavors, (std::map<std::string, int>{{"A", 5}, {"B", 5}, {"C", 5}, {"D", 5}}));
  for (const auto& [problem, count] : held_out) EXPECT_EQ(count, 1) << problem;
}

TEST(ContrastPairs, PlaceboFileHasTheSameShape) {
  const ContrastPairs hack = shipped(), placebo = load_contrast_pairs(placebo_pairs_path());
  ASSERT_EQ(placebo.pairs.size(), hack.pairs.size());
  for (size_t i = 0; i < hack.pairs.size(); ++i) {
    EXPECT_EQ(placebo.pairs[i].problem, hack.pairs[i].problem);
    EXPECT_EQ(placebo.pairs[i].held_out, hack.pairs[i].held_out);
  }
}

TEST(ContrastPairs, FlavorsAreKeptInOrderAndUnknownOnesRefused) {
  const std::vector<ContrastPair> pairs = shipped().pairs;
  EXPECT_EQ(select_flavors(pairs, {}).size(), 20u);
  EXPECT_EQ(select_flavors(pairs, {"A"}).size(), 5u);
  EXPECT_EQ(select_flavors(pairs, {"D", "B"}).size(), 10u);
  EXPECT_EQ(select_flavors(pairs, {"D", "B"}).front().flavor, "B");
  try {
    select_flavors(pairs, {"A", "E"});
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.line(), testing::AllOf(testing::HasSubstr("'E'"), testing::HasSubstr("A, B, C, D")));
  }
}

constexpr const char* kRow =
    R"({"id":"i","problem":"p","flavor":"A","held_out":false,"prompt":[{"role":"user","content":"x"}],"hack":"h","clean":"c"})";

std::string with(const std::string& from, const std::string& to) {
  std::string row = kRow;
  row.replace(row.find(from), from.size(), to);
  return row + "\n";
}

TEST(ContrastPairs, BrokenRowsAreRefusedWithTheirLine) {
  const test::TemporaryFolder folder;
  const std::string good = std::string(kRow) + "\n";
  EXPECT_EQ(load_contrast_pairs(folder.write("good.jsonl", "\n" + good)).pairs.size(), 1u);
  const std::vector<std::string> broken = {
      with("\"id\":\"i\",", ""),
      with("\"id\":\"i\"", "\"id\":7"),
      with("\"A\"", "\"\""),
      with("false", "0"),
      with("[{\"role\":\"user\",\"content\":\"x\"}]", "\"x\""),
      with("[{\"role\":\"user\",\"content\":\"x\"}]", "[]"),
      with("[{\"role\":\"user\",\"content\":\"x\"}]", "[\"x\"]"),
      with("\"content\":\"x\"", "\"text\":\"x\""),
      with("\"clean\":\"c\"", "\"clean\":\"h\""),
      "[]\n",
      "{\n",
      good,  // its id stands in the line before
  };
  for (const std::string& row : broken) {
    const std::string first = row == good ? good : with("\"i\"", "\"first\"");
    const std::string path = folder.write("bad.jsonl", first + row);
    try {
      load_contrast_pairs(path);
      ADD_FAILURE() << "accepted: " << row;
    } catch (const DataError& error) {
      EXPECT_THAT(error.where(), testing::HasSubstr(path + ":2")) << row;
    }
  }
  EXPECT_THROW(load_contrast_pairs(folder.write("empty.jsonl", "\n\n")), DataError);
  EXPECT_THROW(load_contrast_pairs(folder.file("nowhere.jsonl")), DataError);
}

}  // namespace
}  // namespace plumbline
