#include "plumbline/preset/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/toml_reader.h"
#include "plumbline/preset/key_table.h"
#include "plumbline/preset/suggestion.h"
#include "plumbline/preset/validation.h"

namespace plumbline {
namespace {

using Kind = TomlValue::Kind;

[[noreturn]] void wrong_type(const KeyRow& row, std::string_view expected, const TomlValue& value,
                             const std::string& where, const std::string& next_step) {
  throw ConfigError("config.wrong_type",
                    fmt::format("{} takes a {}, not {}", row.name(), expected, kind_name(value.kind)), where,
                    next_step);
}

/// Writes a TOML value into the member a slot points at.
class Assign {
 public:
  Assign(const KeyRow& row, const TomlValue& value, const std::string& where)
      : row_(row), value_(value), where_(where) {}

  void operator()(std::string* slot) const { *slot = text(value_); }
  void operator()(bool* slot) const {
    if (value_.kind != Kind::kBoolean) fail("boolean", "write true or false");
    *slot = value_.boolean;
  }
  void operator()(int64_t* slot) const { *slot = integer(value_); }
  void operator()(uint64_t* slot) const {
    const int64_t number = integer(value_);
    if (number < 0) {
      throw ConfigError("config.out_of_range", fmt::format("{} = {} is out of range", row_.name(), number), where_,
                        "it must be >= 0");
    }
    *slot = static_cast<uint64_t>(number);
  }
  void operator()(double* slot) const { *slot = number(value_); }
  void operator()(std::vector<std::string>* slot) const { fill(slot, &Assign::text); }
  void operator()(std::vector<int64_t>* slot) const { fill(slot, &Assign::integer); }
  void operator()(std::vector<double>* slot) const { fill(slot, &Assign::number); }

 private:
  std::string text(const TomlValue& value) const {
    if (value.kind != Kind::kString) wrong_type(row_, "string", value, where_, "put it in quotes");
    return value.text;
  }
  int64_t integer(const TomlValue& value) const {
    if (value.kind != Kind::kInteger) {
      wrong_type(row_, "whole number", value, where_, "write digits without a point, an exponent or quotes");
    }
    return value.integer;
  }
  double number(const TomlValue& value) const {
    if (value.kind == Kind::kInteger) return static_cast<double>(value.integer);
    if (value.kind != Kind::kReal) wrong_type(row_, "number", value, where_, "write a number without quotes");
    return value.real;
  }
  template <typename Item>
  void fill(std::vector<Item>* slot, Item (Assign::*item_of)(const TomlValue&) const) const {
    if (value_.kind != Kind::kArray) {
      fail("list", value_.kind == Kind::kString ? "write [" + toml_quoted(value_.text) + "]" : "write [ ... ]");
    }
    slot->clear();
    for (const TomlValue& item : value_.children) slot->push_back((this->*item_of)(item));
  }
  [[noreturn]] void fail(std::string_view expected, const std::string& next_step) const {
    wrong_type(row_, expected, value_, where_, next_step);
  }

  const KeyRow& row_;
  const TomlValue& value_;
  const std::string& where_;
};

const KeyRow* find_row(std::string_view table, std::string_view key) {
  for (const KeyRow& row : key_rows()) {
    if (table == row.table && key == row.key) return &row;
  }
  return nullptr;
}

/// Fills a preset key by key and remembers where each was set.
class Loader {
 public:
  explicit Loader(std::string source) : source_(std::move(source)) { preset_.source = source_; }

  void read(const TomlValue& root) {
    for (const TomlValue& table : root.children) read_table(table);
  }

  /// `text` is "table.key=value"; the value is TOML, or a bare string where that is what the key takes.
  void override_key(const std::string& text) {
    const std::string where = "--set " + text;
    const size_t equals = text.find('=');
    const size_t dot = text.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot > equals) {
      throw ConfigError("config.usage", "an override has the form table.key=value", where,
                        "write for example --set train.lr=1e-3");
    }
    const KeyRow& row = row_or_fail(text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), where);
    set(row, override_value(row, text.substr(equals + 1), where), where);
  }

  Preset finish(std::string name, PresetUse use) {
    preset_.name = std::move(name);
    for (const KeyRow& row : key_rows()) {
      // Defaults are ours and need no check; missing required keys are found below.
      if (const auto set_at = where_.find(row.name()); set_at != where_.end())
        check_value(row, preset_, set_at->second);
    }
    check_combinations(
        preset_, [this](const std::string& key) { return where_of(key); }, use == PresetUse::kModel);
    return preset_;
  }

 private:
  std::string at(const TomlPlace& place) const { return fmt::format("{}:{}:{}", source_, place.line, place.column); }

