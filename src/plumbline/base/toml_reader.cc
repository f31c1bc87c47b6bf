#include "plumbline/base/toml_reader.h"

// The library asserts that a key begins as keys do, which its own callers do not always see to; a document that gets
// there is an error, not an abort.
namespace plumbline {
struct BrokenTomlAssertion {};
[[noreturn]] static void fail_toml_assertion() {
  throw BrokenTomlAssertion();
}
}  // namespace plumbline
#define TOML_ASSERT(expression) ((expression) ? static_cast<void>(0) : plumbline::fail_toml_assertion())

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

using Kind = TomlValue::Kind;

TomlPlace place_of(const toml::source_region& region) {
  return {static_cast<int64_t>(region.begin.line), static_cast<int64_t>(region.begin.column)};
}

TomlValue convert(const toml::node& node);

std::vector<TomlValue> members_of(const toml::table& table) {
  std::vector<TomlValue> members;
  for (const auto& [key, node] : table) {
    members.push_back(convert(node));
    members.back().key = std::string(key.str());
    members.back().key_place = place_of(key.source());
  }
  // The library sorts by name; people read by line.
  std::stable_sort(members.begin(), members.end(), [](const TomlValue& a, const TomlValue& b) {
    return std::pair(a.key_place.line, a.key_place.column) < std::pair(b.key_place.line, b.key_place.column);
  });
  return members;
}

TomlValue convert(const toml::node& node) {
  TomlValue value;
  value.place = value.key_place = place_of(node.source());
  if (const toml::table* table = node.as_table()) {
    value.children = members_of(*table);
  } else if (const toml::array* array = node.as_array()) {
    value.kind = Kind::kArray;
    for (const toml::node& item : *array) value.children.push_back(convert(item));
  } else if (const auto* text = node.as_string()) {
    value.kind = Kind::kString;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Kind::kInteger;
    value.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = Kind::kReal;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Kind::kBoolean;
    value.boolean = boolean->get();
  } else {
    value.kind = Kind::kDate;
  }
  return value;
}

/// The end of the string that begins at `at` with one or three of `quote`; strings of one line end with it.
size_t end_of_string(std::string_view text, size_t at) {
  const std::string_view quote = text.substr(at, 1);
  const std::string triple(3, quote[0]);
  const bool is_long = text.substr(at, 3) == triple;
  const std::string_view closing = is_long ? std::string_view(triple) : quote;
  for (size_t i = at + closing.size(); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == "\"") {
      ++i;
    } else if (text.substr(i, closing.size()) == closing) {
      return i + closing.size();
    } else if (text[i] == '\n' && !is_long) {
      return i;
    }
  }
  return text.size();
}

/// TOML 1.0 has characters beyond ASCII in strings and comments alone. The library's own answer to others is undefined
/// behaviour.
void refuse_stray_characters(std::string_view text, const std::string& where) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < text.size()) {
    if (text[at] == '"' || text[at] == '\'') {
      at = end_of_string(text, at);
    } else if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (static_cast<unsigned char>(text[at]) >= 0x80) {
      const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
      throw ConfigError("config.toml_syntax", "a character beyond ASCII stands outside strings and comments",
                        fmt::format("{}:{}", where, line), "quote it, or take it out");
    } else {
      ++at;
    }
  }
}

}  // namespace

TomlValue parse_toml(std::string_view text, const std::string& where) {
  refuse_stray_characters(text, where);
  try {
    return convert(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const TomlPlace place = place_of(error.source());
    throw ConfigError("config.toml_syntax", std::string(error.description()),
                      fmt::format("{}:{}:{}", where, place.line, place.column), "correct the TOML");
  } catch (const BrokenTomlAssertion&) {
    throw ConfigError("config.toml_syntax", "a key begins with a character that no key can begin with", where,
                      "correct the TOML; quote keys that are not plain words");
  }
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kTable:
      return "a table";
    case Kind::kArray:
      return "an array";
    case Kind::kString:
      return "a string";
    case Kind::kInteger:
      return "an integer";
    case Kind::kReal:
      return "a float";
    case Kind::kBoolean:
      return "a boolean";
    case Kind::kDate:
      return "a date or time";
  }
  return "a value";
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += character;
    }
  }
  return out + '"';
}

std::string toml_real(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace plumbline
