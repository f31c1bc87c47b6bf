/// The one HTTP client: hub, judges, custom graders. Requests are values, so are failures; nothing is thrown for what a
/// network does. Linked by `plumbline` only: the engine has no HTTP (docs/adr on the hub).
///
/// TLS certificates and host names are always verified (SSL_CERT_FILE and SSL_CERT_DIR name other roots).
/// http_proxy, https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY, no_proxy and NO_PROXY are honoured (files/http/proxy.h).
/// Nothing here logs or reports a header's value, a body that was sent, or the query of an address.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumbline/base/interrupt.h"

namespace plumbline {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

enum class HttpFailure {
  kNone,
  kConnect,      ///< no address, refused, unreachable, or closed before an answer began
  kTls,          ///< handshake or certificate
  kTimeout,      ///< nothing came for read_timeout_s, or the whole took longer than total_timeout_s
  kStatus,       ///< an answer that is not 2xx; `status`, `headers` and `body` say which
  kCutBody,      ///< the connection closed inside the answer
  kTooLarge,     ///< a body held in memory passed max_body_bytes
  kRedirect,     ///< too many, from https to http, or a POST that would change its kind or its host
  kProtocol,     ///< an answer that is not HTTP as asked for (no HTTP at all, headers beyond 8 KiB each or 256 KiB
                 ///< together, compressed though identity was asked, no Location)
  kNoAnswer,     ///< a 2xx answer that HttpOptions::objection took for an outage
  kStopped,      ///< the sink said no
  kInterrupted,  ///< Ctrl-C
};

struct HttpReply {
  HttpFailure failure = HttpFailure::kNone;
  std::string detail;   ///< for people: "connection refused", "503 from https://host/path"; no secrets
  int status = 0;       ///< of the last answer; 0 when there was none
  HttpHeaders headers;  ///< of the last answer, names in lower case
  std::string body;     ///< empty for 2xx when the request had a sink; at most 64 KiB when the status is not 2xx
  std::string url;      ///< where the last answer came from, after redirects (may hold secrets: never print it)
  int num_attempts = 0;

  bool ok() const { return failure == HttpFailure::kNone; }
  /// The value of a header, by its lower-case name; empty when absent.
  std::string_view header(std::string_view lower_name) const;
};

struct HttpRequest {
  std::string method = "GET";  ///< GET, HEAD or POST
  std::string url;
  /// Authorization, Cookie, X-Api-Key and Api-Key stay with the first origin: a redirect elsewhere drops them.
  HttpHeaders headers;
  std::string body;
  std::string content_type = "application/json";  ///< of `body`

  /// Called with the headers of a 2xx answer before its body; false gives up (kStopped).
  std::function<bool(const HttpReply&)> on_head;
  /// Takes the body of a 2xx answer piece by piece instead of HttpReply::body; false gives up (kStopped).
  std::function<bool(std::string_view)> sink;
  /// Called before every attempt, the first included, and may change headers (Range) or `body`. A request with a sink
  /// is tried again after a piece of its body was taken only when this is set, since only the caller can rewind.
  std::function<void(HttpRequest&)> before_attempt;
};

struct HttpOptions {
  double connect_timeout_s = 10;
  double read_timeout_s = 60;  ///< without a byte; for a judge: the longest wait for the first one
  double total_timeout_s = 0;  ///< of one attempt; 0 = none
  int max_redirects = 10;
  bool follow_other_origins = true;  ///< false: a redirect to another origin is returned as it is (ok(), status 3xx)
  /// 1 = never again. Again: kConnect, kTimeout, kCutBody, kNoAnswer, 408, 429, 500, 502-504.
  int max_attempts = 5;
  double backoff_s = 0.5;  ///< first wait; doubles, with jitter of up to half, to max_backoff_s
  double max_backoff_s = 30;
  double max_retry_after_s = 300;  ///< a Retry-After beyond this ends the request instead of waiting
  int64_t max_body_bytes = int64_t{64} << 20;
  std::string ca_file;  ///< PEM roots instead of the system's
  /// Why a 2xx answer, held whole in memory, is an outage (kNoAnswer) though its status is not; empty when it is an
  /// answer. The words go into logs, so they are never the server's. Unset: every 2xx answer is one.
  std::function<std::string(const HttpReply&)> objection;
  std::function<bool()> stop = interrupt_requested;  ///< asked about every 50 ms; true ends the request (kInterrupted)
};

/// Immutable, so thread-safe; one connection a request.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options = {}) : options_(std::move(options)) {}

  /// Sends, follows redirects, tries again. Throws ConfigError(config.url | config.http_header) for a request that
  /// cannot be made; whatever the network does is in the reply.
  HttpReply send(HttpRequest request) const;
  HttpReply get(const std::string& url, HttpHeaders headers = {}) const;
  HttpReply post(const std::string& url, std::string body, HttpHeaders headers = {}) const;

  const HttpOptions& options() const { return options_; }

 private:
  HttpOptions options_;
};

/// "connect", "tls", "timeout", ...: the tail of the error ids remote.connect, remote.tls, ...
std::string_view to_string(HttpFailure failure);

/// Throws what a failed reply means: Interrupted, or RemoteError(remote.<failure>) with `what` ("the judge") in front
/// and the next step given or, when empty, one that fits the failure. Does nothing for a reply that is ok.
void require_ok(const HttpReply& reply, const std::string& what, const std::string& next_step = "");

}  // namespace plumbline
