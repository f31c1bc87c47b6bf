/// PL_CHECK guards our own promises and stays on in release builds. User input is never checked with it.
#pragma once

#include <string>

namespace plumbline {
[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);
}  // namespace plumbline

#define PL_CHECK(condition, message)                                                      \
  do {                                                                                    \
    if (!(condition)) ::plumbline::check_failed(#condition, __FILE__, __LINE__, message); \
  } while (false)
