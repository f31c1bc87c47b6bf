/// The one table of preset keys. Loading, validation, `resolved.toml`, --dry-run and the reference page all read it.
/// A new key is one row here and one member in options.h.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumbline/preset/options.h"

namespace plumbline {

/// Points at the member that a key fills; the alternative is the key's type.
using Slot = std::variant<std::string*, bool*, int64_t*, uint64_t*, double*, std::vector<std::string>*,
                          std::vector<int64_t>*, std::vector<double>*>;

/// Bounds of a number, or of each number of a list.
struct NumberRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false, max_excluded = false;

  bool contains(double value) const;
  /// ">= 1", "in [0, 1)", "any".
  std::string text() const;
};

struct KeyRow {
  const char* table;
  const char* key;
  Slot (*slot)(Preset&);
  const char* doc;         ///< one line
  const char* unit = "";   ///< "" for pure numbers and words
  NumberRange range = {};  ///< numbers only
  /// Words only: what may stand there; empty = anything. "cuda:N" stands for any number after the colon.
  std::vector<std::string> allowed = {};
  bool required = false;      ///< must not be left empty
  size_t list_size = 0;       ///< exact number of items; 0 = one or more, unless may_be_empty
  bool may_be_empty = false;  ///< lists only

  std::string name() const { return std::string(table) + "." + key; }
};

/// All rows, grouped by table in the order of options.h.
std::span<const KeyRow> key_rows();
/// Table names, in order, each once.
std::vector<std::string> table_names();
/// What a table is for, in one line.
std::string_view table_doc(std::string_view table);

/// The slot of a preset that is only read.
Slot slot_of(const KeyRow& row, const Preset& preset);
/// "string", "integer", "list of strings", ...
std::string_view type_name(const Slot& slot);
/// The member as TOML text.
std::string value_text(const Slot& slot);
/// "vanilla, projected, haar.N".
std::string join(const std::vector<std::string>& words);
/// Does `word` stand in `patterns`, ":N" and ".N" at a pattern's end standing for a number?
bool matches_any(const std::string& word, const std::vector<std::string>& patterns);

}  // namespace plumbline
