#include "plumbline/doctor/follow/rollout_row.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"

namespace plumbline::doctor {
namespace {

const Json* find_any(const Json& row, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = row.find(name);
    if (found != row.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

std::string content_of(const Json& message) {
  const Json* content = message.is_object() ? find_any(message, {"content", "text"}) : nullptr;
  return content && content->is_string() ? content->get<std::string>() : "";
}

/// A string, or messages: of a prompt the last one of the user's, of a completion all of the assistant's.
std::string text_of(const Json& value, const char* role) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (!value.is_array()) return text;
  for (const Json& message : value) {
    if (!message.is_object() || message.value("role", Json()) != Json(role)) continue;
    if (std::string_view(role) == "user") text.clear();
    text += content_of(message);
  }
  return text;
}

std::optional<double> number_of(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// TRL logs a column a reward function, named after it, and no sum.
std::optional<double> sum_of_reward_columns(const Json& row) {
  std::optional<double> sum;
  for (const auto& [name, value] : row.items()) {
    const bool is_reward = name.find("reward") != std::string::npos && name.find("std") == std::string::npos;
    if (!is_reward) continue;
    if (const auto number = number_of(value)) sum = sum.value_or(0) + *number;
  }
  return sum;
}

/// Writers of tables turn whole numbers into floats: 3.0 is a step, 3.5 and 1e300 are none.
int64_t step_of(const Json& value, const std::string& where) {
  constexpr double kMostExact = 9007199254740992.0;
  const double step = value.is_number() ? value.get<double>() : -1;
  if (step >= 0 && step <= kMostExact && std::floor(step) == step) return static_cast<int64_t>(step);
  throw DataError("data.json_type", "the step is " + to_json_line(value) + ", and not a whole number from 0 on", where,
                  "write the training step as a number");
}

}  // namespace

RolloutRow read_rollout_row(const Json& row, const std::string& where) {
  const Json* completion =
      row.is_object() ? find_any(row, {"completion", "output", "response", "completions"}) : nullptr;
  if (!completion) {
    throw DataError("data.json_missing_key", "the row has no completion", where,
                    "give rollouts with completion, output or response (docs/reference/doctor.md)");
  }
  RolloutRow out;
  out.completion = text_of(*completion, "assistant");
  if (const Json* prompt = find_any(row, {"prompt", "input", "prompts", "question"})) {
    out.prompt = text_of(*prompt, "user");
  }
  if (const Json* id = find_any(row, {"problem_id", "example_id", "task_id", "question_id"})) {
    if (id->is_string()) out.id = id->get<std::string>();
    if (id->is_number_integer()) out.id = to_json_line(*id);
  }
  if (const Json* step = find_any(row, {"step", "global_step", "training_step"})) out.step = step_of(*step, where);
  if (const Json* reward = find_any(row, {"reward", "score"})) out.reward = number_of(*reward);
  if (!out.reward) out.reward = sum_of_reward_columns(row);
  return out;
}

}  // namespace plumbline::doctor
