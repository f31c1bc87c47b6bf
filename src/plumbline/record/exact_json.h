/// JSON read without loss: integers of any length keep their digits, floats are told from integers by how they are
/// written. base/json.h is for everything else.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/record/python_value.h"

namespace plumbline {

/// One document as plain values: objects become dicts with string keys, in order; the `$` notation is not applied.
/// Strict: duplicate keys, NaN literals, floats beyond a double, invalid UTF-8, lone surrogates, trailing text and
/// nesting past 512 levels are refused. Throws DataError(data.json) with the byte offset.
PythonValue parse_exact_json(std::string_view text, const std::string& where);

}  // namespace plumbline
