#include "plumbline/files/http/retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace plumbline {

bool may_pass_later(const HttpReply& reply) {
  switch (reply.failure) {
    case HttpFailure::kConnect:
    case HttpFailure::kTimeout:
    case HttpFailure::kCutBody:
    case HttpFailure::kNoAnswer:
      return true;
    case HttpFailure::kStatus:
      return reply.status == 408 || reply.status == 429 || reply.status == 500 ||
             (reply.status >= 502 && reply.status <= 504);
    default:
      return false;
  }
}

std::optional<double> retry_after_s(std::string_view value, int64_t now_unix_s) {
  double seconds = 0;
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), seconds, std::chars_format::fixed);
  if (error == std::errc() && end == value.data() + value.size() && seconds >= 0 && std::isfinite(seconds)) {
    return seconds;
  }
  const std::string text(value);
  std::tm time = {};
  // The locale is never set, so month names are English.
  for (const char* format : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    const char* rest = ::strptime(text.c_str(), format, &time);
    if (rest && *rest == '\0') return std::max(0.0, static_cast<double>(::timegm(&time) - now_unix_s));
  }
  return std::nullopt;
}

double backoff_s(const HttpOptions& options, int next_attempt, double unit) {
  const double doubled = options.backoff_s * std::pow(2.0, std::max(0, next_attempt - 2));
  return std::min(doubled, options.max_backoff_s) * (1 - unit / 2);
}

}  // namespace plumbline
