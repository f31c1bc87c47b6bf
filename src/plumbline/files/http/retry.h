/// When a request is tried again, and after how long.
#pragma once

#include <optional>
#include <string_view>

#include "plumbline/files/http/client.h"

namespace plumbline {

/// Whether the same request may do better later: no connection, a timeout, a cut body, an answer
/// that the caller took for an outage, 408, 429, 500, 502, 503, 504.
bool may_pass_later(const HttpReply& reply);

/// Seconds that a Retry-After header asks for, counted from `now_unix_s`: a number, or one of HTTP's dates
/// ("Sun, 06 Nov 1994 08:49:37 GMT"). 0 for a date that has passed. Unset for anything else.
std::optional<double> retry_after_s(std::string_view value, int64_t now_unix_s);

/// The wait before attempt number `next_attempt` (2 is the first repetition): backoff_s doubled each time, at most
/// max_backoff_s, of which `unit` in [0, 1) takes away up to a half.
double backoff_s(const HttpOptions& options, int next_attempt, double unit);

}  // namespace plumbline
