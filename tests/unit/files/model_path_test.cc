#include "plumbline/files/model_path.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "plumbline/base/error.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// Points PLUMBLINE_CACHE at a folder of the test's own.
class ModelPath : public ::testing::Test {
 protected:
  ModelPath() {
    ::setenv("PLUMBLINE_CACHE", folder_.path().c_str(), 1);
    std::filesystem::create_directories(folder_.file("models/a-folder"));
    folder_.write("models/tiny.Q4_1.gguf", "");
  }
  ~ModelPath() override { ::unsetenv("PLUMBLINE_CACHE"); }

  test::TemporaryFolder folder_;
};

TEST_F(ModelPath, ExistingPathsStayAsTheyAre) {
  EXPECT_EQ(resolve_model_path(folder_.file("models/a-folder")), folder_.file("models/a-folder"));
}

TEST_F(ModelPath, NamesResolveThroughTheCache) {
  EXPECT_EQ(resolve_model_path("tiny.Q4_1"), folder_.file("models/tiny.Q4_1.gguf"));
  EXPECT_EQ(resolve_model_path("a-folder"), folder_.file("models/a-folder"));
}

TEST_F(ModelPath, AShippedModelIsFoundFromAnyFolder) {
  const test::TemporaryFolder home;
  std::filesystem::create_directories(home.file("models/small"));
  ::setenv("PLUMBLINE_HOME", home.path().c_str(), 1);
  EXPECT_EQ(resolve_model_path("models/small"), home.file("models/small"));
  EXPECT_THROW(resolve_model_path("models/none"), DataError);
  ::unsetenv("PLUMBLINE_HOME");
}

TEST_F(ModelPath, AMissingModelNamesThePlace) {
  for (const char* path : {"Qwen/None", "/nowhere/none.gguf", ""}) {
    try {
      resolve_model_path(path);
      ADD_FAILURE() << path;
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), "data.missing_model");
      EXPECT_EQ(error.where(), folder_.path() + "/models/" + path);
    }
  }
}

}  // namespace
}  // namespace plumbline
