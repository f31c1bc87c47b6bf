#include "plumbline/judge/planned_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plumbline/base/interrupt.h"

namespace plumbline {

bool PlannedRows::plan(std::string key) {
  keys_.push_back(std::move(key));
  return rows_.contains(keys_.back());
}

void PlannedRows::append(const std::string& key, const std::string& line, bool is_failure) {
  rows_.append(key, line);
  if (!is_failure) return;
  const double allowed = max_failed_share_ * static_cast<double>(num_planned_);
  if (static_cast<double>(++num_failed_) > allowed + 1e-9) failed_too_often_ = true;
}

bool PlannedRows::is_stopping() const {
  return failed_too_often_ || interrupt_requested();
}

bool PlannedRows::finish() {
  if (is_stopping()) return false;
  rows_.put_in_order(keys_);
  return true;
}

std::optional<Json> PlannedRows::row(size_t index) const {
  const std::optional<std::string> line = rows_.find(keys_[index]);
  return line ? std::optional(parse_json(*line, path())) : std::nullopt;
}

int64_t PlannedRows::num_there() const {
  return std::count_if(keys_.begin(), keys_.end(), [&](const std::string& key) { return rows_.contains(key); });
}

int64_t PlannedRows::num_left() const {
  return std::max<int64_t>(0, num_planned_ - static_cast<int64_t>(rows_.size()));
}

std::string PlannedRows::failure() const {
  return fmt::format("{} of {} planned calls failed, more than a share of {}", num_failed(), num_planned_,
                     max_failed_share_);
}

}  // namespace plumbline
