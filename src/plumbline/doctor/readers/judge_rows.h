/// Rows of judges and teachers: counted as they come, agreement from the verdicts that two judges gave on one item.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {

class JudgeRows {
 public:
  explicit JudgeRows(std::string where) : where_(std::move(where)) {}

  /// True when the row is a judge's or a teacher's.
  bool take(const FlatRow& row);
  void finish(Collector& out);

 private:
  void take_verdict(const FlatRow& row);
  void take_votes(const FlatRow& row);
  void take_teacher(const FlatRow& row);

  std::string where_;
  std::map<std::pair<std::string, std::string>, JudgeCounts> counts_;  ///< by judge and arm
  std::map<std::string, std::unordered_map<uint64_t, int>> verdicts_;  ///< by judge: item and arm -> class
  std::map<std::string, TeacherCounts> teachers_;
};

/// Whether a reply is a JSON object with a boolean "supported": anything else is no verdict.
bool is_verdict_reply(std::string_view reply);

}  // namespace plumbline::doctor
