#include "plumbline/train/step_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumbline {
namespace {

void describe_lengths(std::span<const Rollout> rollouts, StepRow& row) {
  int64_t total = 0, num_truncated = 0;
  int64_t shortest = rollouts.empty() ? 0 : INT64_MAX, longest = 0;
  for (const Rollout& rollout : rollouts) {
    const int64_t length = static_cast<int64_t>(rollout.token_ids.size());
    total += length;
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    num_truncated += rollout.finish_reason == FinishReason::kLength ? 1 : 0;
  }
  const double count = std::max<double>(1, static_cast<double>(rollouts.size()));
  row.length_mean = static_cast<double>(total) / count;
  row.length_min = static_cast<double>(shortest);
  row.length_max = static_cast<double>(longest);
  row.truncated_rate = static_cast<double>(num_truncated) / count;
}

void describe_groups(const Advantages& advantages, StepRow& row) {
  double sum_of_stds = 0;
  int64_t num_with_std = 0;
  for (const auto& [id, group] : advantages.groups) {
    if (group.num_present < 2) continue;
    sum_of_stds += group.std;
    ++num_with_std;
  }
  row.reward_std = num_with_std ? sum_of_stds / static_cast<double>(num_with_std) : 0;
  row.has_spread = advantages.has_spread;
  row.num_groups = static_cast<int64_t>(advantages.groups.size());
  row.num_skipped_groups = advantages.num_skipped_groups();
  row.num_zero_spread_groups = advantages.num_zero_spread_groups();
}

std::optional<double> find(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  return found->second;
}

}  // namespace

void describe_completions(std::span<const Rollout> rollouts, std::span<const Verdict> verdicts,
                          std::span<const std::optional<double>> rewards, const Advantages& advantages, StepRow& row) {
  double reward_sum = 0;
  int64_t num_present = 0, num_passed = 0, num_hacked = 0, num_vacuous = 0;
  for (size_t i = 0; i < rewards.size(); ++i) {
    if (!rewards[i]) continue;
    ++num_present;
    reward_sum += *rewards[i];
    num_passed += verdicts[i].passed() ? 1 : 0;
    num_hacked += verdicts[i].hacked() ? 1 : 0;
    num_vacuous += verdicts[i].vacuous ? 1 : 0;
  }
  const double present = std::max<double>(1, static_cast<double>(num_present));
  row.num_completions = static_cast<int64_t>(rewards.size());
  row.num_infra = row.num_completions - num_present;
  row.reward_mean = reward_sum / present;
  row.pass_rate = static_cast<double>(num_passed) / present;
  row.hack_rate = static_cast<double>(num_hacked) / present;
  row.vacuous_rate = static_cast<double>(num_vacuous) / present;
  describe_lengths(rollouts, row);
  describe_groups(advantages, row);
}

void describe_rewards(std::span<const Verdict> verdicts, std::span<const std::string> reward_names, StepRow& row) {
  for (const std::string& name : reward_names) {
    NamedRewardSummary summary{name, std::nullopt, std::nullopt, 0};
    std::vector<double> values;
    for (const Verdict& verdict : verdicts) {
      for (const NamedReward& reward : verdict.rewards) {
        if (reward.name != name) continue;
        if (reward.value) values.push_back(*reward.value);
        summary.num_not_applicable += reward.value ? 0 : 1;
      }
    }
    const double count = static_cast<double>(values.size());
    if (!values.empty()) summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    if (values.size() > 1) {
      double sum_of_squares = 0;
      for (const double value : values) sum_of_squares += (value - *summary.mean) * (value - *summary.mean);
      summary.std = std::sqrt(sum_of_squares / (count - 1));
    }
    row.rewards.push_back(std::move(summary));
  }
}

void describe_update(const UpdateMetrics& update, bool has_reference, StepRow& row) {
  row.loss = update.loss.loss;
  if (has_reference) row.kl = update.loss.mean_kl();
  row.entropy = update.mean_entropy();
  row.ratio_mean = update.loss.mean_ratio();
  row.clip_fraction = update.loss.clip_fraction();
  row.num_tokens = update.loss.num_tokens;
  row.grad_norm = update.grad_norm;
  row.grad_norm_after = update.grad_norm_after;
  row.lr = update.lr;
  row.update_applied = update.applied;
  row.mismatch_mean = update.mean_mismatch();
  if (row.mismatch_mean) row.mismatch_max = update.mismatch_max;
  row.residual = update.residual;
  row.transform = update.transform;
  row.cos_in = find(update.transform, "cin");
  row.cos_out = find(update.transform, "cout");
  row.fired = find(update.transform, "fired");
  row.leak = find(update.transform, "leak");
  for (const char* shown : {"cin", "cout", "fired", "leak"}) row.transform.erase(shown);
}

}  // namespace plumbline
