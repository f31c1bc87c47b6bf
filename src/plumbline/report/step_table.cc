#include "plumbline/report/step_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

double number(const std::string& word, const std::string& where) {
  if (word == "T" || word == "F") return word == "T" ? 1.0 : 0.0;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || end != word.c_str() + word.size()) {
    throw DataError("data.steps_table", "'" + word + "' is not a number", where, "see the run's log");
  }
  return value;
}

}  // namespace

bool StepTable::has_column(const std::string& name) const {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

std::vector<double> StepTable::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw DataError("data.steps_column", "steps.tsv has no column '" + name + "'");
  std::vector<double> values;
  for (const auto& row : rows) values.push_back(row[static_cast<size_t>(found - columns.begin())]);
  return values;
}

StepTable read_step_table(const std::string& path, CutLine cut_line) {
  StepTable table;
  std::vector<std::string> lines = split(read_file(path), '\n');
  if (cut_line == CutLine::kLeaveOut) lines.pop_back();
  if (lines.empty()) return table;
  table.columns = split(lines.front(), '\t');
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::string where = fmt::format("{}:{}", path, i + 1);
    const std::vector<std::string> words = split(lines[i], '\t');
    if (words.size() != table.columns.size()) {
      throw DataError("data.steps_table",
                      fmt::format("{} columns where the header has {}", words.size(), table.columns.size()), where,
                      "the file was cut or edited; resume the run");
    }
    auto& row = table.rows.emplace_back();
    for (const std::string& word : words) row.push_back(number(word, where));
  }
  return table;
}

}  // namespace plumbline
