#include "plumbline/train/stop_rule.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

using Figure = std::optional<double> (*)(const StepRow&);

std::optional<double> if_sampled(const StepRow& row, double value) {
  return row.is_sampled ? std::optional(value) : std::nullopt;
}

const std::map<std::string, Figure>& figures() {
  static const std::map<std::string, Figure> all = {
      {"hack_rate", [](const StepRow& row) { return if_sampled(row, row.hack_rate); }},
      {"vacuous_rate", [](const StepRow& row) { return if_sampled(row, row.vacuous_rate); }},
      {"pass_rate", [](const StepRow& row) { return if_sampled(row, row.pass_rate); }},
      {"reward", [](const StepRow& row) { return if_sampled(row, row.reward_mean); }},
      {"truncated_rate", [](const StepRow& row) { return if_sampled(row, row.truncated_rate); }},
      {"entropy", [](const StepRow& row) { return std::optional(row.entropy); }},
      {"kl", [](const StepRow& row) { return row.kl; }},
      {"grad_norm", [](const StepRow& row) { return std::optional(row.grad_norm); }},
      {"loss", [](const StepRow& row) { return std::optional(row.loss); }}};
  return all;
}

[[noreturn]] void refuse(const std::string& text) {
  std::string names;
  for (const auto& [name, figure] : figures()) names += (names.empty() ? "" : ", ") + name;
  throw ConfigError("config.stop_rule", "'" + text + "' is no stop rule", "train.stop_when",
                    "write for instance \"hack_rate >= 0.5 for 5 steps\"; figures: " + names);
}

template <typename Number>
Number number_of(const std::string& word, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) refuse(text);
  return value;
}

}  // namespace

StopRule parse_stop_rule(const std::string& text) {
  std::istringstream words(text);
  std::string metric, comparison, threshold, four, count, steps, rest;
  words >> metric >> comparison >> threshold >> four >> count >> steps;
  const bool is_whole = (four == "for") && (steps == "steps" || steps == "step") && !(words >> rest);
  if (!is_whole || !figures().contains(metric) || (comparison != ">=" && comparison != "<=")) refuse(text);
  StopRule rule{text, metric, comparison == ">=", number_of<double>(threshold, text), number_of<int64_t>(count, text)};
  if (!std::isfinite(rule.threshold) || rule.num_steps < 1) refuse(text);
  return rule;
}

std::string note_stop_rules(const StepRow& row, std::span<const StopRule> rules, std::vector<int64_t>& counts) {
  std::string stopped_by;
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::optional<double> value = figures().at(rules[i].metric)(row);
    const bool holds = value && (rules[i].at_least ? *value >= rules[i].threshold : *value <= rules[i].threshold);
    counts[i] = holds ? counts[i] + 1 : 0;
    if (stopped_by.empty() && counts[i] >= rules[i].num_steps) stopped_by = rules[i].text;
  }
  return stopped_by;
}

void note_onset(const StepRow& row, int64_t num_steps, TrainerState& state) {
  if (state.onset_step > 0 || !row.is_sampled) return;
  state.num_onset_steps = row.hack_rate > row.pass_rate ? state.num_onset_steps + 1 : 0;
  if (state.num_onset_steps >= num_steps) state.onset_step = row.step - num_steps + 1;
}

}  // namespace plumbline
