#include "plumbline/base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/base/sorted_json.h"

namespace plumbline {
namespace {

constexpr int kMaxDepth = 512;

/// Refuses what the DOM parser lets pass: duplicate keys and unbounded depth.
template <typename Value>
class StrictGuard {
 public:
  using Event = typename Value::parse_event_t;
  bool operator()(int depth, Event event, Value& parsed) {
    if (depth > kMaxDepth) problem_ = "nested deeper than 512 levels";
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end && !keys_.empty()) keys_.pop_back();
    if (event != Event::key || keys_.empty()) return true;
    const auto& key = parsed.template get_ref<const std::string&>();
    if (!keys_.back().insert(key).second) problem_ = fmt::format("the key \"{}\" stands twice in one object", key);
    return true;
  }
  const std::string& problem() const { return problem_; }

 private:
  std::vector<std::unordered_set<std::string>> keys_;
  std::string problem_;
};

template <typename Value>
Value parse(std::string_view text, const std::string& where) {
  StrictGuard<Value> guard;
  try {
    Value value =
        Value::parse(text.begin(), text.end(), [&guard](int depth, typename Value::parse_event_t event, Value& parsed) {
          return guard(depth, event, parsed);
        });
    if (!guard.problem().empty()) {
      throw DataError("data.json", guard.problem(), where, "write strict JSON");
    }
    return value;
  } catch (const nlohmann::json::parse_error& error) {
    throw DataError("data.json", "not valid JSON", fmt::format("{}, byte {}", where, error.byte),
                    text.empty() ? "the text is empty" : "write strict JSON, UTF-8, one value");
  } catch (const nlohmann::json::out_of_range&) {  // 1e999; its position is not told
    throw DataError("data.json", "holds a number beyond the range of float64", where, "write strict JSON");
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  return parse<Json>(text, where);
}

SortedJson parse_sorted_json(std::string_view text, const std::string& where) {
  return parse<SortedJson>(text, where);
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
