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
    const bool fits = sample->is_number_integer() &&
                      (!sample->is_number_unsigned() || sample->get<uint64_t>() <= uint64_t{INT64_MAX});
    if (!fits || sample->get<int64_t>() < 0) fail_type("sample", "an integer of 63 bits, at least 0", where);
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
  if (const Json* id = optional_member(row, "request_id")) completion.request_id = id_from_json(*id, where);
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

namespace {

/// The line with each \\uD800..\\uDFFF escape that is half of no pair as \\uFFFD. Python writes such escapes for text
/// that it could not decode; no JSON text can mean them, and a whole run should not end for one.
std::string without_lone_surrogates(const std::string& line) {
  const auto surrogate = [&](size_t at) {  // 1 = first half, 2 = second half
    if (at + 6 > line.size() || line[at] != '\\' || line[at + 1] != 'u' || (line[at + 2] | 32) != 'd') return 0;
    const char digit = static_cast<char>(line[at + 3] | 32);
    if (digit == '8' || digit == '9' || digit == 'a' || digit == 'b') return 1;
    return digit >= 'c' && digit <= 'f' ? 2 : 0;
  };
  std::string result;
  for (size_t i = 0; i < line.size();) {
    const int half = surrogate(i);
    if (half == 1 && surrogate(i + 6) == 2) {
      result.append(line, i, 12);
      i += 12;
    } else if (half != 0) {
      result += "\\ufffd";
      i += 6;
    } else {
      const size_t size = line[i] == '\\' ? 2 : 1;
      result.append(line, i, size);
      i += size;
    }
  }
  return result;
}

}  // namespace

bool CompletionReader::next(Completion& completion) {
  if (!lines_.next()) return false;
  const bool escapes = lines_.line().find("\\u") != std::string::npos;
  completion = parse_completion(
      escapes ? parse_json(without_lone_surrogates(lines_.line()), lines_.where()) : lines_.parse(), lines_.where());
  if (is_stream_) return true;
  const auto [first, is_new] =
      lines_of_keys_.try_emplace({completion.problem_id, completion.sample}, lines_.line_number());
  if (!is_new) {
    throw DataError("data.duplicate_completion",
                    fmt::format("sample {} of problem {} already stands in line {}", completion.sample,
                                completion.problem_id.text, first->second),
                    lines_.where(), "number the samples of a problem: each is graded once");
  }
  return true;
}

std::vector<Completion> read_completions(const std::string& path) {
  CompletionReader reader(path);
  std::vector<Completion> completions;
  for (Completion completion; reader.next(completion);) completions.push_back(std::move(completion));
  return completions;
}

}  // namespace plumbline
