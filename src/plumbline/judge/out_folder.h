/// A folder that a judge's or a teacher's run is made in, and gone on with when it is the same run.
#pragma once

#include <map>
#include <string>

namespace plumbline {

/// Makes the folder and writes `settings.json` (of that `schema`) into it, or, when it is there, compares.
/// True when the folder was not there before.
/// Throws ConfigError(config.unwritable_out), ConfigError(config.out_differs) that names every setting that is not the
/// same.
bool open_out_folder(const std::string& folder, const std::string& schema,
                     const std::map<std::string, std::string>& settings);

/// For a run that ended before its first call: where `rows_name` in the folder has no row, removes it with its lock and
/// settings.json, so that the repaired run is not refused for settings that nothing was asked with; and the folder,
/// when `was_made` and nothing else is in it.
void leave_out_folder(const std::string& folder, const std::string& rows_name, bool was_made);

}  // namespace plumbline
