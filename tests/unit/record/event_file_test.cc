/// Event files against the bytes that TensorBoard's own classes write (tests/golden/tensorboard, made by
/// tools/reference/tensorboard_events.py).
#include "plumbline/record/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

constexpr double kWallTime_s = 1700000000.5;
constexpr size_t kVersionBytes = 8 + 4 + 9 + 15 + 4;

bool keep_all(int64_t, std::string_view) {
  return true;
}

std::string golden() {
  return read_file(test::source_path("tests/golden/tensorboard/events.bin"));
}

/// The golden rows, without the version in front.
std::string golden_rows() {
  return event_record(kWallTime_s, 1, "train/",
                      {{"loss", 0.25}, {"num_completions", 64}, {"rewards/hinted/mean", -1.5}}) +
         event_record(kWallTime_s, 300, "train/", {{"loss", 1e-8}}) +
         event_record(kWallTime_s, 0, "eval/", {{"pass_rate", 0.5}}) +
         event_record(kWallTime_s, int64_t{1} << 40, "", {{"long name, é", 3.0}});
}

TEST(EventFile, BytesAreThoseOfTensorBoard) {
  EXPECT_EQ(golden().substr(kVersionBytes), golden_rows());
}

TEST(EventFile, BeginsWithTheVersion) {
  const test::TemporaryFolder folder;
  EventFile(folder.file("events"), keep_all);
  const std::string ours = read_file(folder.file("events"));
  ASSERT_EQ(ours.size(), kVersionBytes);
  const size_t behind_time = 8 + 4 + 9;  // the wall time differs, and so does the last checksum
  EXPECT_EQ(ours.substr(0, 13), golden().substr(0, 13));
  EXPECT_EQ(ours.substr(behind_time, 15), golden().substr(behind_time, 15));
}

TEST(EventFile, WritesFiniteNumbersOnly) {
  const Json row = {
      {"step", 7}, {"a", std::numeric_limits<double>::quiet_NaN()}, {"b", "text"},          {"c", nullptr},
      {"d", true}, {"e", std::numeric_limits<double>::infinity()},  {"f", Json::array({1})}};
  EXPECT_EQ(event_record(kWallTime_s, 7, "x/", row), "");
  EXPECT_EQ(event_record(kWallTime_s, 7, "x/", {{"n", {{"m", 2}}}}), event_record(kWallTime_s, 7, "x/n/", {{"m", 2}}));
}

TEST(EventFile, AResumedRunCutsWhatComesAfter) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("events", golden());
  EventFile(path, [](int64_t step, std::string_view tag) { return step < 300 || tag != "train/loss"; });
  const std::string kept = read_file(path);
  const std::string first =
      event_record(kWallTime_s, 1, "train/", {{"loss", 0.25}, {"num_completions", 64}, {"rewards/hinted/mean", -1.5}});
  EXPECT_EQ(kept, golden().substr(0, kVersionBytes) + first);
}

TEST(EventFile, AnUnfinishedEventIsRemovedAtEveryLength) {
  const test::TemporaryFolder folder;
  const size_t last = event_record(kWallTime_s, int64_t{1} << 40, "", {{"long name, é", 3.0}}).size();
  for (size_t missing = 1; missing < last; ++missing) {
    const std::string path = folder.write("events", golden().substr(0, golden().size() - missing));
    EventFile(path, keep_all);
    ASSERT_EQ(read_file(path), golden().substr(0, golden().size() - last)) << missing;
  }
}

TEST(EventFile, AnythingElseIsLeftAlone) {
  const test::TemporaryFolder folder;
  const std::string text(200, 'x'), path = folder.write("events", text);
  EXPECT_THROW(EventFile(path, keep_all), DataError);
  EXPECT_EQ(read_file(path), text);
}

}  // namespace
}  // namespace plumbline
