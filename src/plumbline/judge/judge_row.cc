#include "plumbline/judge/judge_row.h"

#include <nlohmann/json.hpp>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/judge/keyed_rows.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {

bool JudgeRow::is_verdict() const {
  return outcome != "abstained" && outcome != "transport_error" && outcome != "unparsable";
}

std::string outcome_word(JudgeOutcome outcome, bool base_is_first) {
  switch (outcome) {
    case JudgeOutcome::kSupported:
      return "supported";
    case JudgeOutcome::kNotSupported:
      return "not_supported";
    case JudgeOutcome::kFirst:
      return base_is_first ? "base" : "candidate";
    case JudgeOutcome::kSecond:
      return base_is_first ? "candidate" : "base";
    case JudgeOutcome::kTie:
      return "tie";
    case JudgeOutcome::kAbstained:
      return "abstained";
    case JudgeOutcome::kTransportError:
      return "transport_error";
    case JudgeOutcome::kUnparsable:
      return "unparsable";
  }
  PL_CHECK(false, "an outcome without a word");
}

std::string key_of(const JudgeRow& row) {
  return row_key(to_json_line(Json{row.arm, to_json(row.problem_id), row.sample, row.judge, row.asked}));
}

std::string to_json_line(const JudgeRow& row) {
  Json json = {{"problem_id", to_json(row.problem_id)}, {"sample", row.sample}};
  if (row.order.empty()) {
    json["arm"] = row.arm;
  } else {
    json["order"] = row.order;
  }
  json["judge"] = row.judge;
  json["family"] = row.family.empty() ? Json(nullptr) : Json(row.family);
  json["asked"] = row.asked;
  json["outcome"] = row.outcome;
  json["kind"] = row.kind;
  json["http_status"] = row.http_status;
  json["reply"] = row.reply;
  json["reason"] = row.reason;
  json["model"] = row.model;
  json["prompt_tokens"] = or_null(row.usage.prompt_tokens);
  json["completion_tokens"] = or_null(row.usage.completion_tokens);
  json["cost_usd"] = or_null(row.usage.cost_usd);
  json["attempts"] = row.num_attempts;
  json["cached"] = row.cached;
  json["wall_ms"] = row.wall_ms;
  return to_json_line(json);
}

JudgeRow parse_judge_row(const Json& row, const std::string& where) {
  JudgeRow out;
  out.problem_id = id_from_json(require_member(row, "problem_id", where), where);
  try {
    out.sample = row.at("sample").get<int64_t>();
    out.arm = row.value("arm", "");
    out.order = row.value("order", "");
    out.judge = row.at("judge").get<std::string>();
    out.family = maybe<std::string>(row, "family").value_or("");
    out.asked = row.value("asked", "");
    out.outcome = row.at("outcome").get<std::string>();
    out.kind = row.at("kind").get<std::string>();
    out.http_status = row.at("http_status").get<int>();
    out.reply = row.at("reply").get<std::string>();
    out.reason = row.at("reason").get<std::string>();
    out.model = row.at("model").get<std::string>();
    out.usage = {maybe<int64_t>(row, "prompt_tokens"), maybe<int64_t>(row, "completion_tokens"),
                 maybe<double>(row, "cost_usd")};
    out.num_attempts = row.at("attempts").get<int>();
    out.cached = row.at("cached").get<bool>();
    out.wall_ms = row.at("wall_ms").get<double>();
  } catch (const nlohmann::json::exception& error) {
    throw DataError("data.json_type", std::string("no row of a judge: ") + error.what(), where,
                    "was the file changed by hand?");
  }
  return out;
}

}  // namespace plumbline
