#include "plumbline/train/token_advantage.h"

#include <algorithm>
#include <cmath>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

constexpr double kMinVariance = 1e-8;

void normalize(std::vector<std::vector<double>>& values) {
  double sum = 0, sum_of_squares = 0;
  int64_t count = 0;
  for (const auto& row : values) {
    for (const double value : row) sum += value;
    count += static_cast<int64_t>(row.size());
  }
  if (count == 0) return;
  const double mean = sum / static_cast<double>(count);
  for (const auto& row : values) {
    for (const double value : row) sum_of_squares += (value - mean) * (value - mean);
  }
  const double std = std::sqrt(std::max(kMinVariance, sum_of_squares / static_cast<double>(count)));
  for (auto& row : values) {
    for (double& value : row) value = (value - mean) / std;
  }
}

}  // namespace

std::vector<std::vector<double>> reinforce_plus_advantages(std::span<const double> reward_B,
                                                           std::span<const std::vector<double>> kl_B,
                                                           std::span<const int64_t> lengths_B, double beta) {
  PL_CHECK(beta == 0 || kl_B.size() == reward_B.size(), "a penalty needs the divergence of every token");
  std::vector<std::vector<double>> advantages;
  for (size_t i = 0; i < reward_B.size(); ++i) {
    std::vector<double>& row = advantages.emplace_back(static_cast<size_t>(lengths_B[i]), reward_B[i]);
    double kl_to_go = 0;
    for (size_t t = row.size(); beta != 0 && t-- > 0;) {
      kl_to_go += kl_B[i].at(t);
      row[t] -= beta * kl_to_go;
    }
  }
  normalize(advantages);
  return advantages;
}

}  // namespace plumbline
