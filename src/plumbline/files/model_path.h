/// Where the model that a preset or a command line names really is.
#pragma once

#include <string>

namespace plumbline {

/// `path` as given if it exists (an HF folder or a GGUF file), else cache_folder()/models/`path`[.gguf], where
/// `make model` puts models; "models/NAME" also names one that the program ships, from any folder.
/// Throws DataError(data.missing_model) naming the place looked at; ConfigError(config.missing_share) as shipped_folder.
std::string resolve_model_path(const std::string& path);

}  // namespace plumbline
