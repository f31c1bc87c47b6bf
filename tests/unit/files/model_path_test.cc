#include "plumbline/files/model_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "plumbline/base/error.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Points PLUMBLINE_CACHE and HF_HOME at a folder of the test's own.
class ModelPath : public ::testing::Test {
 protected:
  ModelPath() {
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
      ::unsetenv(name);
    }
    ::setenv("PLUMBLINE_CACHE", folder_.path().c_str(), 1);
    ::setenv("HF_HOME", folder_.file("hf").c_str(), 1);
    fs::create_directories(folder_.file("models/a-folder"));
    folder_.write("models/tiny.Q4_1.gguf", "");
  }
  ~ModelPath() override {
    for (const char* name : {"PLUMBLINE_CACHE", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE"}) ::unsetenv(name);
  }
  /// A snapshot in the layout of huggingface_hub, whole unless `without` names a file.
  std::string make_snapshot(const std::string& cache, const std::string& revision, const std::string& without = "") {
    const std::string root = cache + "/models--org--name", snapshot = root + "/snapshots/" + commit_;
    fs::create_directories(snapshot);
    fs::create_directories(fs::path(root + "/refs/" + revision).parent_path());
    fs::create_directories(root + "/blobs");
    write(root + "/refs/" + revision, commit_);
    for (const char* name : {"config.json", "tokenizer.json", "model.safetensors"}) {
      fs::create_symlink(std::string("../../blobs/") + name, snapshot + "/" + name);
      if (name != without) write(root + "/blobs/" + name, "x");
    }
    return snapshot;
  }
  static void write(const std::string& path, const std::string& text) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }

  const std::string commit_ = std::string(40, 'a');
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

TEST_F(ModelPath, HubNamesResolveThroughTheHuggingFaceCache) {
  const std::string snapshot = make_snapshot(folder_.file("hf/hub"), "main");
  EXPECT_EQ(resolve_model_path("org/name"), snapshot);
  EXPECT_EQ(resolve_model_path("org/name@main"), snapshot);
  EXPECT_EQ(resolve_model_path("org/name@" + commit_), snapshot);
  EXPECT_FALSE(find_model("org/name@v2"));
  EXPECT_FALSE(find_model("org/name@" + std::string(40, 'b')));
  EXPECT_FALSE(find_model("org/name/m.gguf"));
  EXPECT_THAT(describe_model("org/name"), HasSubstr(snapshot));
}

TEST_F(ModelPath, TheCacheFolderIsWhereHuggingfaceHubHasIt) {
  ::setenv("HF_HUB_CACHE", folder_.file("elsewhere").c_str(), 1);
  const std::string snapshot = make_snapshot(folder_.file("elsewhere"), "refs/pr/1");
  EXPECT_EQ(resolve_model_path("org/name@refs/pr/1"), snapshot);
}

TEST_F(ModelPath, AFolderOfTheSameNameWins) {
  make_snapshot(folder_.file("hf/hub"), "main");
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  fs::create_directories("org/name");
  EXPECT_EQ(resolve_model_path("org/name"), "org/name");
  fs::current_path(before);
}

TEST_F(ModelPath, ASnapshotThatLacksABlobIsNotTaken) {
  for (const char* missing : {"model.safetensors", "config.json", "tokenizer.json"}) {
    fs::remove_all(folder_.file("hf"));
    make_snapshot(folder_.file("hf/hub"), "main", missing);
    EXPECT_FALSE(find_model("org/name")) << missing;
    EXPECT_EQ(find_model("org/name", ModelNeed::kText).has_value(), std::string(missing) != "tokenizer.json")
        << missing;
  }
}

TEST_F(ModelPath, ADamagedRefIsNoCommit) {
  make_snapshot(folder_.file("hf/hub"), "main");
  for (const char* text : {"", "../../../etc", "aaaa"}) {
    write(folder_.file("hf/hub/models--org--name/refs/main"), text);
    EXPECT_FALSE(find_model("org/name")) << text;
  }
}

TEST_F(ModelPath, AMissingModelListsWhatWasTried) {
  for (const char* path : {"Qwen/None", "/nowhere/none.gguf", "none", ""}) {
    try {
      resolve_model_path(path);
      ADD_FAILURE() << path;
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), "data.missing_model");
      if (path[0] == '/') {  // no name that the cache folder could hold
        EXPECT_EQ(error.where(), path);
        continue;
      }
      EXPECT_EQ(error.where(), folder_.path() + "/models/" + path);
      EXPECT_THAT(error.message(), HasSubstr(folder_.path() + "/models"));
    }
  }
}

TEST_F(ModelPath, OfflineIsSaidAndWhatIsMissingToo) {
  make_snapshot(folder_.file("hf/hub"), "main", "model.safetensors");
  ::setenv("HF_HUB_OFFLINE", "1", 1);
  try {
    resolve_model_path("org/name");
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.missing_model");
    EXPECT_THAT(error.message(), HasSubstr("HF_HUB_OFFLINE"));
    EXPECT_THAT(error.message(), HasSubstr("model.safetensors is missing"));
    EXPECT_THAT(error.message(), HasSubstr("models--org--name"));
  }
}

}  // namespace
}  // namespace plumbline
