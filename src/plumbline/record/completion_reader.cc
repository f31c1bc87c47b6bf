#include "plumbline/record/completion_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {
namespace {

[[noreturn]] void fail_type(const std::string& key, const std::string& wanted, const std::string& where) {
  throw DataError("data.json_type", fmt::format("\"{}\" must be {}", key, wanted), where);
}

/// The member, or null when it is absent or null.
const Json* optional_member(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found == row.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

Completion parse_completion(const Json& row, const std::string& where) {
  Completion completion;
  completion.problem_id = id_from_json(require_member(row, "problem_id", where), where);
  const Json& text = require_member(row, "completion", where);
  if (!text.is_string()) fail_type("completion", "a string", where);
  completion.completion = text.get<std::string>();
  if (const Json* sample = optional_member(row, "sample")) {
    if (!sample->is_number_integer()) fail_type("sample", "an integer", where);
    completion.sample = sample->get<int64_t>();
  }
  if (const Json* ids = optional_member(row, "token_ids")) {
    if (!ids->is_array()) fail_type("token_ids", "an array of integers", where);
    for (const Json& id : *ids) {
      if (!id.is_number_integer()) fail_type("token_ids", "an array of integers", where);
      completion.token_ids.push_back(id.get<int64_t>());
    }
  }
  if (const Json* reason = optional_member(row, "finish_reason")) {
    if (!reason->is_string()) fail_type("finish_reason", "a string", where);
    completion.finish_reason = reason->get<std::string>();
  }
  return completion;
}

std::string to_json_line(const Completion& completion) {
  Json row = {{"problem_id", to_json(completion.problem_id)},
              {"sample", completion.sample},
              {"completion", completion.completion}};
  if (!completion.token_ids.empty()) row["token_ids"] = completion.token_ids;
  if (!completion.finish_reason.empty()) row["finish_reason"] = completion.finish_reason;
  return to_json_line(row);
}

bool CompletionReader::next(Completion& completion) {
  if (!lines_.next()) return false;
  completion = parse_completion(lines_.parse(), lines_.where());
  return true;
}

std::vector<Completion> read_completions(const std::string& path) {
  CompletionReader reader(path);
  std::vector<Completion> completions;
  for (Completion completion; reader.next(completion);) completions.push_back(std::move(completion));
  return completions;
}

}  // namespace plumbline
