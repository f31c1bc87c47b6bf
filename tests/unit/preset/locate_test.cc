#include "plumbline/preset/locate.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "plumbline/base/error.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// Points PLUMBLINE_HOME and PLUMBLINE_CACHE at a folder of the test's own.
class Locate : public ::testing::Test {
 protected:
  Locate() {
    ::setenv("PLUMBLINE_HOME", folder_.path().c_str(), 1);
    ::setenv("PLUMBLINE_CACHE", folder_.path().c_str(), 1);
    std::filesystem::create_directories(folder_.file("data/problems"));
    std::filesystem::create_directories(folder_.file("models/a-folder"));
    folder_.write("data/problems/a.jsonl", "");
    folder_.write("models/tiny.Q4_1.gguf", "");
  }
  ~Locate() override {
    ::unsetenv("PLUMBLINE_HOME");
    ::unsetenv("PLUMBLINE_CACHE");
  }

  test::TemporaryFolder folder_;
};

TEST_F(Locate, ExistingPathsStayAsTheyAre) {
  const std::string path = folder_.file("data/problems/a.jsonl");
  EXPECT_EQ(locate_data(path), path);
  EXPECT_EQ(locate_model(folder_.file("models/a-folder")), folder_.file("models/a-folder"));
}

TEST_F(Locate, ShippedDataIsFoundFromAnyFolder) {
  EXPECT_EQ(locate_data("data/problems/a.jsonl"), folder_.file("data/problems/a.jsonl"));
}

TEST_F(Locate, ModelNamesResolveThroughTheCache) {
  EXPECT_EQ(locate_model("tiny.Q4_1"), folder_.file("models/tiny.Q4_1.gguf"));
  EXPECT_EQ(locate_model("a-folder"), folder_.file("models/a-folder"));
}

TEST_F(Locate, MissingFilesNameTheirPlace) {
  const auto id_of = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const DataError& error) {
      return error.id();
    }
    return "accepted";
  };
  EXPECT_EQ(id_of([] { locate_data("data/problems/none.jsonl"); }), "data.missing_file");
  EXPECT_EQ(id_of([] { locate_data("other/none.jsonl"); }), "data.missing_file");
  EXPECT_EQ(id_of([] { locate_data("/nowhere/none.jsonl"); }), "data.missing_file");
  EXPECT_EQ(id_of([] { locate_model("Qwen/None"); }), "data.missing_model");
  EXPECT_EQ(id_of([] { locate_model("/nowhere/none.gguf"); }), "data.missing_model");
}

}  // namespace
}  // namespace plumbline
