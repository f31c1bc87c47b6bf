#include "plumbline/report/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/toml_reader.h"
#include "plumbline/record/jsonl.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMostRuns = 10000;

std::string text_of(const TomlValue& value) {
  using Kind = TomlValue::Kind;
  switch (value.kind) {
    case Kind::kString:
      return value.text;
    case Kind::kInteger:
      return std::to_string(value.integer);
    case Kind::kReal:
      return toml_real(value.real);
    case Kind::kBoolean:
      return value.boolean ? "true" : "false";
    default:
      break;
  }
  std::string joined;
  for (const TomlValue& item : value.children) joined += (joined.empty() ? "" : ", ") + text_of(item);
  return joined;
}

Settings read_settings(const std::string& path) {
  Settings settings;
  for (const TomlValue& table : parse_toml(read_file(path), path).children) {
    for (const TomlValue& value : table.children) settings[table.key + "." + value.key] = text_of(value);
  }
  return settings;
}

std::vector<std::string> list_of(const Settings& settings, const std::string& key) {
  std::vector<std::string> words;
  const std::string text = setting_of(settings, key);
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(", ", start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 2;
  }
  return words;
}

Provenance read_provenance(const std::string& folder) {
  const std::string path = folder + "/provenance.json";
  Provenance rows;
  if (!fs::exists(path)) return rows;
  const Json object = parse_json(read_file(path), path);
  if (!object.is_object()) throw DataError("data.json_type", "expected an object", path);
  for (const auto& [key, value] : object.items()) {
    rows.emplace_back(key, value.is_string() ? value.get<std::string>() : value.is_null() ? "none" : value.dump());
  }
  return rows;
}

int64_t count_of(const Json& row, const char* key, const std::string& where) {
  const Json& value = require_member(row, key, where);
  const int64_t count = value.is_number_integer() ? value.get<int64_t>() : -1;
  if (count < 0) {
    throw DataError("data.json_type", std::string(key) + " is not a count", where, "the file is not this program's");
  }
  return count;
}

std::string word_of(const Json& row, const char* key, const std::string& where) {
  const Json& value = require_member(row, key, where);
  if (!value.is_string()) throw DataError("data.json_type", std::string(key) + " is not a string", where);
  return value.get<std::string>();
}

SliceEvaluation evaluation_of(const Json& row, const std::string& where) {
  if (!row.is_object()) throw DataError("data.json_type", "expected an object", where);
  SliceEvaluation evaluation;
  evaluation.step = count_of(row, "step", where);
  evaluation.decode = word_of(row, "decode", where);
  evaluation.num_graded = count_of(row, "graded", where);
  evaluation.num_passed = count_of(row, "passed", where);
  evaluation.num_hacked = count_of(row, "hacked", where);
  evaluation.num_vacuous = count_of(row, "vacuous", where);
  evaluation.num_truncated = count_of(row, "truncated", where);
  for (const int64_t part : {evaluation.num_passed, evaluation.num_hacked, evaluation.num_vacuous}) {
    if (part > evaluation.num_graded) {
      throw DataError("data.evaluation", "more completions of a kind than were graded", where);
    }
  }
  const Json& reward = require_member(row, "mean_reward", where);
  if (!reward.is_number()) throw DataError("data.json_type", "mean_reward is not a number", where);
  evaluation.mean_reward = reward.get<double>();
  return evaluation;
}

/// A last row without its end is being written and is left out.
std::vector<SliceEvaluation> read_evaluations(const std::string& path) {
  std::vector<SliceEvaluation> evaluations;
  if (!fs::exists(path)) return evaluations;
  JsonlReader reader(path);
  while (reader.next()) {
    if (!reader.line_ended()) break;
    evaluations.push_back(evaluation_of(reader.parse(), reader.where()));
  }
  return evaluations;
}

int64_t planned_steps(const Settings& settings) {
  return static_cast<int64_t>(std::clamp(number_of(settings, "train.steps", 0), 0.0, 1e15));
}

void read_rows(ArmRun& run) {
  const std::string steps = run.folder + "/steps.tsv";
  run.provenance = read_provenance(run.folder);
  if (!fs::exists(steps)) return;
  run.state = RunState::kIncomplete;
  run.steps = read_step_table(steps, CutLine::kLeaveOut);
  if (!run.steps.rows.empty()) {
    for (const char* column : {"step", "rew", "gt", "hack", "vacuous"}) run.steps.column(column);
  }
  run.evaluations = read_evaluations(run.folder + "/eval.jsonl");
  const bool is_whole = run.steps_done() > 0 && run.steps_done() >= run.steps_planned;
  if (fs::exists(run.folder + "/COMPLETE")) {
    if (!is_whole) {
      throw DataError("data.run_rows",
                      fmt::format("{} of {} steps in a run marked COMPLETE", run.steps_done(), run.steps_planned),
                      steps, "rows were lost; train it anew");
    }
    run.state = RunState::kComplete;
  }
}

