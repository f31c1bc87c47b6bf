#include "plumbline/compare/plan.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "plumbline/base/toml_reader.h"

namespace plumbline {
namespace {

using Kind = TomlValue::Kind;

class PlanReader {
 public:
  explicit PlanReader(std::string where) : where_(std::move(where)) {}

  Plan read(const TomlValue& root) {
    using Reader = std::function<void(const TomlValue&)>;
    const std::map<std::string, std::map<std::string, Reader>> tables = {
        {"tasks",
         {{"headline", [&](const TomlValue& v) { plan_.headline = texts(v); }},
          {"protected", [&](const TomlValue& v) { plan_.protected_tasks = texts(v); }},
          {"old", [&](const TomlValue& v) { plan_.old_tasks = texts(v); }},
          {"seeds", [&](const TomlValue& v) { plan_.seeds = integers(v); }}}},
        {"gates",
         {{"min_effect", [&](const TomlValue& v) { plan_.min_effect = share(v); }},
          {"tolerance", [&](const TomlValue& v) { plan_.tolerance = share(v); }},
          {"protected_margin", [&](const TomlValue& v) { plan_.protected_margin = share(v); }},
          {"retention_margin", [&](const TomlValue& v) { plan_.retention_margin = share(v); }},
          {"min_seeds", [&](const TomlValue& v) { plan_.min_seeds = at_least_one(v); }}}}};
    for (const TomlValue& table : root.children) {
      const auto found = tables.find(table.key);
      if (found == tables.end() || table.kind != Kind::kTable)
        unknown(table, "a plan has the tables [tasks] and [gates]");
      for (const TomlValue& value : table.children) {
        const auto reader = found->second.find(value.key);
        if (reader == found->second.end()) unknown(value, known(found->second));
        reader->second(value);
      }
    }
    return plan_;
  }

 private:
  std::string place(const TomlPlace& at) const { return fmt::format("{}:{}:{}", where_, at.line, at.column); }

  template <typename Table>
  static std::string known(const Table& table) {
    std::string names = "known keys:";
    for (const auto& [name, reader] : table) names += " " + name;
    return names;
  }
  [[noreturn]] void unknown(const TomlValue& value, const std::string& next) const {
    throw ConfigError("config.unknown_key", fmt::format("a plan has no key '{}'", value.key), place(value.key_place),
                      next);
  }
  void require_kind(const TomlValue& value, Kind kind) const {
    if (value.kind == kind) return;
    throw ConfigError("config.wrong_type", fmt::format("expected {}, got {}", kind_name(kind), kind_name(value.kind)),
                      place(value.place));
  }
  std::vector<std::string> texts(const TomlValue& value) const {
    require_kind(value, Kind::kArray);
    std::vector<std::string> result;
    for (const TomlValue& item : value.children) {
      require_kind(item, Kind::kString);
      result.push_back(item.text);
    }
    return result;
  }
  std::vector<int64_t> integers(const TomlValue& value) const {
    require_kind(value, Kind::kArray);
    std::vector<int64_t> result;
    for (const TomlValue& item : value.children) {
      require_kind(item, Kind::kInteger);
      result.push_back(item.integer);
    }
    return result;
  }
  double share(const TomlValue& value) const {
    const double number = value.kind == Kind::kInteger ? static_cast<double>(value.integer) : value.real;
    if (value.kind != Kind::kInteger) require_kind(value, Kind::kReal);
    if (!(number >= 0 && number <= 1)) {
      throw ConfigError("config.out_of_range", fmt::format("{} lies outside [0, 1]", number), place(value.place));
    }
    return number;
  }
  int64_t at_least_one(const TomlValue& value) const {
    require_kind(value, Kind::kInteger);
    if (value.integer < 1) {
      throw ConfigError("config.out_of_range", fmt::format("{} is below 1", value.integer), place(value.place));
    }
    return value.integer;
  }

  std::string where_;
  Plan plan_;
};

}  // namespace

Plan parse_plan(std::string_view text, const std::string& where) {
  return PlanReader(where).read(parse_toml(text, where));
}

Plan read_plan(const std::string& path) {
  const std::string text = read_file(path);
  Plan plan = parse_plan(text, path);
  plan.path = path;
  plan.sha256 = sha256_hex(text);
  return plan;
}

}  // namespace plumbline
