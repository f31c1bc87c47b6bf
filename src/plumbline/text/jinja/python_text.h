/// Values as text, the way Python writes them.
#pragma once

#include <string>

#include "plumbline/text/jinja/runtime.h"

namespace plumbline::jinja {

/// str(value).
std::string to_text(Runtime& runtime, const Value& value);
/// repr(value).
std::string to_repr(Runtime& runtime, const Value& value);
/// A float as repr writes it: shortest digits that read back the same.
std::string float_repr(double value);

/// Arguments of json.dumps; `indent` empty = one line.
struct JsonStyle {
  bool ensure_ascii = false;
  std::string indent;
  bool has_indent = false;
  std::string item_separator = ", ", key_separator = ": ";
  bool sort_keys = false;
};
/// json.dumps(value, ...).
std::string to_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace plumbline::jinja
