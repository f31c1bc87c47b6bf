#include "plumbline/doctor/readers/run_folder.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/toml_reader.h"
#include "plumbline/doctor/readers/read_lines.h"
#include "plumbline/doctor/readers/series.h"
#include "plumbline/doctor/readers/text_log.h"

namespace plumbline::doctor {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const size_t tab = line.find('\t');
    cells.push_back(line.substr(0, tab));
    if (tab == line.npos) return cells;
    line.remove_prefix(tab + 1);
  }
}

std::string text_of(const TomlValue& value) {
  switch (value.kind) {
    case TomlValue::Kind::kString:
      return value.text;
    case TomlValue::Kind::kInteger:
      return std::to_string(value.integer);
    case TomlValue::Kind::kReal:
      return toml_real(value.real);
    default:
      return "";
  }
}

void read_settings(const std::string& path, TrainingSetup& setup) {
  for (const TomlValue& table : parse_toml(read_file(path), path).children) {
    for (const TomlValue& value : table.children) {
      const std::string key = table.key + "." + value.key, text = text_of(value);
      if (key == "run.task") setup.task = text;
      if (key == "run.seed" && value.kind == TomlValue::Kind::kInteger) setup.seed = value.integer;
      if (key == "model.path") setup.model = text;
      if ((key == "rollout.num_generations" || key == "rollout.group_size") &&
          value.kind == TomlValue::Kind::kInteger) {
        setup.group_size = value.integer;
      }
      if (key != "adapter.target_modules") continue;
      for (const TomlValue& item : value.children) setup.target_modules.push_back(text_of(item));
    }
  }
}

void read_series_file(const std::string& path, TrainingLog& log) {
  SeriesBuilder series(path);
  JsonStream stream(path);
  FlatRow row;
  try {
    while (stream.kind() != JsonStream::Kind::kEnd) {
      row.read(stream);
      series.add_row(row);
    }
  } catch (const DataError& error) {
    if (error.id() != "data.truncated_file") throw;  // the last row is being written
  }
  TrainingLog further = series.take();
  for (auto& [name, points] : further.series) log.series.emplace(name, std::move(points));  // steps.tsv has precedence
  for (auto& [name, figure] : further.watched) log.watched.emplace(name, std::move(figure));
}

/// In steps.tsv "nan" is what was not measured (a KL without a reference, the reward of a supervised step). These are
/// measured at every step.
bool is_always_measured(std::string_view column) {
  return column == "loss" || column == "gnorm";
}

TrainingLog steps_of(const std::string& path) {
  SeriesBuilder series(path);
  std::vector<std::string> names;
  int64_t number = 0;
  ByteSource source(path);
  for_each_line("", source, [&](std::string_view line) {
    ++number;
    if (line.empty()) return;
    const std::vector<std::string_view> cells = split(line);
    if (names.empty()) {
      names.assign(cells.begin(), cells.end());
      return;
    }
    if (cells.size() != names.size()) {
      throw DataError("data.json", fmt::format("{} columns instead of {}", cells.size(), names.size()),
                      fmt::format("{}, line {}", path, number));
    }
    series.begin_step(number_of_text(cells[0]));
    for (size_t i = 1; i < cells.size(); ++i) {
      if (names[i] == "sprd") {
        if (cells[i] == "T" || cells[i] == "F") series.add("frac_reward_zero_std", cells[i] == "F" ? 1 : 0);
      } else if (const auto value = number_of_text(cells[i])) {
        series.add(names[i], *value);
      } else if (const auto nonfinite = nonfinite_of_text(cells[i]); nonfinite && is_always_measured(names[i])) {
        series.add(names[i], *nonfinite);
      }
    }
  });
  return series.take();
}

/// False for what is no regular file: reading it says so.
bool is_empty_file(const std::string& path) {
  std::error_code error;
  return fs::file_size(path, error) == 0 && !error;
}

}  // namespace

bool is_run_folder(const std::string& path) {
  std::error_code error;  // a folder that may not be entered is none of ours to read
  return fs::exists(path + "/resolved.toml", error) || fs::exists(path + "/steps.tsv", error);
}

bool is_run_file(const std::string& name) {
  for (const char* own :
       {"resolved.toml", "provenance.json", "steps.tsv", "metrics.jsonl", "rollouts.jsonl", "COMPLETE", "eval.jsonl"}) {
    if (name == own) return true;
  }
  return name.find("tfevents") != std::string::npos;  // the same figures again
}

void read_steps_table(const std::string& path, Collector& out) {
  out.evidence.logs.push_back(steps_of(path));
}

void read_run_folder(const std::string& path, Collector& out) {
  TrainingSetup setup;
  setup.where = path;
  setup.sweep = fs::path(path).parent_path().string();
  if (fs::exists(path + "/resolved.toml")) read_settings(path + "/resolved.toml", setup);
  if (const std::string file = path + "/provenance.json"; fs::exists(file)) {
    JsonStream stream(file);
    read_provenance(*read_json_head(stream, [](const std::string&, const FlatRow&) {}).tree, setup);
  }
  out.evidence.setups.push_back(std::move(setup));
  TrainingLog log;
  if (fs::exists(path + "/steps.tsv")) log = steps_of(path + "/steps.tsv");
  if (fs::exists(path + "/metrics.jsonl")) read_series_file(path + "/metrics.jsonl", log);
  log.where = path + "/steps.tsv";
  if (!log.series.empty() || !log.watched.empty()) out.evidence.logs.push_back(std::move(log));
  if (const std::string file = path + "/rollouts.jsonl"; fs::exists(file) && !is_empty_file(file)) {
    JsonStream stream(file);
    read_lines(file, stream, out);
  }
  if (!fs::exists(path + "/COMPLETE")) out.not_checked(path, "the rest of the run", "it is not marked COMPLETE");
}

}  // namespace plumbline::doctor
