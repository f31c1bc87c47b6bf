#include "plumbline/doctor/inside/live_findings.h"

#include <fmt/format.h>

#include <cmath>

namespace plumbline::doctor {

std::vector<LiveFinding> LiveFindings::take(const LiveStep& step) {
  std::vector<LiveFinding> found;
  look_for_outage(step, found);
  if (step.num_completions > step.num_without_verdict) {
    look_for_onset(step, found);
    look_at_rates(step, found);
  }
  return found;
}

void LiveFindings::raise(const char* id, const char* severity, const std::string& text, std::vector<LiveFinding>& out) {
  if (raised_.insert(id).second) out.push_back({id, severity, text});
}

void LiveFindings::look_for_onset(const LiveStep& step, std::vector<LiveFinding>& out) {
  // The test is linear in a group's share, so that every group of the step may be given the step's own.
  const int64_t num_judged = step.num_completions - step.num_without_verdict;
  const auto count = [&](double rate) { return std::llround(rate * static_cast<double>(num_judged)); };
  for (int64_t group = 0; group < step.num_groups; ++group) {
    const auto onset = onset_.take({step.step, num_judged, count(step.pass_rate), count(step.hack_rate)});
    if (!onset) continue;
    raise("reward_hacking_onset", "error",
          fmt::format("since about step {} the hack rate has risen from {:.1f}% to {:.1f}%, the pass rate went from "
                      "{:.1f}% to {:.1f}%; read completions in rollouts.jsonl from both sides of it",
                      onset->step, 100 * (std::isnan(onset->rate_before) ? 0 : onset->rate_before),
                      100 * onset->rate_since, 100 * (std::isnan(onset->right_before) ? 0 : onset->right_before),
                      100 * onset->right_since),
          out);
  }
}

void LiveFindings::look_at_rates(const LiveStep& step, std::vector<LiveFinding>& out) {
  const bool is_dead =
      step.num_groups > 0 && step.pass_rate<kSolved&& static_cast<double>(step.num_zero_spread_groups)> kMostly *
                                 static_cast<double>(step.num_groups);
  num_dead_ = is_dead ? num_dead_ + 1 : 0;
  if (num_dead_ == kDeadSteps) {
    raise("dead_gradient", "warning",
          fmt::format("most groups had equal rewards in each of the last {} steps (now {} of {}), so little is learnt; "
                      "take problems of a middle difficulty or larger groups",
                      kDeadSteps, step.num_zero_spread_groups, step.num_groups),
          out);
  }
  num_cut_ = step.truncated_rate > kMostly ? num_cut_ + 1 : 0;
  if (num_cut_ == kCutSteps) {
    raise("token_cap_suspected", "warning",
          fmt::format("more than half of the completions reached the token limit in each of the last {} steps (now "
                      "{:.0f}%); raise rollout.max_new_tokens, or look whether the stop token is ever sampled",
                      kCutSteps, 100 * step.truncated_rate),
          out);
  }
}

void LiveFindings::look_for_outage(const LiveStep& step, std::vector<LiveFinding>& out) {
  if (!has_own_rewards_) return;
  last_.push_back(step);
  if (static_cast<int64_t>(last_.size()) > kOutageSteps) last_.erase(last_.begin());
  int64_t num_completions = 0, num_without = 0;
  for (const LiveStep& one : last_) {
    num_completions += one.num_completions;
    num_without += one.num_without_verdict;
  }
  if (num_without < 5 || static_cast<double>(num_without) <= kOutageShare * static_cast<double>(num_completions))
    return;
  raise("judge_outage", "warning",
        fmt::format(
            "{} of the last {} completions have no reward, since a judge or a reward of yours gave none; they are "
            "left out of training, never paid 0; their reasons are in rollouts.jsonl",
            num_without, num_completions),
        out);
}

}  // namespace plumbline::doctor
