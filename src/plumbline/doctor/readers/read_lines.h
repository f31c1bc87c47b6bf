/// JSON lines of any kind that doctor knows, streamed: memory grows by the size of an ItemRow a row, not by its text.
#pragma once

#include <cstdint>
#include <string>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {

/// Returns the number of rows that could be read. Rows that could not are counted and told as unreadable; a cut last
/// row is left out and said. Throws DataError(data.json) when there are rows and none can be read, and what ByteSource
/// throws.
int64_t read_lines(const std::string& path, JsonStream& stream, Collector& out);

}  // namespace plumbline::doctor
