#include "plumbline/doctor/follow/rollout_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace plumbline::doctor {

void RolloutLines::take(const FollowedLine& line) {
  after_ = std::max(after_, line.after);
  Json json;
  try {
    if (line.is_too_long) {
      throw DataError("data.line_too_long", "a line is longer than 64 MiB", line.where, "is this a JSON-lines file?");
    }
    json = parse_json(line.text, line.where);
  } catch (const DataError& error) {
    if (line.is_ended) return leave_out(error);
    ++num_unreadable_;
    return warn_(fmt::format("{}: the last line is unfinished and was not counted", line.where));
  }
  const bool is_table = json.is_object() && json.contains("columns") && json.contains("data");
  is_table ? take_table(json, line) : take_row(json, line);
}

void RolloutLines::take_table(const Json& table, const FollowedLine& line) {
  const Json &columns = table.at("columns"), &data = table.at("data");
  const bool is_named = columns.is_array() &&
                        std::all_of(columns.begin(), columns.end(), [](const Json& name) { return name.is_string(); });
  if (!is_named || !data.is_array()) {
    return leave_out({"data.json_type", "columns is no list of names, or data no list of rows", line.where,
                      "give tables as W&B writes them"});
  }
  for (const Json& values : data) {
    Json row = Json::object();
    for (size_t i = 0; i < std::min(values.size(), columns.size()) && values.is_array(); ++i) {
      row[columns[i].get<std::string>()] = values[i];
    }
    take_row(row, line);
  }
}

void RolloutLines::take_row(const Json& json, const FollowedLine& line) {
  std::optional<RolloutRow> row;
  try {
    row = read_rollout_row(json, line.where);
  } catch (const DataError& error) {
    return leave_out(error);
  }
  follower_.require_no_gap(after_, row->step, line.where);
  after_ = FileBreak::kNone;
  ++num_rows_;
  follower_.take(std::move(*row), line.file_number);
}

void RolloutLines::leave_out(const DataError& why) {
  ++num_unreadable_;
  if (!first_) {
    first_ = why;
    warn_(fmt::format("{}: left out, and so are further lines of this kind: {}", why.where(), why.message()));
  }
  if (num_unreadable_ >= kPatience) require_any();
}

void RolloutLines::require_any() const {
  if (num_rows_ == 0 && first_) throw *first_;
}

}  // namespace plumbline::doctor
