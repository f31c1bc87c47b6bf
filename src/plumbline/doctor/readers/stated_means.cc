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

std::vector<double> possible_rewards(const std::string& task) {
  if (task == "invention" || task == "math" || task == "physics") return {-1, 1};
  if (task == "provenance") return {-1, -0.5, 0, 0.4, 0.7, 1};
  if (task == "concept") return {-1, -0.5, 0, 0.4, 1};
  return {};
}

void add_mean(Arm& arm, const Json& tree, const std::string& path, const std::string& name,
              std::vector<double> possible) {
  const std::optional<double> value = number_at(tree, path);
  if (!value) return;
  StatedMean mean;
  mean.name = name;
  mean.value = *value;
  mean.decimals = decimals_of(*value_at(tree, path));
  mean.possible = std::move(possible);
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
