/// verdict.v1 as JSON (docs/reference/formats.md).
#pragma once

#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/record/verdict.h"

namespace plumbline {

/// All keys of verdict.v1 in its order, then `method` and, where they are there, `rewards` and `detail`.
Json to_json(const Verdict& verdict);
std::string to_json_line(const Verdict& verdict);

/// Reads a row back; unknown keys are ignored. Throws DataError(data.json_missing_key | data.json_type | data.verdict).
Verdict parse_verdict(const Json& row, const std::string& where);

/// Verdicts that an earlier run wrote whole; a cut last line is left out, since JsonlWriter removes it.
/// An absent file has none. Throws DataError with path:line.
std::vector<Verdict> read_verdicts(const std::string& path);

/// An id keeps its JSON type. `id_from_json` throws DataError(data.json_type) for anything but a string or an integer.
Json to_json(const ProblemId& id);
ProblemId id_from_json(const Json& value, const std::string& where);

}  // namespace plumbline
