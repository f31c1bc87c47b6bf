/// The files of a run as tests compare them: everything but time.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"

namespace plumbline::test {

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// steps.tsv without its timing columns.
inline std::string steps_without_times(const std::string& folder) {
  std::string kept;
  const auto lines = split(read_file(folder + "/steps.tsv"), '\n');
  const auto names = split(lines.at(0), '\t');
  for (const std::string& line : lines) {
    const auto cells = split(line, '\t');
    for (size_t i = 0; i < cells.size(); ++i) {
      if (names[i] != "sec" && !names[i].ends_with("_s")) kept += cells[i] + "\t";
    }
    kept += "\n";
  }
  return kept;
}

inline std::string metrics_without_times(const std::string& folder) {
  std::string kept;
  for (const std::string& line : split(read_file(folder + "/metrics.jsonl"), '\n')) {
    Json row = parse_json(line, "metrics"), rest = Json::object();
    for (const auto& [name, value] : row.items()) {
      const bool is_timing = name == "step_time" || name.starts_with("time/") || name.starts_with("perf/");
      if (!is_timing) rest[name] = value;
    }
    kept += to_json_line(rest) + "\n";
  }
  return kept;
}

/// Content by path, of every file below `folder`.
inline std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder)] = read_file(entry.path());
  }
  return files;
}

}  // namespace plumbline::test
