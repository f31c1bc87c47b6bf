#include "plumbline/train/step_row.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "plumbline/base/clock.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace {

/// monostate = not measured.
using Value = std::variant<std::monostate, bool, int64_t, double>;

/// `column` names it in steps.tsv, `metric` in metrics.jsonl; null = not there.
struct Cell {
  const char* column;
  const char* metric;
  Value value;
};

Value maybe(const std::optional<double>& value) {
  return value ? Value(*value) : Value();
}

/// Tokens a second of a phase; unset where the phase took no time.
Value rate(double num_tokens, double seconds) {
  return seconds > 0 ? Value(num_tokens / seconds) : Value();
}

/// The order of steps.tsv: the stable twelve first (docs/reference/formats.md), further ones to the right.
std::vector<Cell> cells_of(const StepRow& row) {
  const double zero_spread_share =
      row.num_groups ? static_cast<double>(row.num_zero_spread_groups) / static_cast<double>(row.num_groups) : 0.0;
  const double num_sampled_tokens = static_cast<double>(row.num_completions) * row.length_mean;
  const auto sampled = [&](const Value& value) { return row.is_sampled ? value : Value(); };
  return {{"step", "step", row.step},
          {"rew", "reward", sampled(row.reward_mean)},
          {"std", "reward_std", sampled(row.reward_std)},
          {"sprd", "has_spread", sampled(row.has_spread)},
          {"N", "num_completions", row.num_completions},
          {"gt", "pass_rate", sampled(row.pass_rate)},
          {"hack", "hack_rate", sampled(row.hack_rate)},
          {"loss", "loss", row.loss},
          {"cin", "cos_in", maybe(row.cos_in)},
          {"cout", "cos_out", maybe(row.cos_out)},
          {"fired", "fired", maybe(row.fired)},
          {"sec", "step_time", row.times.total_s()},
          {"vacuous", "vacuous_rate", sampled(row.vacuous_rate)},
          {"len", "completions/mean_length", row.length_mean},
          {nullptr, "completions/min_length", row.length_min},
          {nullptr, "completions/max_length", row.length_max},
          {"trunc", "completions/clipped_ratio", sampled(row.truncated_rate)},
          {"kl", "kl", maybe(row.kl)},
          {"entropy", "entropy", row.entropy},
          {nullptr, "clip_ratio/region_mean", sampled(row.clip_fraction)},
          {nullptr, "sampling/importance_sampling_ratio/mean", sampled(row.ratio_mean)},
          {"gnorm", "grad_norm", row.grad_norm},
          {nullptr, "grad_norm_after_transform", row.grad_norm_after},
          {"lr", "learning_rate", row.lr},
          {"mismatch", "sampling/sampling_logp_difference/mean", maybe(row.mismatch_mean)},
          {nullptr, "sampling/sampling_logp_difference/max", maybe(row.mismatch_max)},
          {"skipped", "num_skipped_groups", sampled(row.num_skipped_groups)},
          {nullptr, "frac_reward_zero_std", sampled(zero_spread_share)},
          {"infra", "num_infra", sampled(row.num_infra)},
          {"applied", "update_applied", row.update_applied},
          {"residual", "merge_residual", maybe(row.residual)},
          {"leak", "leak", maybe(row.leak)},
          {nullptr, "num_prompts_over_context", row.num_prompts_over_context},
          {nullptr, "num_loss_tokens", row.num_tokens},
          {nullptr, "alignment", maybe(row.alignment)},
          {nullptr, "num_resampled_groups", sampled(row.num_resampled_groups)},
          {nullptr, "num_teacher_completions", sampled(row.num_teacher)},
          {nullptr, "hack_onset_step", row.onset_step ? Value(*row.onset_step) : Value()},
          {"sample_s", "time/sample_s", row.times.sample_s},
          {"grade_s", "time/grade_s", row.times.grade_s},
          {"advantage_s", "time/advantage_s", row.times.advantage_s},
          {"gradient_s", "time/gradient_s", row.times.gradient_s},
          {"transform_s", "time/transform_s", row.times.transform_s},
          {"optimizer_s", "time/optimizer_s", row.times.optimizer_s},
          {"record_s", "time/record_s", row.times.record_s},
          {nullptr, "perf/sampled_tokens_per_s", rate(num_sampled_tokens, row.times.sample_s)},
          {nullptr, "perf/trained_tokens_per_s", rate(static_cast<double>(row.num_tokens), row.times.gradient_s)},
          {nullptr, "perf/resident_mib", maybe(row.resident_mib)}};
}

constexpr std::array<const char*, 3> kRewardColumns = {"mean", "std", "none"};

