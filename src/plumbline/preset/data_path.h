/// Where a data file that a preset names really is. Users' paths are relative to the working folder; shipped ones
/// ("data/problems/...") are found from any folder.
#pragma once

#include <string>

namespace plumbline {

/// `path` if it exists, else the shipped file of that name. Throws DataError(data.missing_file) naming both places.
std::string resolve_data_path(const std::string& path);

}  // namespace plumbline
