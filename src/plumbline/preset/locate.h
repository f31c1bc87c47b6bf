/// Where the files that a preset names really are. Users' paths are relative to the working folder; shipped ones
/// ("data/problems/...") are found from any folder.
#pragma once

#include <string>

namespace plumbline {

/// `path` if it exists, else the shipped file of that name. Throws DataError(data.missing_file) naming both places.
std::string locate_data(const std::string& path);

/// `path` if it exists (an HF folder or a GGUF file), else <cache>/models/`path`[.gguf], where `make model` puts
/// models. Throws DataError(data.missing_model) naming both places.
std::string locate_model(const std::string& path);

}  // namespace plumbline
