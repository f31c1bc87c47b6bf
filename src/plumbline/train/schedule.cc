#include "plumbline/train/schedule.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "plumbline/base/error.h"

namespace plumbline {

constexpr double kWarmupStart = 1e-3;

ScheduleKind schedule_kind_of_name(const std::string& name) {
  if (name == "constant") return ScheduleKind::kConstant;
  if (name == "cosine") return ScheduleKind::kCosine;
  throw ConfigError("config.not_allowed", fmt::format("there is no schedule \"{}\"", name), "train.schedule",
                    "choose constant or cosine");
}

double schedule_factor(ScheduleKind kind, int64_t warmup, int64_t total, int64_t update) {
  if (update < warmup) {
    return kWarmupStart + (1 - kWarmupStart) * static_cast<double>(update) / static_cast<double>(warmup);
  }
  if (kind == ScheduleKind::kConstant || total <= warmup) return 1;
  const double progress = static_cast<double>(update - warmup) / static_cast<double>(total - warmup);
  return 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

double learning_rate(const TrainOptions& options, int64_t update) {
  return options.lr *
         schedule_factor(schedule_kind_of_name(options.schedule), options.warmup_steps, options.steps, update);
}

}  // namespace plumbline
