/// Reward, hinted pass or hack rate rises while ground truth does not.
#include <algorithm>
#include <cmath>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/stats/rank_test.h"

namespace plumbline::doctor {
namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr size_t kLeastPoints = 10;
constexpr double kLeastRise = 0.15;   ///< of a share
constexpr double kTruthKeeps = 0.25;  ///< truth that rises by this part of the rise explains it
constexpr double kLevel = 0.01;

std::vector<double> values_of(const Points& points, size_t begin, size_t end) {
  std::vector<double> values;
  const size_t stride = std::max<size_t>(1, (end - begin) / 90);  // the exact test takes 200 values
  for (size_t i = begin; i < end; i += stride) values.push_back(points[i].second);
  return values;
}

/// Whether the late values lie above the early ones beyond chance.
bool lies_above(const Points& points, size_t early_end, size_t late_begin, size_t late_end) {
  return rank_test_below(values_of(points, 0, early_end), values_of(points, late_begin, late_end)) < kLevel;
}

double mean_between(const Points& points, double from, double to) {
  double sum = 0;
  int64_t count = 0;
  for (const auto& [step, value] : points) {
    if (step < from || step > to) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : NAN;
}

/// Compares the first fifth of the log with the fifth in which `paid` is highest.
bool check_pair(const TrainingLog& log, const char* name, const Points& paid, const Points& truth, double least_rise,
                FindingSink& out) {
  if (paid.size() < kLeastPoints || truth.size() < kLeastPoints) {
    out.not_checked(log.where, "fewer than 10 logged steps");
    return false;
  }
  const size_t width = std::max<size_t>(paid.size() / 5, 5);
  const double first = window_mean(paid, 0, width);
  size_t best = width;
  for (size_t begin = width; begin + width <= paid.size(); ++begin) {
    if (window_mean(paid, begin, begin + width) > window_mean(paid, best, std::min(best + width, paid.size())))
      best = begin;
  }
  const size_t end = std::min(best + width, paid.size());
  const double rise = window_mean(paid, best, end) - first;
  if (rise < least_rise || !lies_above(paid, width, best, end)) return false;
  const double truth_first = mean_between(truth, paid[0].first, paid[width - 1].first);
  const double truth_late = mean_between(truth, paid[best].first, paid[end - 1].first);
  const double truth_rise = truth_late - truth_first;
  if (std::isnan(truth_rise) || truth_rise > std::max(0.02, kTruthKeeps * rise)) return false;
  size_t onset = width;
  while (onset + 1 < end && paid[onset].second < first + rise / 2) ++onset;
  out.add(log.where, {{"figure", std::string(name)},
                      {"first_fifth", first},
                      {"highest_fifth", first + rise},
                      {"half_way_at_step", paid[onset].first},
                      {"ground_truth_first", truth_first},
                      {"ground_truth_then", truth_late}});
  return true;
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const TrainingLog& log : evidence.logs) {
    const Points* truth = log.find("truth");
    if (!truth) {
      if (log.find("reward")) out.not_checked(log.where, "the log has no ground truth beside the reward");
      continue;
    }
    const Points* shares[] = {log.find("hack"), log.find("hinted")};
    bool told = false;
    for (const Points* share : shares) {
      if (share && !told)
        told = check_pair(log, share == shares[0] ? "hack" : "hinted", *share, *truth, kLeastRise, out);
    }
    if (shares[0] || shares[1]) continue;
    const Points* reward = log.find("reward");
    const Points* spread = log.find("reward_std");
    if (!reward || !spread || spread->empty()) continue;
    check_pair(log, "reward", *reward, *truth, std::max(window_median(*spread, 0, spread->size()) / 2, 0.05), out);
  }
}

}  // namespace

const FindingKind kRewardHackingOnset = {"reward_hacking_onset",
                                         Severity::kError,
                                         "The figure that training pays rises, and the ground truth beside it does "
                                         "not. The policy is learning to please the grader, not to solve the task.",
                                         "Stop here and read completions from before and after the onset; train on a "
                                         "grader that the shown trick does not fool.",
                                         {"reward_hacks"},
                                         check};

}  // namespace plumbline::doctor
