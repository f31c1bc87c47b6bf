#include "plumbline/train/schedule.h"

#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

TEST(Schedule, WarmsUpLinearlyFromAThousandth) {
  EXPECT_DOUBLE_EQ(schedule_factor(ScheduleKind::kConstant, 10, 200, 0), 1e-3);
  EXPECT_DOUBLE_EQ(schedule_factor(ScheduleKind::kConstant, 10, 200, 5), 1e-3 + 0.999 / 2);
  EXPECT_EQ(schedule_factor(ScheduleKind::kConstant, 10, 200, 10), 1.0);
  EXPECT_EQ(schedule_factor(ScheduleKind::kConstant, 0, 200, 0), 1.0);
}

TEST(Schedule, CosineIsHalfwayInTheMiddleAndZeroAtTheEnd) {
  EXPECT_NEAR(schedule_factor(ScheduleKind::kCosine, 10, 110, 60), 0.5, 1e-15);
  EXPECT_NEAR(schedule_factor(ScheduleKind::kCosine, 10, 110, 110), 0.0, 1e-15);
}

TEST(Schedule, WarmUpAsLongAsTheRunNeverDividesByZero) {
  EXPECT_EQ(schedule_factor(ScheduleKind::kCosine, 5, 5, 5), 1.0);
}

TEST(Schedule, LearningRateIsTheFactorTimesTheBase) {
  TrainOptions options;
  options.lr = 0.5;
  options.warmup_steps = 2;
  EXPECT_DOUBLE_EQ(learning_rate(options, 1), 0.5 * (1e-3 + 0.999 / 2));
  options.schedule = "linear";
  EXPECT_THROW(learning_rate(options, 1), ConfigError);
}

}  // namespace
}  // namespace plumbline
