#include "plumbline/train/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

TrainerState state_at(int64_t step) {
  return {.step = step,
          .data_cursor = 17,
          .num_skipped_updates = 2,
          .num_skipped_in_a_row = 1,
          .seed = 0xFFFFFFFFFFFFFFFFull,
          .weight_hash = "abc"};
}

OptimizerTensors some_tensors() {
  return {
      .optimizer = {{"exp_avg.m", torch::tensor({1.5f, -2.f})}, {"num_updates", torch::full({1}, 3, torch::kInt64)}},
      .transform = {{"knob", torch::tensor({0.25}, torch::kFloat64)}}};
}

void write_adapter(const std::string& checkpoint) {
  fs::create_directories(checkpoint + "/adapter");
  write_file(checkpoint + "/adapter/delta.safetensors", "delta");
}

std::string save(const test::TemporaryFolder& folder, int64_t step, int64_t keep = 0) {
  return save_checkpoint(folder.path(), state_at(step), some_tensors(), write_adapter, keep);
}

TEST(Checkpoint, ComesBackAsItWas) {
  const test::TemporaryFolder folder;
  const Checkpoint loaded = load_checkpoint(save(folder, 42));
  EXPECT_EQ(fs::path(loaded.folder).filename(), "step_000042");
  EXPECT_EQ(loaded.state, state_at(42));
  const OptimizerTensors want = some_tensors();
  for (const auto& [name, tensor] : want.optimizer)
    EXPECT_TRUE(torch::equal(loaded.tensors.optimizer.at(name), tensor));
  EXPECT_TRUE(torch::equal(loaded.tensors.transform.at("knob"), want.transform.at("knob")));
  EXPECT_EQ(read_file(loaded.folder + "/adapter/delta.safetensors"), "delta");
}

TEST(Checkpoint, NewestIsFoundAndOldOnesGo) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(latest_checkpoint(folder.path()));
  EXPECT_FALSE(latest_checkpoint(folder.file("absent")));
  for (const int64_t step : {5, 10, 15}) save(folder, step, 2);
  EXPECT_FALSE(fs::exists(folder.file("step_000005")));
  EXPECT_TRUE(fs::exists(folder.file("step_000010")));
  EXPECT_EQ(*latest_checkpoint(folder.path()), folder.file("step_000015"));
  fs::create_directories(folder.file("step_000020.partial/adapter"));
  fs::create_directories(folder.file("step_later"));
  EXPECT_EQ(*latest_checkpoint(folder.path()), folder.file("step_000015"));
}

TEST(Checkpoint, SameStepIsReplaced) {
  const test::TemporaryFolder folder;
  save(folder, 5);
  const std::string again = save(folder, 5);
  EXPECT_EQ(load_checkpoint(again).state.step, 5);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Checkpoint, FailedSaveLeavesNothingBehind) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(save_checkpoint(
                   folder.path(), state_at(5), some_tensors(),
                   [](const std::string&) { throw DataError("data.unwritable", "disk full"); }, 0),
               DataError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// A real write that fails in the middle of a file, as on a full disk.
TEST(Checkpoint, AFullDiskLeavesTheLastGoodCheckpointAlone) {
  const test::TemporaryFolder folder;
  const std::string good = save(folder, 5);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 40;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string id = "saved";
  try {
    save(folder, 7);
  } catch (const Error& error) {
    id = error.id();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(id, "data.unwritable");
  EXPECT_EQ(*latest_checkpoint(folder.path()), good);
  EXPECT_EQ(load_checkpoint(good).state, state_at(5));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Checkpoint, CutAndMissingFilesAreRefused) {
  const test::TemporaryFolder folder;
  for (const char* name : {"state.json", "optimizer.safetensors", "adapter/delta.safetensors"}) {
    for (const bool remove : {true, false}) {
      const std::string checkpoint = save(folder, 7), path = checkpoint + "/" + name;
      const std::string content = read_file(path);
      remove ? static_cast<void>(fs::remove(path)) : fs::resize_file(path, content.size() - 2);
      EXPECT_THROW(load_checkpoint(checkpoint), DataError) << name;
    }
  }
}

TEST(Checkpoint, ChangedFieldsAndStrangersAreRefused) {
  const test::TemporaryFolder folder;
  const std::string checkpoint = save(folder, 7), path = checkpoint + "/state.json";
  std::string content = read_file(path);
  const size_t at = content.find("\"data_cursor\": 17");
  ASSERT_NE(at, std::string::npos);
  content.replace(at, 17, "\"data_cursor\": 18");
  write_file(path, content);
  EXPECT_THROW(load_checkpoint(checkpoint), DataError);
  const std::string other = save(folder, 8);
  write_file(other + "/adapter/stranger", "x");
  EXPECT_THROW(load_checkpoint(other), DataError);
  write_file(folder.file("state.json"), "[1, 2]");
  EXPECT_THROW(load_checkpoint(folder.path()), DataError);
  EXPECT_THROW(load_checkpoint(folder.file("nowhere")), DataError);
}

}  // namespace
}  // namespace plumbline