ArmRun read_run(const std::string& folder) {
  ArmRun run;
  run.folder = folder;
  run.settings = read_settings(folder + "/resolved.toml");
  run.arm = setting_of(run.settings, "run.arm", "vanilla");
  run.seed = std::strtoull(setting_of(run.settings, "run.seed", "0").c_str(), nullptr, 10);
  run.steps_planned = planned_steps(run.settings);
  try {
    read_rows(run);
  } catch (const Error& error) {
    run.state = RunState::kUnreadable;
    run.problem = error.line();
  }
  return run;
}

std::vector<GateRow> read_gates(const std::string& path) {
  std::vector<GateRow> gates;
  if (!fs::exists(path)) return gates;
  const Json rows = parse_json(read_file(path), path);
  if (!rows.is_array()) throw DataError("data.json_type", "expected an array of gates", path);
  for (const Json& row : rows) {
    if (!row.is_object()) throw DataError("data.json_type", "expected an array of gates", path);
    gates.push_back({word_of(row, "id", path), word_of(row, "title", path), word_of(row, "status", path),
                     word_of(row, "should", path), word_of(row, "saw", path), word_of(row, "else", path)});
  }
  return gates;
}

/// An arm that the probe plans: its folder where it is there, else only what is planned.
ArmRun planned_run(const ProbeFolder& probe, const std::string& arm, const std::string& seed) {
  const std::string folder = fmt::format("{}/arms/{}-s{}", probe.folder, arm, seed);
  ArmRun run;
  run.folder = folder;
  run.arm = arm;
  run.seed = std::strtoull(seed.c_str(), nullptr, 10);
  run.steps_planned = planned_steps(probe.settings);
  run.settings = probe.settings;
  if (!fs::exists(folder + "/resolved.toml")) return run;
  try {
    return read_run(folder);
  } catch (const Error& error) {  // its resolved.toml
    run.state = RunState::kUnreadable;
    run.problem = error.line();
  }
  return run;
}

void read_probe(const std::string& folder, RunSet& set) {
  ProbeFolder probe;
  probe.folder = folder;
  probe.settings = read_settings(folder + "/resolved.toml");
  try {
    probe.provenance = read_provenance(folder);
    probe.gates = read_gates(folder + "/gates.json");
  } catch (const Error& error) {
    probe.problem = error.line();
  }
  const std::vector<std::string> seeds = list_of(probe.settings, "probe.seeds");
  const std::vector<std::string> arms = list_of(probe.settings, "probe.arms");
  if (seeds.size() * arms.size() > kMostRuns) {
    throw DataError("data.too_many_runs", fmt::format("a probe of {} arms and {} seeds", arms.size(), seeds.size()),
                    folder, "a report takes 10000 runs of a probe");
  }
  for (const std::string& seed : seeds) {
    for (const std::string& arm : arms) {
      set.runs.push_back(planned_run(probe, arm, seed));
    }
  }
  set.probes.push_back(std::move(probe));
}

/// A run has rows of its own; a probe has none.
bool is_probe(const std::string& folder) {
  for (const char* name : {"arms", "gates.json"}) {
    if (fs::exists(folder + "/" + name)) return true;
  }
  return fs::exists(folder + "/direction.safetensors") && !fs::exists(folder + "/steps.tsv");
}

}  // namespace

std::string ArmRun::label() const {
  return fmt::format("{} s{}", arm, seed);
}

int64_t RunSet::num_unfinished() const {
  return std::count_if(runs.begin(), runs.end(), [](const ArmRun& run) {
    return run.state == RunState::kIncomplete || run.state == RunState::kNotStarted;
  });
}

RunSet read_run_set(const std::vector<std::string>& folders) {
  RunSet set;
  std::set<std::string> seen;
  for (std::string folder : folders) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (!fs::exists(folder + "/resolved.toml")) {
      throw DataError("data.not_a_run", "there is no resolved.toml in the folder", folder,
                      "name the folder of a probe or of a run");
    }
    if (!seen.insert(fs::canonical(folder).string()).second) continue;
    if (is_probe(folder)) {
      read_probe(folder, set);
    } else {
      set.runs.push_back(read_run(folder));
    }
  }
  // A probe and one of its arms, both named: the arm counts once.
  std::set<std::string> counted;
  std::erase_if(set.runs,
                [&](const ArmRun& run) { return !counted.insert(fs::weakly_canonical(run.folder).string()).second; });
  return set;
}

std::string setting_of(const Settings& settings, const std::string& key, const std::string& fallback) {
  const auto found = settings.find(key);
  return found == settings.end() ? fallback : found->second;
}

double number_of(const Settings& settings, const std::string& key, double fallback) {
  const std::string text = setting_of(settings, key);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' || !std::isfinite(value) ? fallback : value;
}

}  // namespace plumbline
