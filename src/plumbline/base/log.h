/// Logs and progress go to stderr; stdout is for data. Messages are escaped, so model output cannot drive a terminal.
#pragma once

#include <string>

namespace plumbline {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Messages below `level` are dropped. Default kInfo; PLUMBLINE_LOG=debug|info|warning|error sets it at start.
void set_log_level(LogLevel level);

void log_debug(const std::string& message);
void log_info(const std::string& message);
void log_warning(const std::string& message);
void log_error(const std::string& message);

}  // namespace plumbline
