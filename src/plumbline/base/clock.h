/// Monotonic time, in seconds. The only source of timings; never of seeds.
#pragma once

#include <chrono>
#include <string>

namespace plumbline {

/// Seconds since an arbitrary start; monotonic, thread-safe.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Wall-clock time in UTC as "2026-01-31T12:00:00Z".
std::string utc_timestamp();

/// "0.8 s", "12 s", "3 min 05 s", "2 h 10 min".
std::string format_duration(double seconds);

}  // namespace plumbline
