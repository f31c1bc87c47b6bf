#include "plumbline/train/monitor.h"

#include "plumbline/base/check.h"
#include "plumbline/base/rng.h"

namespace plumbline {

FlagMonitor::FlagMonitor(FlagMonitorOptions options, std::optional<HiddenReading> probe)
    : options_(options), probe_(std::move(probe)) {
  PL_CHECK(probe_.has_value() == (options_.flag == MonitorFlag::kProbe), "a probe and nothing else reads states");
}

TransformedRewards FlagMonitor::apply(const GradedStep& step) const {
  TransformedRewards result;
  result.reward_B.assign(step.reward_B.begin(), step.reward_B.end());
  double num_graded = 0, num_flagged = 0, num_wrong = 0, sum = 0, num_rewarded = 0;
  for (size_t i = 0; i < step.reward_B.size(); ++i) {
    if (!step.reward_B[i]) continue;
    const bool truth = options_.flag == MonitorFlag::kHacked    ? step.verdict_B[i].hacked()
                       : options_.flag == MonitorFlag::kVacuous ? step.verdict_B[i].vacuous
                                                                : step.score_B[i] > probe_->threshold;
    const auto group_size = static_cast<size_t>(step.group_size);
    CounterRng rng({.seed = options_.seed,
                    .stream = Stream::kMonitor,
                    .step = static_cast<uint32_t>(step.version),
                    .prompt = static_cast<uint32_t>(i / group_size),
                    .sample = static_cast<uint32_t>(i % group_size)});
    const bool is_wrong = rng.next_unit() >= options_.accuracy;  // in (0, 1): accuracy 1 never errs, 0 always
    const bool is_flagged = truth != is_wrong;
    ++num_graded;
    num_wrong += is_wrong;
    num_flagged += is_flagged;
    if (is_flagged && options_.action == MonitorAction::kScreening) result.reward_B[i].reset();
    if (is_flagged && options_.action == MonitorAction::kPenalty) *result.reward_B[i] -= options_.penalty;
    if (!result.reward_B[i]) continue;
    ++num_rewarded;
    sum += *result.reward_B[i];
  }
  if (num_graded > 0) {
    result.metrics["flagged"] = num_flagged / num_graded;
    result.metrics["wrong"] = num_wrong / num_graded;
  }
  if (num_rewarded > 0) result.metrics["reward"] = sum / num_rewarded;
  return result;
}

}  // namespace plumbline
