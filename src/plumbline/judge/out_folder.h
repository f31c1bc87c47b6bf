/// A folder that a judge's or a teacher's run is made in, and gone on with when it is the same run.
#pragma once

#include <map>
#include <string>

namespace plumbline {

/// Makes the folder and writes `settings.json` (of that `schema`) into it, or, when it is there, compares.
/// Throws ConfigError(config.unwritable_out), ConfigError(config.out_differs) that names every setting that is not the
/// same.
void open_out_folder(const std::string& folder, const std::string& schema,
                     const std::map<std::string, std::string>& settings);

}  // namespace plumbline
