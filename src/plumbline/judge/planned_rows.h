/// The rows of a judge's or a teacher's run: which are planned and in what order, which are there already, and when too
/// many calls have failed to go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/judge/keyed_rows.h"

namespace plumbline {

/// plan() and row() are serialised by the caller, and done when finish() is called; the rest is thread-safe.
class PlannedRows {
 public:
  /// `max_failed_share` of the `num_planned` calls may fail. Throws what KeyedRows throws.
  PlannedRows(std::string path, const KeyedRows::KeyOf& key_of, int64_t num_planned, double max_failed_share)
      : rows_(std::move(path), key_of), num_planned_(num_planned), max_failed_share_(max_failed_share) {}

  /// The next row of the run's order. True when it is there.
  bool plan(std::string key);
  /// Writes a row; one of a call that failed counts against the share.
  void append(const std::string& key, const std::string& line, bool is_failure);
  /// Whether no further call should be made: too many failed, or Ctrl-C.
  bool is_stopping() const;
  /// Puts the rows in order when all were planned; says whether they were.
  bool finish();

  /// The row planned as number `index`, parsed; unset when it is not there.
  std::optional<Json> row(size_t index) const;
  size_t num_planned_so_far() const { return keys_.size(); }
  /// Of those planned so far.
  int64_t num_there() const;
  /// Calls that are left, as far as the file tells before anything is planned; for a progress line.
  int64_t num_left() const;
  int64_t num_failed() const { return num_failed_; }
  bool failed_too_often() const { return failed_too_often_; }
  /// "9 of 400 planned calls failed, more than a share of 0.02".
  std::string failure() const;
  const std::string& path() const { return rows_.path(); }

 private:
  KeyedRows rows_;
  const int64_t num_planned_;
  const double max_failed_share_;
  std::vector<std::string> keys_;
  std::atomic<int64_t> num_failed_ = 0;
  std::atomic<bool> failed_too_often_ = false;
};

}  // namespace plumbline
