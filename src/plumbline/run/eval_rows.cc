#include "plumbline/run/eval_rows.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/compare/eval_report_writer.h"

namespace plumbline {

EvalRows::EvalRows(const std::string& path, const EvalSet& set) : set_(set), writer_(path) {
  std::map<std::string, size_t> items;
  for (size_t i = 0; i < set.list.items.size(); ++i) {
    items.emplace(eval_row(*set.list.items[i].problem, {}, {}).at("problem_id").dump(), i);
  }
  for (JsonlReader lines(path); lines.next();) {
    const Json line = lines.parse();
    const Json& row = require_member(line, "row", lines.where());
    const auto item = items.find(require_member(row, "problem_id", lines.where()).dump());
    const bool is_ours = item != items.end() && require_member(row, "prompt_hash", lines.where()) ==
                                                    set.list.items[item->second].prompt.hash();
    const Json& sample = require_member(line, "sample", lines.where());
    if (!is_ours || !sample.is_number_integer()) {
      throw DataError("data.eval_rows", "the row belongs to no item of this evaluation", lines.where(),
                      "the problems or the template have changed; start a new evaluation");
    }
    rows_[{item->second, sample.get<int64_t>()}] = row;
  }
}

std::vector<ItemDraw> EvalRows::missing(int64_t num_samples) const {
  std::vector<ItemDraw> draws;
  for (size_t item = 0; item < set_.list.items.size(); ++item) {
    for (int64_t sample = 0; sample < num_samples; ++sample) {
      if (!rows_.count({item, sample})) draws.push_back({item, sample});
    }
  }
  return draws;
}

void EvalRows::add(const ItemRow& row) {
  if (row.verdict.is_infra()) return;
  const EvalItem& item = set_.list.items[row.draw.item];
  const Json json =
      eval_row(*item.problem, {item.prompt.hash(), row.completion, row.finish_reason, row.num_tokens}, row.verdict);
  writer_.write(to_json_line(Json{{"sample", row.draw.sample}, {"row", json}}));
  rows_[row.draw] = json;
}

std::vector<Json> EvalRows::rows() const {
  std::vector<Json> rows;
  for (const auto& [draw, row] : rows_) rows.push_back(row);
  return rows;
}

}  // namespace plumbline
