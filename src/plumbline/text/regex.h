/// Regular expressions of tokenizer files: Oniguruma's (Ruby's) meaning, matched by PCRE2 with its just-in-time
/// compiler. Where the two differ (`\s`, `\w`) the pattern is rewritten; syntax whose meaning has not been compared is
/// refused.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace plumbline {

/// Immutable, thread-safe.
class Regex {
 public:
  /// Throws DataError(data.tokenizer_unsupported) naming the construct, data.tokenizer for a malformed pattern.
  Regex(const std::string& pattern, const std::string& where);
  /// Calls `found(begin, end)` for every match from left to right. `text` must be valid UTF-8.
  /// Throws DataError(data.tokenizer_limit) when the pattern needs too many steps.
  void for_each_match(std::string_view text, const std::function<void(size_t, size_t)>& found) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
  std::string where_;
};

/// The pattern as PCRE2 must read it; exposed for tests.
std::string to_pcre(const std::string& pattern, const std::string& where);

}  // namespace plumbline
