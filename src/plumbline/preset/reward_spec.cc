#include "plumbline/preset/reward_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr std::string_view kCommandPrefix = "command:", kJudgePrefix = "judge:";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  });
}

bool is_dotted_identifier(std::string_view text) {
  bool at_start = true;
  for (const char c : text) {
    if (c == '.') {
      if (at_start) return false;
      at_start = true;
    } else if (is_letter(c) || static_cast<unsigned char>(c) >= 0x80 || (!at_start && c >= '0' && c <= '9')) {
      at_start = false;
    } else {
      return false;
    }
  }
  return !at_start;
}

/// The function's own name when `target` is FILE.py:f or module:f, else empty.
std::string function_name(const std::string& target) {
  const size_t colon = target.rfind(':');
  if (colon == std::string::npos) return "";
  const std::string place = target.substr(0, colon), function = target.substr(colon + 1);
  const bool is_file = place.size() > 3 && place.ends_with(".py");
  if (!is_dotted_identifier(function) || !(is_file || is_dotted_identifier(place))) return "";
  return function.substr(function.rfind('.') + 1);
}

RewardSpec parse_entry(const std::string& entry, const std::string& where) {
  RewardSpec spec;
  spec.target = entry;
  if (const size_t equals = entry.find('='); equals != std::string::npos && is_name(entry.substr(0, equals))) {
    spec.name = entry.substr(0, equals);
    spec.target = entry.substr(equals + 1);
  }
  std::string own_name;
  if (spec.target == "loophole" || spec.target == "signed") {
    own_name = spec.target;
  } else if (spec.target.starts_with("http://") || spec.target.starts_with("https://")) {
    spec.kind = RewardKind::kEndpoint;
  } else if (spec.target.starts_with(kJudgePrefix)) {
    spec.kind = RewardKind::kJudge;
    spec.target.erase(0, kJudgePrefix.size());
  } else if (spec.target.starts_with(kCommandPrefix)) {
    spec.kind = RewardKind::kCommand;
    spec.target.erase(0, kCommandPrefix.size());
    if (spec.target.find_first_not_of(" \t") == std::string::npos) {
      throw ConfigError("config.not_allowed", "a reward's command is empty", where, "write command:PROGRAM ...");
    }
  } else if (own_name = function_name(spec.target); !own_name.empty()) {
    spec.kind = RewardKind::kFunction;
  } else {
    throw ConfigError("config.not_allowed", fmt::format("'{}' is no reward", entry), where,
                      "write loophole, signed, my_rewards.py:function, package.module:function, command:PROGRAM ..., "
                      "judge:provider:model, or an http address, with NAME= in front");
  }
  if (spec.name.empty()) spec.name = own_name;
  if (spec.name.empty()) {
    throw ConfigError("config.not_allowed", fmt::format("the reward '{}' has no name", entry), where,
                      "write NAME=" + entry);
  }
  if (!is_name(spec.name)) {
    throw ConfigError("config.not_allowed", fmt::format("'{}' cannot name a reward", spec.name), where,
                      "use letters, digits, '.', '_' and '-'");
  }
  return spec;
}

}  // namespace

std::vector<RewardSpec> parse_rewards(const GradeOptions& options, const std::string& where) {
  const bool is_custom = options.reward == "custom";
  if (is_custom && options.rewards.empty()) {
    throw ConfigError("config.conflict", "reward = custom names no reward", where,
                      "list them, for example \"my_rewards.py:score\"");
  }
  if (!is_custom && !(options.rewards.empty() && options.reward_weights.empty())) {
    throw ConfigError("config.conflict", fmt::format("a list of rewards and reward = {}", options.reward), where,
                      "set grade.reward = custom, or drop the list");
  }
  if (!options.reward_weights.empty() && options.reward_weights.size() != options.rewards.size()) {
    throw ConfigError("config.conflict",
                      fmt::format("{} weights for {} rewards", options.reward_weights.size(), options.rewards.size()),
                      where, "give one weight a reward, or none");
  }
  std::vector<RewardSpec> specs;
  for (const std::string& entry : options.rewards) {
    RewardSpec spec = parse_entry(entry, where);
    if (!options.reward_weights.empty()) spec.weight = options.reward_weights[specs.size()];
    if (!std::isfinite(spec.weight)) {
      throw ConfigError("config.out_of_range", fmt::format("the weight of '{}' is not finite", spec.name), where,
                        "give a number");
    }
    if (std::any_of(specs.begin(), specs.end(), [&](const RewardSpec& other) { return other.name == spec.name; })) {
      throw ConfigError("config.conflict", fmt::format("two rewards are called '{}'", spec.name), where,
                        "name one of them: OTHER=" + spec.target);
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace plumbline
