#include "plumbline/doctor/readers/series.h"

#include <array>
#include <cmath>
#include <utility>

namespace plumbline::doctor {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array kExact = {
    Names{"reward", "reward"},
    Names{"rew", "reward"},
    Names{"reward/mean", "reward"},
    Names{"reward/all/mean", "reward"},
    Names{"critic/rewards/mean", "reward"},
    Names{"train/reward", "reward"},
    Names{"reward_std", "reward_std"},
    Names{"std", "reward_std"},
    Names{"train/reward_std", "reward_std"},
    Names{"frac_reward_zero_std", "zero_spread"},
    Names{"train/frac_reward_zero_std", "zero_spread"},
    Names{"completions/clipped_ratio", "clipped"},
    Names{"train/completions/clipped_ratio", "clipped"},
    Names{"clipped_ratio", "clipped"},
    Names{"response_length/clip_ratio", "clipped"},
    Names{"response_clip_ratio", "clipped"},
    Names{"truncated", "clipped"},
    Names{"truncated_rate", "clipped"},
    Names{"is_truncated/mean", "clipped"},
    Names{"is_truncated/all/mean", "clipped"},
    Names{"completions/mean_length", "length"},
    Names{"train/completions/mean_length", "length"},
    Names{"response_length/mean", "length"},
    Names{"response_length", "length"},
    Names{"gt", "truth"},
    Names{"hack", "hack"},
    Names{"hack_rate", "hack"},
    Names{"grad_norm", "grad_norm"},
    Names{"train/grad_norm", "grad_norm"},
    Names{"actor/grad_norm", "grad_norm"},
};

bool holds(std::string_view key, std::string_view word) {
  return key.find(word) != key.npos;
}

}  // namespace

std::string_view canonical_series(std::string_view key) {
  for (const auto& [name, canonical] : kExact) {
    if (name == key) return canonical;
  }
  if (key.ends_with("/std") || key.ends_with("/min") || key.ends_with("/max") || key.starts_with("eval_")) return {};
  if (holds(key, "ground_truth") || holds(key, "trusted_pass")) return "truth";
  if (holds(key, "hinted")) return "hinted";
  if (holds(key, "reward_hack") || holds(key, "hacked")) return "hack";
  return {};
}

void SeriesBuilder::begin_step(std::optional<double> step) {
  step_ = step.value_or(step_ + 1);
}

void SeriesBuilder::add(std::string_view key, double value) {
  const std::string_view name = canonical_series(key);
  if (name.empty()) return;
  if (!std::isfinite(value)) {
    ++log_.num_nonfinite;
    return;
  }
  log_.series[std::string(name)].emplace_back(step_, value);
}

void SeriesBuilder::add_row(const FlatRow& row) {
  std::optional<double> step = row.number("step");
  if (!step) step = row.number("data.training/global_step");
  begin_step(step);
  for (const FlatRow::Leaf& leaf : row.leaves()) {
    std::string_view key = row.path(leaf);
    if (key.starts_with("data.")) key.remove_prefix(5);
    if (leaf.kind == FlatRow::Kind::kNumber) {
      add(key, leaf.number);
    } else if (const auto number = row.number_of(leaf); number && leaf.kind == FlatRow::Kind::kString) {
      add(key, *number);
    }
  }
}

bool is_step_row(const FlatRow& row) {
  const bool has_step = row.number("step") || row.number("epoch") || row.number("global_step");
  if (!has_step || row.has("completion") || row.has("prompt") || row.has("output")) return false;
  for (const FlatRow::Leaf& leaf : row.leaves()) {
    std::string_view key = row.path(leaf);
    if (key.starts_with("data.")) key.remove_prefix(5);
    if (!canonical_series(key).empty() || key == "loss" || key == "learning_rate") return true;
  }
  return false;
}

}  // namespace plumbline::doctor
