/// Files and folders, of whatever tool, as evidence. The format is told from the content; the name only settles what
/// the content leaves open.
#pragma once

#include <string>
#include <vector>

#include "plumbline/doctor/evidence.h"
#include "plumbline/doctor/readers/item_row.h"

namespace plumbline::doctor {

/// Reads every input once; a folder is searched (8 levels, 20,000 files). What cannot be read becomes an Unreadable,
/// never an exception. Throws ConfigError(config.usage) for a path that does not exist.
Evidence read_inputs(const std::vector<std::string>& paths, const FieldMap& map);

/// One file into the collector: what the fuzz target calls. False when nothing was learned from it. Throws DataError
/// for content that is not what it should be.
struct Collector;
bool read_one_file(const std::string& path, Collector& out);

}  // namespace plumbline::doctor
