/// One call of a teacher, as it stands in rows.jsonl (docs/reference/judge.md).
#pragma once

#include <optional>
#include <string>

#include "plumbline/base/json.h"
#include "plumbline/judge/chat_client.h"

namespace plumbline {

struct TeacherRow {
  ProblemId problem_id;
  int64_t sample = 0;
  std::string teacher;
  /// Hash of what the completion and its grade depend on: a row is no answer to another question.
  std::string asked;
  bool ok = false;   ///< the model said something
  std::string kind;  ///< of the call (CallKind), "refusal" or "empty"
  int http_status = 0;
  std::string error, text, finish_reason, model;
  Usage usage;
  int num_attempts = 0;
  bool cached = false;
  std::string outcome, label;  ///< of the grade; empty without one
  std::optional<bool> kept;    ///< unset: not graded (yet)

  /// Whether asking again may help: the call failed, or what came was no reply.
  bool is_failed_call() const { return !ok && kind != "refusal" && kind != "empty"; }
};

/// What tells the row apart, as the key of a KeyedRows.
std::string key_of(const TeacherRow& row);

std::string to_json_line(const TeacherRow& row);
/// Throws DataError(data.json_missing_key | data.json_type).
TeacherRow parse_teacher_row(const Json& row, const std::string& where);

}  // namespace plumbline
