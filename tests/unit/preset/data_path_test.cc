#include "plumbline/preset/data_path.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "plumbline/base/error.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// Points PLUMBLINE_HOME at a folder of the test's own.
class DataPath : public ::testing::Test {
 protected:
  DataPath() {
    ::setenv("PLUMBLINE_HOME", folder_.path().c_str(), 1);
    std::filesystem::create_directories(folder_.file("data/mine"));
    folder_.write("data/mine/a.jsonl", "");
  }
  ~DataPath() override { ::unsetenv("PLUMBLINE_HOME"); }

  test::TemporaryFolder folder_;
};

TEST_F(DataPath, ExistingPathsStayAsTheyAre) {
  EXPECT_EQ(resolve_data_path(folder_.file("data/mine/a.jsonl")), folder_.file("data/mine/a.jsonl"));
}

TEST_F(DataPath, ShippedDataIsFoundFromAnyFolder) {
  EXPECT_EQ(resolve_data_path("data/mine/a.jsonl"), folder_.file("data/mine/a.jsonl"));
}

TEST_F(DataPath, AMissingFileNamesItsPlace) {
  for (const char* path : {"data/mine/none.jsonl", "other/none.jsonl", "/nowhere/none.jsonl"}) {
    try {
      resolve_data_path(path);
      ADD_FAILURE() << path;
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), "data.missing_file");
      EXPECT_EQ(error.where(), path);
    }
  }
}

}  // namespace
}  // namespace plumbline
