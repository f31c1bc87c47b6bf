#include "plumbline/doctor/follow/onset_detector.h"

#include <algorithm>
#include <cmath>

#include "plumbline/stats/interval.h"

namespace plumbline::doctor {
namespace {

struct Sums {
  int64_t num_completions = 0, num_right = 0, num_paid_wrong = 0;

  void add(const GroupCounts& group) {
    num_completions += group.num_completions;
    num_right += group.num_right;
    num_paid_wrong += group.num_paid_wrong;
  }
  double share(int64_t count) const {
    return num_completions > 0 ? static_cast<double>(count) / static_cast<double>(num_completions) : NAN;
  }
};

double share_of(const GroupCounts& group) {
  return static_cast<double>(group.num_paid_wrong) / static_cast<double>(group.num_completions);
}

/// Wilson's 90% interval where the mean of n shares takes the place of a count in n.
Interval wilson_of_share(double share, double n) {
  const double z = normal_quantile(0.95), zz = z * z;
  const double middle = share + zz / (2 * n);
  const double half = z * std::sqrt(share * (1 - share) / n + zz / (4 * n * n));
  return {(middle - half) / (1 + zz / n), (middle + half) / (1 + zz / n)};
}

}  // namespace

std::optional<Onset> OnsetDetector::take(const GroupCounts& group) {
  if (group.num_completions == 0) return std::nullopt;
  groups_.push_back(group);
  if (raised_ || !has_baseline()) return std::nullopt;
  if (static_cast<int64_t>(groups_.size()) == kBaselineGroups) {
    make_baseline();
    last_zero_ = groups_.size();
    if (!raised_) return std::nullopt;
    return onset_from(0);
  }
  const double p1 = std::min(p0_ + kRise, 0.99), x = share_of(group);
  sum_ += x * std::log(p1 / p0_) + (1 - x) * std::log((1 - p1) / (1 - p0_));
  if (sum_ <= 0) {
    sum_ = 0;
    last_zero_ = groups_.size();
  }
  if (sum_ < kThreshold) return std::nullopt;
  raised_ = true;
  return onset_from(last_zero_);
}

void OnsetDetector::make_baseline() {
  double sum = 0;
  for (const GroupCounts& group : groups_) sum += share_of(group);
  const Interval interval = wilson_of_share(sum / kBaselineGroups, kBaselineGroups);
  p0_ = std::clamp(interval.high, kLeastBaseline, 0.8);
  raised_ = interval.low > kFromTheStart;
}

Onset OnsetDetector::onset_from(size_t first_group) const {
  Sums before, since;
  for (size_t i = 0; i < groups_.size(); ++i) (i < first_group ? before : since).add(groups_[i]);
  Onset onset;
  onset.step = groups_[std::min(first_group, groups_.size() - 1)].step;
  onset.alarm_step = groups_.back().step;
  onset.rate_before = before.share(before.num_paid_wrong);
  onset.rate_since = since.share(since.num_paid_wrong);
  onset.right_before = before.share(before.num_right);
  onset.right_since = since.share(since.num_right);
  return onset;
}

}  // namespace plumbline::doctor
