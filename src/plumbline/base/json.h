/// Strict JSON: duplicate keys, NaN literals, invalid UTF-8, trailing text and deep nesting are errors with an offset.
/// The library (nlohmann-json) stays out of headers apart from its forward declarations.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace plumbline {

using Json = nlohmann::ordered_json;

/// JSON has none, and the JSON library takes one for the end of the text, so that anything may stand behind it.
/// Throws DataError(data.json).
void require_no_null_byte(std::string_view text, const std::string& where);

/// Parses one document. `where` (a path, or path:line) goes into the error.
/// Throws DataError(data.json) with the byte offset. Integers beyond 64 bits become floats here; readers that need them
/// exact use the SAX side (record/python_value).
Json parse_json(std::string_view text, const std::string& where);

/// Compact, ensure_ascii off, invalid UTF-8 replaced: one line, no newline at the end.
std::string to_json_line(const Json& value);

/// The member, or DataError(data.json_missing_key) naming key and place.
const Json& require_member(const Json& object, const std::string& key, const std::string& where);

}  // namespace plumbline
