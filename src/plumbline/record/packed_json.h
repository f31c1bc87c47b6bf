/// JSON that other tools pack into a string: as it is, or compressed with zlib and written in base64.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/record/python_value.h"

namespace plumbline {

/// Throws DataError: data.json, data.packed (neither JSON nor base64 of zlib, or longer than 256 MiB unpacked),
/// data.pickled_tests for a pickle: loading one runs whatever program its writer put there, so it is never loaded.
PythonValue parse_packed_json(std::string_view text, const std::string& where);

}  // namespace plumbline
