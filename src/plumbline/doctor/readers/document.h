/// One JSON document, told by its keys.
#pragma once

#include <string>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {

/// Throws DataError for what is no JSON, for a key that stands twice with two values, and for figures of a report that
/// are NaN. A document of no known kind is said to be unchecked,
/// and the result is false: nothing was learned from it.
bool read_document(const std::string& path, JsonStream& stream, Collector& out);

}  // namespace plumbline::doctor
