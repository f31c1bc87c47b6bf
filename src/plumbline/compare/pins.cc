#include "plumbline/compare/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/typed_json.h"
#include "plumbline/record/task_names.h"

namespace plumbline {
namespace {

constexpr const char* kNotRecorded = "not recorded";

constexpr std::array kNames = {"commit",
                               "dirty",
                               "model_hash",
                               "adapter_kind",
                               "model_has_chat_template",
                               "template_hash",
                               "template_wrap",
                               "max_prompt_tokens",
                               "max_new_tokens",
                               "decode",
                               "temperature",
                               "metric",
                               "split_hash",
                               "generator_version",
                               "rollout_mode",
                               "num_generations",
                               "precision",
                               "quantization",
                               "grader",
                               "libraries"};

void check_type(const TypedObject& object, const std::string& name) {
  static const std::set<std::string> kBooleans = {"dirty", "model_has_chat_template", "template_wrap"};
  static const std::set<std::string> kIntegers = {"max_prompt_tokens", "max_new_tokens", "num_generations"};
  static const std::set<std::string> kEither = {"grader", "generator_version"};  // a version: text or number
  if (!object.has(name)) return;
  if (kBooleans.count(name)) {
    object.boolean(name);
  } else if (kIntegers.count(name)) {
    object.integer(name);
  } else if (name == "temperature") {
    object.real(name);
  } else if (name == "libraries") {
    object.object(name);
  } else if (kEither.count(name)) {
    object.id(name);
  } else {
    object.text(name);
  }
}

std::string joined(const std::vector<PinDifference>& differences) {
  std::string text;
  for (const PinDifference& difference : differences) text += (text.empty() ? "" : "; ") + difference.words();
  return text;
}

}  // namespace

std::span<const char* const> pin_names() {
  return kNames;
}

void Pins::set(const std::string& name, const Json& value) {
  if (value.is_object()) {
    for (const auto& [member, inner] : value.items()) set(name + "." + member, inner);
  } else if (value.is_number_float() &&
             value.get<double>() == static_cast<double>(static_cast<int64_t>(value.get<double>()))) {
    values_[name] = std::to_string(static_cast<int64_t>(value.get<double>()));  // 0.0 and 0 are one temperature
  } else {
    values_[name] = to_json_line(value);
  }
}

std::optional<std::string> Pins::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

Json Pins::to_json() const {
  Json object = Json::object();
  for (const auto& [name, value] : values_) {
    const size_t dot = name.find('.');
    Json parsed = parse_json(value, "a pin");
    if (dot == std::string::npos) {
      object[name] = std::move(parsed);
    } else {
      object[name.substr(0, dot)][name.substr(dot + 1)] = std::move(parsed);
    }
  }
  return object;
}

Pins read_pins(const Json& object, const std::string& where) {
  const TypedObject typed(object, where);
  for (const char* name : kNames) check_type(typed, name);
  Pins pins;
  for (const auto& [name, value] : object.items()) {
    if (value.is_array()) throw DataError("data.json_type", fmt::format("the pin \"{}\" is a list", name), where);
    pins.set(name, value);
  }
  return pins;
}

std::vector<std::string> unrecorded_pins(const Pins& pins) {
  static const std::set<std::string> kMayBeNull = {"template_hash", "num_generations", "generator_version"};
  std::vector<std::string> names;
  for (const std::string name : kNames) {
    const std::optional<std::string> value = pins.find(name);
    if (name == "libraries") {
      const auto& all = pins.values();
      const auto first = all.lower_bound("libraries.");
      if (first == all.end() || first->first.rfind("libraries.", 0) != 0) names.push_back(name);
    } else if (value ? *value == "null" && !kMayBeNull.count(name) : name != "generator_version") {
      names.push_back(name);
    }
  }
  return names;
}

std::string PinDifference::words() const {
  return fmt::format("{}: {} and {}", name, first, second);
}

std::vector<PinDifference> pin_differences(const Pins& first, const Pins& second) {
  std::set<std::string> names;
  for (const auto& [name, value] : first.values()) names.insert(name);
  for (const auto& [name, value] : second.values()) names.insert(name);
  std::vector<PinDifference> differences;
  for (const std::string& name : names) {
    PinDifference difference{name, first.find(name).value_or(kNotRecorded), second.find(name).value_or(kNotRecorded)};
    if (difference.first != difference.second) differences.push_back(std::move(difference));
  }
  return differences;
}

bool split_depends_on_seed(const std::string& task) {
  return task == "invention" || task == "provenance" || task == "concept";
}

std::optional<std::string> task_of_grader(const Pins& pins) {
  const std::string grader = pins.find("grader").value_or("");  // JSON text: "code 4" with its quotation marks
  for (const std::string_view task : kTaskNames) {
    const std::string before = fmt::format("\"{} ", task);
    if (grader.rfind(before, 0) != 0 || grader.size() < before.size() + 2) continue;
    const std::string version = grader.substr(before.size(), grader.size() - before.size() - 1);
    if (version.find_first_not_of("0123456789") == std::string::npos) return std::string(task);
  }
  return std::nullopt;
}

std::optional<std::string> pin_fault(const Pins& pins) {
  static const std::set<std::string> kFourBit = {"\"nf4\"", "\"fp4\"", "\"int4\"", "\"4bit\"", "\"nvfp4\""};
  const std::string quantization = pins.find("quantization").value_or("");
  if (kFourBit.count(quantization) && pins.find("rollout_mode") == "\"colocated\"") {
    return fmt::format(
        "quantization {} with a colocated rollout engine: it samples from other weights than those trained",
        quantization);
  }
  return std::nullopt;
}

void require_pins_of(const Pins& planned, const std::string& task, int64_t seed, const std::string& path) {
  const EvalReport report = read_eval_report(path);
  if (report.task != task) {
    throw ConfigError("config.pin_mismatch", fmt::format("task: \"{}\" and \"{}\"", task, report.task), path,
                      "give the report of the same task");
  }
  std::vector<PinDifference> differences = pin_differences(planned, report.pins);
  if (split_depends_on_seed(task) && seed != report.seed && planned.find("generator_version")) {
    std::erase_if(differences, [](const PinDifference& difference) { return difference.name == "split_hash"; });
  }
  if (!differences.empty()) {
    throw ConfigError("config.pin_mismatch", "this run and the report would not be comparable: " + joined(differences),
                      path, "set the same values, or compare with another report");
  }
}

}  // namespace plumbline
