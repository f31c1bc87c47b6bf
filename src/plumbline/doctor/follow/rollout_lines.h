/// Lines of a followed file as rows of the follower; those that are no rollouts are counted and left out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "plumbline/base/error.h"
#include "plumbline/doctor/follow/follower.h"

namespace plumbline::doctor {

/// Not thread-safe. A line is a row, or a table of columns and data, as W&B writes it.
class RolloutLines {
 public:
  /// `follower` is borrowed. `warn` is told of the first line that cannot be read, and of a last line without its end.
  RolloutLines(Follower& follower, std::function<void(const std::string&)> warn)
      : follower_(follower), warn_(std::move(warn)) {}

  /// Throws what Follower::take and require_no_gap throw, and the reason of the first line when none of the first
  /// kPatience lines is a rollout.
  void take(const FollowedLine& line);
  /// At the end: throws the reason of the first line when there were lines and no rollout.
  void require_any() const;
  /// Lines that are no rollouts; of a table, its rows that are none.
  int64_t num_unreadable() const { return num_unreadable_; }

 private:
  static constexpr int64_t kPatience = 200;
  void take_row(const Json& row, const FollowedLine& line);
  void take_table(const Json& table, const FollowedLine& line);
  void leave_out(const DataError& why);

  Follower& follower_;
  const std::function<void(const std::string&)> warn_;
  std::optional<DataError> first_;
  FileBreak after_ = FileBreak::kNone;
  int64_t num_rows_ = 0, num_unreadable_ = 0;
};

}  // namespace plumbline::doctor
