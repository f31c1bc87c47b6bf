#include "plumbline/base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr int kMaxDepth = 512;

/// Refuses what the DOM parser lets pass: duplicate keys and unbounded depth.
class StrictGuard {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth) problem_ = "nested deeper than 512 levels";
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.empty() &&
        !keys_.back().insert(parsed.get_ref<const std::string&>()).second) {
      problem_ = fmt::format("the key \"{}\" stands twice in one object", parsed.get_ref<const std::string&>());
    }
    return true;
  }
  const std::string& problem() const { return problem_; }

 private:
  std::vector<std::unordered_set<std::string>> keys_;
  std::string problem_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  StrictGuard guard;
  try {
    Json value = Json::parse(text.begin(), text.end(), [&guard](int depth, Json::parse_event_t event, Json& parsed) {
      return guard(depth, event, parsed);
    });
    if (!guard.problem().empty()) {
      throw DataError("data.json", guard.problem(), where, "write strict JSON");
    }
    return value;
  } catch (const nlohmann::json::parse_error& error) {
    throw DataError("data.json", "not valid JSON", fmt::format("{}, byte {}", where, error.byte),
                    text.empty() ? "the text is empty" : "write strict JSON, UTF-8, one value");
  }
}

std::string to_json_line(const Json& value) {
  return value.dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace);
}

const Json& require_member(const Json& object, const std::string& key, const std::string& where) {
  if (!object.is_object()) throw DataError("data.json_type", "expected a JSON object", where);
  const auto found = object.find(key);
  if (found == object.end()) {
    throw DataError("data.json_missing_key", fmt::format("the key \"{}\" is missing", key), where);
  }
  return *found;
}

}  // namespace plumbline