std::array<Value, 3> values_of(const NamedRewardSummary& reward) {
  return {maybe(reward.mean), maybe(reward.std), Value(reward.num_not_applicable)};
}

std::string text_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "T" : "F";
  if (const auto* whole = std::get_if<int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.6g}", *real);
  return "nan";
}

std::string short_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:+.2f}", *value) : "-";
}

std::string line_end(const StepRow& row, double eta_s) {
  std::string text;
  if (!row.update_applied) text += "  update skipped: the gradient is not finite";
  if (eta_s >= 0) text += "  left " + format_duration(eta_s);
  return text;
}

}  // namespace

std::string steps_header(std::span<const std::string> reward_names) {
  std::string line;
  for (const Cell& cell : cells_of({})) {
    if (cell.column) line += (line.empty() ? "" : "\t") + std::string(cell.column);
  }
  for (const std::string& name : reward_names) {
    for (const char* what : kRewardColumns) line += fmt::format("\trewards/{}/{}", name, what);
  }
  return line;
}

std::string steps_line(const StepRow& row) {
  std::string line;
  for (const Cell& cell : cells_of(row)) {
    if (cell.column) line += (line.empty() ? "" : "\t") + text_of(cell.value);
  }
  for (const NamedRewardSummary& reward : row.rewards) {
    for (const Value& value : values_of(reward)) line += "\t" + text_of(value);
  }
  return line;
}

Json metrics_of(const StepRow& row) {
  Json object = Json::object();
  for (const Cell& cell : cells_of(row)) {
    if (const auto* flag = std::get_if<bool>(&cell.value)) object[cell.metric] = *flag;
    if (const auto* whole = std::get_if<int64_t>(&cell.value)) object[cell.metric] = *whole;
    if (const auto* real = std::get_if<double>(&cell.value)) object[cell.metric] = *real;
  }
  for (const NamedRewardSummary& reward : row.rewards) {
    const auto values = values_of(reward);
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string name = fmt::format("rewards/{}/{}", reward.name, kRewardColumns[i]);
      if (const auto* whole = std::get_if<int64_t>(&values[i])) object[name] = *whole;
      if (const auto* real = std::get_if<double>(&values[i])) object[name] = *real;
    }
  }
  for (const auto& [name, value] : row.transform) object["transform/" + name] = value;
  for (const auto& [name, value] : row.monitor) object["monitor/" + name] = value;
  object["weight_hash"] = row.weight_hash;
  return object;
}

std::string console_header() {
  return fmt::format("{:>5} {:>6} {:>5} {:>4} {:>6} {:>6} {:>9} {:>5} {:>5} {:>5} {:>8} {:>5} {:>6} {:>6}", "step",
                     "rew", "std", "sprd", "gt", "hack", "loss", "cin", "cout", "fired", "gnorm", "len", "trunc",
                     "sec");
}

std::string console_line(const StepRow& row, double eta_s) {
  std::string line = fmt::format(
      "{:>5} {:>6.3f} {:>5.2f} {:>4} {:>5.1f}% {:>5.1f}% {:>+9.2e} {:>5} {:>5} {:>5} {:>8.2e} {:>5.0f} {:>5.1f}% "
      "{:>6.1f}",
      row.step, row.reward_mean, row.reward_std, row.has_spread ? "T" : "F", 100 * row.pass_rate, 100 * row.hack_rate,
      row.loss, short_cell(row.cos_in), short_cell(row.cos_out), row.fired ? fmt::format("{:.2f}", *row.fired) : "-",
      row.grad_norm, row.length_mean, 100 * row.truncated_rate, row.times.total_s());
  if (row.num_infra > 0) line += fmt::format("  {} without a verdict", row.num_infra);
  return line + line_end(row, eta_s);
}

std::string supervised_header() {
  return fmt::format("{:>5} {:>4} {:>8} {:>8} {:>7} {:>5} {:>8} {:>8} {:>6}", "step", "N", "loss", "entropy", "tokens",
                     "len", "gnorm", "lr", "sec");
}

std::string supervised_line(const StepRow& row, double eta_s) {
  std::string line = fmt::format("{:>5} {:>4} {:>8.4f} {:>8.4f} {:>7} {:>5.0f} {:>8.2e} {:>8.2e} {:>6.1f}", row.step,
                                 row.num_completions, row.loss, row.entropy, row.num_tokens, row.length_mean,
                                 row.grad_norm, row.lr, row.times.total_s());
  return line + line_end(row, eta_s);
}

std::string console_note() {
  return "a loss near 0 is normal here: on-policy ratios are 1 and advantages sum to 0 in a group; "
         "watch rew, gt, hack and gnorm";
}

}  // namespace plumbline
