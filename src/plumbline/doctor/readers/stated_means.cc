#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {
namespace {

/// Unset when a row lacks the figure.
template <typename Value>
std::optional<double> mean_of_rows(const std::deque<ItemRow>& rows, Value value) {
  double sum = 0;
  for (const ItemRow& row : rows) {
    const double one = value(row);
    if (std::isnan(one)) return {};
    sum += one;
  }
  if (rows.empty()) return {};
  return sum / static_cast<double>(rows.size());
}

double passed(const ItemRow& row) {
  return row.passed == Known::kUnknown ? NAN : row.passed == Known::kYes ? 1 : 0;
}

}  // namespace

RewardGrid reward_grid(const std::string& task) {
  if (task == "code" || task == "invention" || task == "math" || task == "physics") return {-1.0, 2.0};
  if (task == "provenance" || task == "concept") return {-1.0, 0.1};
  return {};
}

void add_mean(Arm& arm, const Json& tree, const std::string& path, const std::string& name,
              std::optional<double> lowest, std::optional<double> step) {
  const std::optional<double> value = number_at(tree, path);
  if (!value) return;
  StatedMean mean;
  mean.name = name;
  mean.value = *value;
  mean.half_width = rounding_of(*value_at(tree, path));
  mean.lowest = lowest;
  mean.step = step;
  mean.num_items = arm.n.value_or(0);
  arm.means.push_back(mean);
}

void finish_means(Arm& arm) {
  for (StatedMean& mean : arm.means) {
    // Fewer or more rows than items: the file holds a part, and its mean is another one.
    if (arm.n && *arm.n != static_cast<int64_t>(arm.rows.size())) continue;
    if (mean.name == "pass_at_1") mean.of_rows = mean_of_rows(arm.rows, passed);
    if (mean.name == "mean_reward")
      mean.of_rows = mean_of_rows(arm.rows, [](const ItemRow& row) { return double{row.reward}; });
    if (mean.name == "vsc") mean.of_rows = mean_of_rows(arm.rows, [](const ItemRow& row) { return double{row.vsc}; });
  }
}

}  // namespace plumbline::doctor
