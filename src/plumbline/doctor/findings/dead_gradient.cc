/// Most groups have no reward spread, or the spread collapses without success.
#include <cmath>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr size_t kLeastPoints = 8;
constexpr double kMostly = 0.5;
constexpr double kCollapsed = 0.05;  ///< of the first quarter's spread

/// The spread is gone and the reward did not rise meanwhile: a solved task also loses its spread, and should.
void check_collapse(const TrainingLog& log, FindingSink& out) {
  const Points* spread = log.find("reward_std");
  const Points* reward = log.find("reward");
  if (!spread || !reward || spread->size() < 2 * kLeastPoints || reward->size() < 2 * kLeastPoints) return;
  const size_t quarter = spread->size() / 4;
  const double before = window_median(*spread, 0, quarter),
               after = window_median(*spread, spread->size() - quarter, spread->size());
  const size_t part = reward->size() / 4;
  const double rise = window_mean(*reward, reward->size() - part, reward->size()) - window_mean(*reward, 0, part);
  if (before <= 0 || after > kCollapsed * before || rise > before / 4) return;
  out.add(log.where, {{"median_reward_std_first_quarter", before}, {"last_quarter", after}, {"reward_rise", rise}});
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const TrainingLog& log : evidence.logs) {
    const Points* zero = log.find("zero_spread");
    if (zero && zero->size() >= kLeastPoints) {
      const size_t half = zero->size() / 2;
      const double early = window_median(*zero, 0, half), late = window_median(*zero, half, zero->size());
      if (early >= kMostly && late >= kMostly) {
        Facts facts = {{"share_of_groups_without_spread_first_half", early},
                       {"second_half", late},
                       {"logged_steps", static_cast<int64_t>(zero->size())}};
        if (const Points* spread = log.find("reward_std"))
          facts.emplace_back("median_reward_std", window_median(*spread, 0, spread->size()));
        out.add(log.where, std::move(facts));
        continue;
      }
    }
    check_collapse(log, out);
  }
  for (const TrainingSetup& setup : evidence.setups) {
    if (setup.collapsed != Known::kYes) continue;
    Facts facts = {{"collapsed", std::string("yes")}};
    if (setup.first_std) facts.emplace_back("mean_group_std", *setup.first_std);
    if (setup.final_std) facts.emplace_back("final_group_std", *setup.final_std);
    out.add(setup.where, std::move(facts));
  }
}

}  // namespace

const FindingKind kDeadGradient = {"dead_gradient",
                                   Severity::kWarning,
                                   "Within most groups every completion earned the same reward, so their advantages "
                                   "are zero and the step taught nothing.",
                                   "Take prompts of medium difficulty (pass rates of .1 to .9), larger groups, or a "
                                   "reward with more levels; resample groups without spread.",
                                   {},
                                   check};

}  // namespace plumbline::doctor
