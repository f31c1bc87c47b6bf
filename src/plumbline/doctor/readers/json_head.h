/// A JSON document of which the small part becomes a tree and the long lists become rows, one at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/doctor/readers/flat_row.h"

namespace plumbline::doctor {

/// `path` is the list's ("rows.base", "samples", "" for a document that is a list).
using RowVisitor = std::function<void(const std::string& path, const FlatRow& row)>;

struct JsonHead {
  std::shared_ptr<const Json> tree;    ///< without the rows; never null
  std::vector<std::string> conflicts;  ///< keys that stand twice with different values
  int64_t num_nonfinite = 0;           ///< NaN and Infinity; null in the tree
  int64_t num_rows = 0;
};

/// Reads one document. Lists called rows.*, perItem, cases, samples, log_history, data and a list at the top are handed
/// to `visit`. Throws what JsonStream throws, and DataError(data.too_large) when the tree has more than a million
/// values.
JsonHead read_json_head(JsonStream& stream, const RowVisitor& visit);

/// The value at "a.b.c"; null when there is none. The library's type stays behind a pointer.
const Json* value_at(const Json& tree, std::string_view path);
/// A finite number, also one written as a string.
std::optional<double> number_at(const Json& tree, std::string_view path);
std::optional<int64_t> count_at(const Json& tree, std::string_view path);
std::string text_at(const Json& tree, std::string_view path);
std::optional<bool> flag_at(const Json& tree, std::string_view path);
/// The strings (and numbers, as text) of a list.
std::vector<std::string> words_at(const Json& tree, std::string_view path);
/// How many decimals the number is written with, at most 9: .4567 was rounded to 4.
int decimals_of(const Json& number);

}  // namespace plumbline::doctor
