#include "plumbline/judge/teacher_row.h"

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/judge/keyed_rows.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {

std::string key_of(const TeacherRow& row) {
  return row_key(to_json_line(Json{to_json(row.problem_id), row.sample, row.teacher, row.asked}));
}

std::string to_json_line(const TeacherRow& row) {
  return to_json_line(Json{{"item", to_json(row.problem_id)},
                           {"sample", row.sample},
                           {"teacher", row.teacher},
                           {"asked", row.asked},
                           {"ok", row.ok},
                           {"kind", row.kind},
                           {"http_status", row.http_status},
                           {"error", row.error},
                           {"text", row.text},
                           {"finish_reason", row.finish_reason},
                           {"model", row.model},
                           {"prompt_tokens", or_null(row.usage.prompt_tokens)},
                           {"completion_tokens", or_null(row.usage.completion_tokens)},
                           {"cost_usd", or_null(row.usage.cost_usd)},
                           {"attempts", row.num_attempts},
                           {"cached", row.cached},
                           {"outcome", row.outcome},
                           {"label", row.label},
                           {"kept", or_null(row.kept)}});
}

TeacherRow parse_teacher_row(const Json& row, const std::string& where) {
  TeacherRow out;
  out.problem_id = id_from_json(require_member(row, "item", where), where);
  try {
    out.sample = row.at("sample").get<int64_t>();
    out.teacher = row.at("teacher").get<std::string>();
    out.asked = row.value("asked", "");
    out.ok = row.at("ok").get<bool>();
    out.kind = row.at("kind").get<std::string>();
    out.http_status = row.at("http_status").get<int>();
    out.error = row.at("error").get<std::string>();
    out.text = row.at("text").get<std::string>();
    out.finish_reason = row.at("finish_reason").get<std::string>();
    out.model = row.at("model").get<std::string>();
    out.usage = {maybe<int64_t>(row, "prompt_tokens"), maybe<int64_t>(row, "completion_tokens"),
                 maybe<double>(row, "cost_usd")};
    out.num_attempts = row.at("attempts").get<int>();
    out.cached = row.at("cached").get<bool>();
    out.outcome = row.at("outcome").get<std::string>();
    out.label = row.at("label").get<std::string>();
    out.kept = maybe<bool>(row, "kept");
  } catch (const nlohmann::json::exception& error) {
    throw DataError("data.json_type", std::string("no row of a teacher: ") + error.what(), where,
                    "was the file changed by hand?");
  }
  return out;
}

}  // namespace plumbline
