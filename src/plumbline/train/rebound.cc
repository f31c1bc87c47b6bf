#include "plumbline/train/rebound.h"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr double kMinDeviation = 0.1;
constexpr double kFlat = 1e-6;

}  // namespace

std::vector<double> rebound_z(std::span<const double> score_G) {
  std::vector<double> z(score_G.size(), 0.0);
  if (score_G.size() < 2) return z;
  const auto [low, high] = std::minmax_element(score_G.begin(), score_G.end());
  if (*high - *low < kFlat) return z;
  double mean = 0, squares = 0;
  for (const double score : score_G) mean += score;
  mean /= static_cast<double>(score_G.size());
  for (const double score : score_G) squares += (score - mean) * (score - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(score_G.size() - 1));
  for (size_t i = 0; i < z.size(); ++i) z[i] = (score_G[i] - mean) / std::max(deviation, kMinDeviation);
  return z;
}

double rebound_reward(double reward, double z, double alpha, ReboundForm form) {
  if (z <= kFlat) return reward;
  if (form == ReboundForm::kAdditive) return reward - alpha * z;
  return reward * (1 - alpha / (1 + std::exp(-z)));
}

TransformedRewards Rebound::apply(const GradedStep& step) const {
  TransformedRewards result;
  result.reward_B.assign(step.reward_B.begin(), step.reward_B.end());
  const auto group_size = static_cast<size_t>(step.group_size);
  double num_graded = 0, num_flagged = 0, sum = 0;
  for (size_t begin = 0; begin < step.reward_B.size(); begin += group_size) {
    std::vector<size_t> graded;
    std::vector<double> scores;
    for (size_t i = begin; i < std::min(begin + group_size, step.reward_B.size()); ++i) {
      if (!step.reward_B[i]) continue;
      graded.push_back(i);
      scores.push_back(step.score_B[i]);
    }
    const std::vector<double> z = rebound_z(scores);
    for (size_t k = 0; k < graded.size(); ++k) {
      double& reward = *result.reward_B[graded[k]];
      reward = rebound_reward(reward, z[k], alpha_, form_);
      ++num_graded;
      num_flagged += z[k] > kFlat;
      sum += reward;
    }
  }
  if (num_graded > 0) {
    result.metrics["flagged"] = num_flagged / num_graded;
    result.metrics["reward"] = sum / num_graded;
  }
  return result;
}

}  // namespace plumbline