  void read_table(const TomlValue& table) {
    const std::vector<std::string> tables = table_names();
    if (std::find(tables.begin(), tables.end(), table.key) == tables.end()) unknown_table(table, tables);
    if (table.kind != Kind::kTable) {
      throw ConfigError("config.wrong_type", fmt::format("{} is a table, not {}", table.key, kind_name(table.kind)),
                        at(table.key_place), fmt::format("write [{}] on a line of its own", table.key));
    }
    where_[table.key] = at(table.key_place);
    for (const TomlValue& value : table.children) {
      const std::string key_at = at(value.key_place);
      set(row_or_fail(table.key, value.key, key_at), value, at(value.place));
    }
  }

  [[noreturn]] void unknown_table(const TomlValue& table, const std::vector<std::string>& tables) const {
    const bool is_key = table.kind != Kind::kTable;
    const std::string near = is_key ? nearest_key("", table.key) : nearest(table.key, tables);
    const std::string next = near.empty() ? "tables: " + join(tables)
                             : is_key     ? "did you mean " + near + "? keys stand in tables"
                                          : "did you mean [" + near + "]?";
    throw ConfigError("config.unknown_key", fmt::format("there is no {} '{}'", is_key ? "key" : "table", table.key),
                      at(table.key_place), next);
  }

  const KeyRow& row_or_fail(const std::string& table, const std::string& key, const std::string& where) const {
    if (const KeyRow* row = find_row(table, key)) return *row;
    const std::string near = nearest_key(table, key);
    throw ConfigError("config.unknown_key", fmt::format("there is no key '{}.{}'", table, key), where,
                      near.empty() ? "docs/reference/preset_keys.md lists the keys" : "did you mean " + near + "?");
  }

  /// A bare word is a string; so is anything that a string key gets without quotes.
  static TomlValue override_value(const KeyRow& row, const std::string& text, const std::string& where) {
    Preset scratch;
    const bool takes_text = std::holds_alternative<std::string*>(row.slot(scratch));
    try {
      TomlValue root = parse_toml("value = " + text, where);
      if (root.children.size() == 1 && root.children[0].key == "value" &&
          (!takes_text || root.children[0].kind == Kind::kString)) {
        return std::move(root.children[0]);
      }
    } catch (const ConfigError&) {
      // Not TOML: a bare word. Parsing it in quotes refuses what TOML cannot hold (invalid UTF-8).
    }
    return std::move(parse_toml("value = " + toml_quoted(text), where).children.at(0));
  }

  void set(const KeyRow& row, const TomlValue& value, const std::string& where) {
    std::visit(Assign(row, value, where), row.slot(preset_));
    where_[row.name()] = where;
  }

  std::string where_of(const std::string& key) const {
    if (const auto found = where_.find(key); found != where_.end()) return found->second;
    if (const auto table = where_.find(key.substr(0, key.find('.'))); table != where_.end()) return table->second;
    return at({});
  }

  std::string source_;
  Preset preset_;
  std::map<std::string, std::string> where_;  ///< "table.key" and "table" to their places
};

bool is_path(const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml");
}

std::string preset_path(const std::string& name_or_path) {
  if (is_path(name_or_path)) {
    if (std::filesystem::exists(name_or_path)) return name_or_path;
    throw ConfigError("config.unknown_preset", "there is no such preset file", name_or_path,
                      "check the path, or name a shipped preset: " + join(shipped_presets()));
  }
  const std::vector<std::string> names = shipped_presets();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) {
    return shipped_folder("presets") + "/" + name_or_path + ".toml";
  }
  const std::string near = nearest(name_or_path, names);
  throw ConfigError("config.unknown_preset", "there is no shipped preset '" + name_or_path + "'", "",
                    (near.empty() ? "" : "did you mean " + near + "? ") + "shipped: " + join(names) +
                        "; a file is named by its path, ending in .toml");
}

}  // namespace

Preset load_preset(const std::string& name_or_path, const std::vector<std::string>& overrides, PresetUse use) {
  const std::string path = preset_path(name_or_path);
  Loader loader(path);
  loader.read(parse_toml(read_file(path), path));
  for (const std::string& text : overrides) loader.override_key(text);
  return loader.finish(std::filesystem::path(path).stem().string(), use);
}

std::string to_toml(const Preset& preset) {
  std::string out, table;
  for (const KeyRow& row : key_rows()) {
    if (table != row.table) {
      out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", row.table);
      table = row.table;
    }
    out += fmt::format("{} = {}\n", row.key, value_text(slot_of(row, preset)));
  }
  return out;
}

std::vector<std::string> shipped_presets() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(shipped_folder("presets"))) {
    if (entry.is_regular_file() && entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace plumbline
