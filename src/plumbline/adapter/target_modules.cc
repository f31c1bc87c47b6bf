#include "plumbline/adapter/target_modules.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

const std::set<std::string>& attention_and_mlp() {
  static const std::set<std::string> kinds = {"q_proj",    "k_proj",  "v_proj",   "o_proj",
                                              "gate_proj", "up_proj", "down_proj"};
  return kinds;
}

std::string last_part(const std::string& module) {
  return module.substr(module.rfind('.') + 1);
}

bool matches(const std::string& pattern, const std::string& module) {
  if (pattern == "all-linear") return true;
  if (pattern == "attn-mlp") return attention_and_mlp().count(last_part(module)) > 0;
  return fnmatch(pattern.c_str(), module.c_str(), 0) == 0 ||
         fnmatch(pattern.c_str(), last_part(module).c_str(), 0) == 0;
}

bool is_expert(const std::string& module) {
  return module.find(".experts.") != std::string::npos;
}

[[noreturn]] void refuse(const std::string& message, const std::vector<std::string>& available) {
  throw ConfigError("config.target_modules", message, "adapter.target_modules",
                    "use attn-mlp, all-linear, or names and patterns of these " + describe_modules(available) +
                        (available.empty() ? "" : " (such as " + available.front() + ")"));
}

}  // namespace

std::vector<std::string> match_target_modules(const std::vector<std::string>& available,
                                              const std::vector<std::string>& patterns) {
  if (patterns.empty()) refuse("the list is empty", available);
  for (const std::string& pattern : patterns) {
    if (pattern.size() == 1 && std::isalpha(static_cast<unsigned char>(pattern[0]))) {
      refuse("'" + pattern + "' is a single letter: a string seems to have been read letter by letter", available);
    }
  }
  std::vector<bool> used(patterns.size(), false);
  std::vector<std::string> chosen;
  for (const std::string& module : available) {
    bool wanted = false;
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (!matches(patterns[i], module)) continue;
      wanted = used[i] = true;
    }
    if (wanted) chosen.push_back(module);
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (!used[i]) refuse("'" + patterns[i] + "' matches no module", available);
  }
  return chosen;
}

std::vector<Linear*> match_targets(Decoder& decoder, const std::vector<std::string>& patterns) {
  std::map<std::string, Linear*> by_name;
  std::vector<std::string> available;
  for (Linear* linear : decoder.linears()) {
    by_name[linear->name] = linear;
    available.push_back(linear->name);
  }
  std::vector<Linear*> targets;
  for (const std::string& name : match_target_modules(available, patterns)) targets.push_back(by_name.at(name));
  return targets;
}

void require_adapted_experts(const std::vector<std::string>& available, const std::vector<std::string>& chosen,
                             bool frozen_experts) {
  if (frozen_experts || std::none_of(available.begin(), available.end(), is_expert) ||
      std::any_of(chosen.begin(), chosen.end(), is_expert)) {
    return;
  }
  throw ConfigError("config.frozen_experts",
                    "the model has experts and none would carry an adapter; there are " + describe_modules(available),
                    "adapter.target_modules",
                    "use attn-mlp, all-linear or a pattern such as *.experts.*, or set adapter.frozen_experts = true");
}

std::string describe_modules(const std::vector<std::string>& modules) {
  std::map<std::string, int> counts;
  for (const std::string& module : modules) ++counts[(is_expert(module) ? "experts." : "") + last_part(module)];
  std::string text = std::to_string(modules.size()) + " modules";
  const char* separator = ": ";
  for (const auto& [kind, count] : counts) {
    text += separator + kind + " " + std::to_string(count);
    separator = ", ";
  }
  return text;
}

}  // namespace plumbline
