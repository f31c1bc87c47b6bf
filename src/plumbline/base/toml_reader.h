/// TOML text to a neutral tree in which every value knows its line and column. The library (toml++) stays in one .cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// 1-based; columns count characters.
struct TomlPlace {
  int64_t line = 1, column = 1;
};

/// One value. `children` are a table's members in file order (each with its `key`) or an array's items.
struct TomlValue {
  enum class Kind { kTable, kArray, kString, kInteger, kReal, kBoolean, kDate };
  Kind kind = Kind::kTable;
  std::string key;       ///< empty for array items and the root
  TomlPlace key_place;   ///< where the key stands; where the value stands for array items
  TomlPlace place;       ///< where the value stands; a table's header
  std::string text;      ///< kString
  int64_t integer = 0;   ///< kInteger
  double real = 0;       ///< kReal
  bool boolean = false;  ///< kBoolean
  std::vector<TomlValue> children;
};

/// Parses a document. Throws ConfigError(config.toml_syntax) with `where`:line:column. Nesting is bounded.
TomlValue parse_toml(std::string_view text, const std::string& where);

/// "a string", "an integer", ... for messages.
std::string_view kind_name(TomlValue::Kind kind);

/// The string as a TOML basic string, quotes included.
std::string toml_quoted(std::string_view text);

/// The shortest decimal that reads back to the same double, written so that TOML reads a float.
std::string toml_real(double value);

}  // namespace plumbline
