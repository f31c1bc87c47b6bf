/// Learning-rate schedule: a pure function of the step, so that a resumed run continues where it was.
#pragma once

#include <cstdint>
#include <string>

#include "plumbline/preset/options.h"

namespace plumbline {

enum class ScheduleKind { kConstant, kCosine };

/// "constant" | "cosine"; ConfigError(config.not_allowed) otherwise.
ScheduleKind schedule_kind_of_name(const std::string& name);

/// Factor of update number `update`, counted from 0. Linear from 1e-3 to 1 over `warmup` updates, then 1, or a half
/// cosine that reaches 0 at `total`, an update that is never made. `total` counts the warm-up.
double schedule_factor(ScheduleKind kind, int64_t warmup, int64_t total, int64_t update);

/// options.lr times the factor.
double learning_rate(const TrainOptions& options, int64_t update);

}  // namespace plumbline
