/// Chat templates: a Jinja subset that renders exactly as transformers does and refuses what it does not know.
/// Templates are hostile input: rendering is bounded in steps, depth and output size.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "plumbline/base/json.h"

namespace plumbline {

/// Thrown while rendering; `message()` is the template's own text for raise_exception.
/// Parsing throws DataError(data.template_syntax) with line and column.
class ChatTemplate {
 public:
  /// Parses. `name` goes into errors ("chat_template.jinja").
  ChatTemplate(const std::string& source, const std::string& name);
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  /// Renders with the given top-level variables (messages, add_generation_prompt, bos_token, tools, ...).
  /// `now_iso` is the clock that strftime_now sees; empty = the real one.
  /// Throws DataError(data.template_raised) for raise_exception, data.template_error for anything else,
  /// data.template_limit when it recurses or loops without end.
  /// `variables_read`, when not null, gains the names of the top-level variables that were looked at, given or not.
  std::string render(const Json& variables, const std::string& now_iso = "",
                     std::set<std::string>* variables_read = nullptr) const;
  /// SHA-256 of the source.
  const std::string& hash() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline
