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
    Names{"gnorm", "grad_norm"},
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

std::optional<WatchedFigure::Kind> watched_kind(std::string_view key) {
  using Kind = WatchedFigure::Kind;
  const std::string_view canonical = canonical_series(key);
  if (canonical == "reward" || canonical == "reward_std") return Kind::kReward;
  // A reward function that applies to no row of a step has no mean: "rewards/<name>/mean" may be NaN.
  if (key.starts_with("eval") || key.starts_with("rewards/")) return {};
  if (key.ends_with("/mean")) key.remove_suffix(5);
  key.remove_prefix(key.rfind('/') + 1);  // npos + 1 is 0
  const auto is_a = [&](std::string_view word) {
    return key == word || (key.ends_with(word) && key[key.size() - word.size() - 1] == '_');
  };
  if (canonical == "grad_norm" || is_a("grad_norm")) return Kind::kGradNorm;
  if (is_a("loss")) return Kind::kLoss;
  if (is_a("kl")) return Kind::kKl;
  return {};
}

void SeriesBuilder::begin_step(std::optional<double> step) {
  step_ = step.value_or(step_ + 1);
}

void SeriesBuilder::add(std::string_view key, double value) {
  const std::string_view name = canonical_series(key);
  watch(key, value);
  if (!name.empty() && std::isfinite(value)) log_.series[std::string(name)].emplace_back(step_, value);
}

void SeriesBuilder::watch(std::string_view key, double value) {
  const std::optional<WatchedFigure::Kind> kind = watched_kind(key);
  if (!kind) return;
  WatchedFigure& figure = log_.watched[std::string(key)];
  figure.kind = *kind;
  ++figure.num_logged;
  if (std::isfinite(value)) {
    figure.num_at_end = 0;
    return;
  }
  if (figure.num_nonfinite++ == 0) {
    figure.first_step = step_;
    figure.first_value = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  ++figure.num_at_end;
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
    } else if (leaf.kind == FlatRow::Kind::kString) {
      if (const auto number = row.number_of(leaf)) add(key, *number);
      if (const auto nonfinite = row.nonfinite_of(leaf)) add(key, *nonfinite);
    }
  }
}

bool is_step_row(const FlatRow& row) {
  const bool has_step = row.number("step") || row.number("epoch") || row.number("global_step");
  if (!has_step || row.has("completion") || row.has("prompt") || row.has("output")) return false;
  for (const FlatRow::Leaf& leaf : row.leaves()) {
    std::string_view key = row.path(leaf);
    if (key.starts_with("data.")) key.remove_prefix(5);
    if (!canonical_series(key).empty() || watched_kind(key) || key == "learning_rate") return true;
  }
  return false;
}

}  // namespace plumbline::doctor
