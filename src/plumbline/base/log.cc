#include "plumbline/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <string_view>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("plumbline", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%l: %v");
    const char* wanted = std::getenv("PLUMBLINE_LOG");
    made->set_level(wanted ? spdlog::level::from_str(wanted) : spdlog::level::info);
    made->flush_on(spdlog::level::debug);
    made->set_error_handler([](const std::string&) {});  // a log that cannot be written is lost, nothing else
    return made;
  }();
  return *instance;
}

void write(LogLevel level, const std::string& message) {
  logger().log(to_spdlog(level), "{}", escape_control(message));
}

}  // namespace

void set_log_level(LogLevel level) {
  logger().set_level(to_spdlog(level));
}
void log_debug(const std::string& message) {
  write(LogLevel::kDebug, message);
}
void log_info(const std::string& message) {
  write(LogLevel::kInfo, message);
}
void log_warning(const std::string& message) {
  write(LogLevel::kWarning, message);
}
void log_error(const std::string& message) {
  write(LogLevel::kError, message);
}

}  // namespace plumbline
