/// What the parts of a tokenizer search for: a plain string or a regular expression.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "plumbline/base/json.h"
#include "plumbline/text/regex.h"

namespace plumbline {

/// Immutable, thread-safe.
class TextPattern {
 public:
  /// From {"String": ...} or {"Regex": ...}. Throws DataError(data.tokenizer*) naming `where`.
  static TextPattern from_json(const Json& json, const std::string& where);
  static TextPattern literal(std::string text);
  static TextPattern regex(const std::string& pattern, const std::string& where);

  /// Calls `found(begin, end)` for every match from left to right, none overlapping.
  void for_each_match(std::string_view text, const std::function<void(size_t, size_t)>& found) const;
  std::string replace(std::string_view text, std::string_view replacement) const;

 private:
  std::string literal_;
  std::optional<Regex> regex_;
};

}  // namespace plumbline
