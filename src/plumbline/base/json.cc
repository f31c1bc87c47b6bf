#include "plumbline/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "plumbline/base/deceptive.h"
#include "plumbline/base/error.h"
#include "plumbline/base/sorted_json.h"

namespace plumbline {
namespace {

constexpr size_t kMaxDepth = 512;

/// Finds what the DOM parser lets pass: duplicate keys and unbounded depth. (A callback of that parser could see them
/// too, but makes it look through the whole parent at the end of every object.)
template <typename Value>
class StrictGuard final : public nlohmann::json_sax<Value> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(typename Value::number_integer_t) override { return true; }
  bool number_unsigned(typename Value::number_unsigned_t) override { return true; }
  bool number_float(typename Value::number_float_t, const typename Value::string_t&) override { return true; }
  bool string(typename Value::string_t&) override { return true; }
  bool binary(typename Value::binary_t&) override { return true; }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool key(typename Value::string_t& key) override {
    if (!keys_.back().insert(key).second) problem_ = fmt::format("the key \"{}\" stands twice in one object", key);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  const std::string& problem() const { return problem_; }

 private:
  bool open() {
    keys_.emplace_back();
    if (keys_.size() > kMaxDepth) problem_ = "nested deeper than 512 levels";
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::unordered_set<std::string>> keys_;  ///< of every array and object that is open
  std::string problem_;
};

/// What stands where the parser stopped, so that a NaN is seen without counting bytes; "" where it does not say.
std::string token_at(std::string_view text, const nlohmann::json::parse_error& error) {
  constexpr std::string_view kLastRead = "last read: '";
  constexpr size_t kMostBytes = 40;
  const std::string_view what = error.what();
  const size_t begin = what.find(kLastRead), end = what.rfind('\'');
  if (error.byte > text.size() || begin == what.npos || end <= begin + kLastRead.size()) return "";
  std::string token(what.substr(begin + kLastRead.size(), end - begin - kLastRead.size()));
  while (!token.empty() && (token.front() == ' ' || token.front() == '\n')) token.erase(0, 1);
  const std::string_view rest = text.substr(error.byte);
  token += rest.substr(0, rest.find_first_of(",]} \t\r\n"));
  size_t skipped = token.size() <= kMostBytes ? 0 : token.size() - kMostBytes;
  while (skipped > 0 && skipped < token.size() && (token[skipped] & 0xc0) == 0x80) ++skipped;  // whole characters
  return token.substr(skipped);
}

[[noreturn]] void fail_to_parse(std::string_view text, const std::string& where,
                                const nlohmann::json::parse_error& error) {
  const std::string place = fmt::format("{}, byte {}", where, error.byte);
  if (text.empty()) throw DataError("data.json", "not valid JSON", place, "the text is empty");
  if (error.byte > text.size()) {
    throw DataError("data.json", "not valid JSON: it ends too early", place,
                    "it may have been cut: fetch or write it again, whole");
  }
  const std::string token = token_at(text, error);
  throw DataError("data.json", token.empty() ? "not valid JSON" : "not valid JSON at " + token, place,
                  "write strict JSON, UTF-8, one value");
}

template <typename Value>
Value parse(std::string_view text, const std::string& where) {
  require_no_null_byte(text, where);
  try {
    Value value = Value::parse(text.begin(), text.end());
    StrictGuard<Value> guard;
    Value::sax_parse(text.begin(), text.end(), &guard);
    if (!guard.problem().empty()) throw DataError("data.json", guard.problem(), where, "write strict JSON");
    return value;
  } catch (const nlohmann::json::parse_error& error) {
    fail_to_parse(text, where, error);
  } catch (const nlohmann::json::out_of_range&) {  // 1e999; its position is not told
    throw DataError("data.json", "holds a number beyond the range of float64", where, "write strict JSON");
  }
}

}  // namespace

void require_no_null_byte(std::string_view text, const std::string& where) {
  const size_t at = text.find('\0');
  if (at == text.npos) return;
  throw DataError("data.json", "not valid JSON: a null byte", fmt::format("{}, byte {}", where, at + 1),
                  "write strict JSON, UTF-8, one value");
}

Json parse_json(std::string_view text, const std::string& where) {
  return parse<Json>(text, where);
}

SortedJson parse_sorted_json(std::string_view text, const std::string& where) {
  return parse<SortedJson>(text, where);
}

std::string to_json_line(const Json& value) {
  const std::string line = value.dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace);
  if (std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 0x7f; })) return line;
  // The same value; a terminal that shows it obeys nothing in it.
  std::string safe;
  for (size_t i = 0; i < line.size();) {
    const auto [c, bytes] = first_code_point(std::string_view(line).substr(i));
    if (!is_deceptive(c)) {
      safe += line.substr(i, bytes);
    } else if (c < 0x10000) {
      safe += fmt::format("\\u{:04x}", c);
    } else {
      safe += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    }
    i += bytes;
  }
  return safe;
}

const Json& require_member(const Json& object, const std::string& key, const std::string& where) {
  if (!object.is_object()) throw DataError("data.json_type", "expected a JSON object", where);
  const auto found = object.find(key);
  if (found == object.end()) {
    throw DataError("data.json_missing_key", fmt::format("the key \"{}\" is missing", key), where,
                    "add it; docs/reference/formats.md lists the keys of each format");
  }
  return *found;
}

}  // namespace plumbline
