/// One judge's opinion of one item, as it stands in verdicts.jsonl (docs/reference/judge.md).
#pragma once

#include <string>

#include "plumbline/base/json.h"
#include "plumbline/judge/verdict_reply.h"

namespace plumbline {

struct JudgeRow {
  ProblemId problem_id;
  int64_t sample = 0;
  std::string arm;            ///< support mode; empty in pair mode
  std::string order;          ///< pair mode: "base_first" or "candidate_first"; else empty
  std::string judge, family;  ///< family: empty when it is not known
  /// ChatClient::hash_of the question: a row is no answer to another one.
  std::string asked;
  /// "supported", "not_supported"; in pair mode "base", "candidate", "tie"; in both "abstained", "transport_error",
  /// "unparsable".
  std::string outcome;
  std::string kind;  ///< JudgeAnswer::kind
  int http_status = 0;
  std::string reply, reason, model;
  Usage usage;
  int num_attempts = 0;
  bool cached = false;
  double wall_ms = 0;

  bool is_verdict() const;
};

/// The outcome's word; `base_is_first` says which answer stood first, in pair mode.
std::string outcome_word(JudgeOutcome outcome, bool base_is_first);

/// What tells the row apart from every other row of its file, as the key of a KeyedRows.
std::string key_of(const JudgeRow& row);

std::string to_json_line(const JudgeRow& row);
/// Throws DataError(data.json_missing_key | data.json_type).
JudgeRow parse_judge_row(const Json& row, const std::string& where);

}  // namespace plumbline
