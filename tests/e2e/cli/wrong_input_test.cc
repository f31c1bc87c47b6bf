/// Wrong input as a user makes it: one line with a stable id, a place and a next step, the documented exit code, and
/// nothing half-written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "plumbline/base/file_system.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using test::ProcessResult;

const char* const kTinyModel = "golden/models/qwen3";

ProcessResult plumbline(std::vector<std::string> words, const std::string& input = "") {
  words.insert(words.begin(), test::binary_path("plumbline"));
  return test::run_process(words, input, {{"PLUMBLINE_PROGRESS", "off"}, {"PLUMBLINE_LOG", "error"}});
}

/// One line, beginning with the id, ending in a next step after the last "; ".
void expect_error(const ProcessResult& result, int exit_code, const std::string& id, const std::string& place) {
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(result.err.rfind(id + ": ", 0), 0u) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(place), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("); "), std::string::npos) << "no next step: " << result.err;
}

std::string copy_of_tiny_model(const test::TemporaryFolder& folder, const std::string& name) {
  const std::string target = folder.file(name);
  fs::copy(test::shared_path(kTinyModel), target, fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(target)) {
    fs::permissions(entry.path(), fs::perms::owner_all, fs::perm_options::add);
  }
  return target;
}

std::vector<std::string> tiny_preset(const std::string& verb, const std::string& model) {
  return {verb, "smoke", "--set", "model.path=" + model, "--set", "run.device=cpu"};
}

TEST(WrongInput, MisspeltKey) {
  const ProcessResult result = plumbline({"train", "smoke", "--set", "train.lrr=1", "--dry-run"});
  expect_error(result, 2, "config.unknown_key", "train.lrr");
  EXPECT_NE(result.err.find("train.lr"), std::string::npos);
}

TEST(WrongInput, MisspeltKeyInAFileNamesLineAndColumn) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("mine.toml", "[model]\npath = \"x\"\n[train]\nstepz = 3\n");
  expect_error(plumbline({"train", path, "--dry-run"}), 2, "config.unknown_key", "mine.toml:4:1");
}

TEST(WrongInput, MissingModelFile) {
  expect_error(plumbline({"inspect", "/nonexistent/model", "modules"}), 3, "data.missing_model", "/nonexistent/model");
}

TEST(WrongInput, TruncatedSafetensors) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const std::string model = copy_of_tiny_model(folder, "model");
  fs::resize_file(model + "/model.safetensors", fs::file_size(model + "/model.safetensors") - 1000);
  expect_error(plumbline({"inspect", model, "modules"}), 3, "data.truncated_file", "model.safetensors");
}

TEST(WrongInput, GgufWithAnUnknownTensorType) {
  const test::TemporaryFolder folder;
  std::string bytes = "GGUF";
  const auto put = [&bytes](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(uint32_t{3});  // version
  put(uint64_t{1});  // tensors
  put(uint64_t{0});  // metadata pairs
  put(uint64_t{7});
  bytes += "blk.0.x";
  put(uint32_t{1});  // dimensions
  put(uint64_t{32});
  put(uint32_t{99});  // a type that does not exist
  put(uint64_t{0});   // offset
  bytes.resize(512, '\0');
  const std::string path = folder.write("odd.gguf", bytes);
  const ProcessResult result = plumbline({"inspect", path, "modules"});
  expect_error(result, 3, "data.gguf_type", "odd.gguf");
  EXPECT_NE(result.err.find("blk.0.x"), std::string::npos) << result.err;
}

TEST(WrongInput, TemplateWithUnknownSyntax) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  const std::string path = folder.write("odd.jinja", "{{ messages }}\n{% frobnicate %}\n");
  const ProcessResult result = plumbline({"inspect", test::shared_path(kTinyModel), "render", "--template", path},
                                         "[{\"role\":\"user\",\"content\":\"x\"}]\n");
  expect_error(result, 3, "data.template_syntax", "odd.jinja, line 2, column 4");
  EXPECT_NE(result.err.find("frobnicate"), std::string::npos) << result.err;
}

TEST(WrongInput, UnwritableOut) {
  PL_NEED_SHARED(kTinyModel);
  for (const char* verb : {"extract", "train", "probe"}) {
    std::vector<std::string> words = tiny_preset(verb, test::shared_path(kTinyModel));
    words.insert(words.end(), {"--out", "/proc/plumbline-out"});
    expect_error(plumbline(words), 2, "config.unwritable_out", "/proc/plumbline-out");
  }
}

TEST(WrongInput, DirectionOfAnotherBasisLeavesNoRunBehind) {
  PL_NEED_SHARED(kTinyModel);
  const test::TemporaryFolder folder;
  std::vector<std::string> extract = tiny_preset("extract", test::shared_path(kTinyModel));
  extract.insert(extract.end(), {"--out", folder.file("extracted")});
  const ProcessResult extracted = plumbline(extract);
  ASSERT_LE(extracted.exit_code, 1) << extracted.err;
  const std::string direction = folder.file("extracted") + "/direction.safetensors";
  ASSERT_TRUE(fs::exists(direction));

  std::vector<std::string> train = tiny_preset("train", test::shared_path("golden/models/llama-gqa"));
  train.insert(train.end(),
               {"--set", "run.arm=projected", "--set", "steer.direction=" + direction, "--out", folder.file("run")});
  const ProcessResult result = plumbline(train);
  expect_error(result, 3, "data.direction_mismatch", "direction.safetensors");
  EXPECT_FALSE(fs::exists(folder.file("run") + "/steps.tsv"));
  EXPECT_FALSE(fs::exists(folder.file("run") + "/COMPLETE"));
}

// `--resume "$DIR"` with an unset DIR once started a fresh run.
TEST(WrongInput, EmptyOptionValuesAreNotTakenAsAbsent) {
  expect_error(plumbline({"train", "smoke", "--resume", ""}), 2, "config.usage", "plumbline train");
  expect_error(plumbline({"train", "smoke", "--out", ""}), 2, "config.usage", "plumbline train");
}

TEST(WrongInput, MoreTokensThanTheModelsContextAreRefused) {
  PL_NEED_SHARED(kTinyModel);
  for (const char* count : {"257", "100000000", "9223372036854775807"}) {
    expect_error(plumbline({"generate", test::shared_path(kTinyModel), "--prompt", "hi", "--max-new-tokens", count}), 2,
                 "config.context", "--max-new-tokens");
  }
}

TEST(WrongInput, UnknownVerbAndMissingArguments) {
  EXPECT_EQ(plumbline({"frobnicate"}).exit_code, 2);
  EXPECT_EQ(plumbline({"grade"}).exit_code, 2);
  EXPECT_EQ(plumbline({}).exit_code, 2);
  EXPECT_EQ(plumbline({"--help"}).exit_code, 0);
}

}  // namespace
}  // namespace plumbline
