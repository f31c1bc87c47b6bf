#include "plumbline/files/http/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <random>
#include <thread>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/files/http/exchange.h"
#include "plumbline/files/http/retry.h"

namespace plumbline {
namespace {

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// A line break in a header would start another header of the sender's choice.
void check_headers(const HttpHeaders& headers) {
  for (const auto& [name, value] : headers) {
    const auto is_bad = [](unsigned char byte) { return (byte < 0x20 && byte != '\t') || byte == 0x7F; };
    if (name.empty() || std::any_of(name.begin(), name.end(), [&](unsigned char byte) {
          return is_bad(byte) || byte == ':' || byte == ' ' || byte == '\t';
        })) {
      throw ConfigError("config.http_header", "a header's name holds a character that it must not", name);
    }
    if (std::any_of(value.begin(), value.end(), is_bad)) {
      throw ConfigError("config.http_header", "a header's value holds a control character", name,
                        "look for a line break in the token or setting that it comes from");
    }
  }
}

/// What may go to another origin than the one the caller named.
HttpHeaders without_secrets(const HttpHeaders& headers) {
  constexpr std::array kSecret = {"authorization", "cookie", "x-api-key", "api-key"};
  HttpHeaders kept;
  for (const auto& header : headers) {
    const bool secret = std::any_of(kSecret.begin(), kSecret.end(),
                                    [&](const char* name) { return equals_ignoring_case(header.first, name); });
    if (!secret) kept.push_back(header);
  }
  return kept;
}

void fail(HttpReply& reply, HttpFailure failure, const std::string& detail) {
  reply.failure = failure;
  reply.detail = detail;
}

/// Where a 3xx answer leads, or unset with `reply` failed, or unset with `reply` as it is when it is the final one.
std::optional<Url> redirect_target(const HttpOptions& options, const HttpRequest& request, const Url& from,
                                   HttpReply& reply) {
  if (reply.status == 304 || reply.status < 300 || reply.status >= 400) return std::nullopt;
  const std::string_view location = reply.header("location");
  if (location.empty()) {
    fail(reply, HttpFailure::kProtocol,
         fmt::format("{} from {} names no place to go on", reply.status, from.printable()));
    return std::nullopt;
  }
  std::optional<Url> target;
  try {
    target = resolve_url(from, location);
  } catch (const ConfigError& error) {
    fail(reply, HttpFailure::kProtocol, from.printable() + " redirects to what is no address: " + error.message());
    return std::nullopt;
  }
  const bool elsewhere = target->origin() != from.origin();
  const bool keeps_method = reply.status == 307 || reply.status == 308;
  if (from.scheme == "https" && target->scheme != "https") {
    fail(reply, HttpFailure::kRedirect, from.printable() + " redirects from https to http");
  } else if (request.method == "POST" && (elsewhere || !keeps_method)) {
    fail(reply, HttpFailure::kRedirect, from.printable() + " redirects a POST to " + target->printable());
  } else if (!elsewhere || options.follow_other_origins) {
    return target;
  }
  return std::nullopt;
}

/// One attempt: the first address and its redirects.
HttpReply attempt(const HttpOptions& options, const HttpRequest& request, bool& took_body) {
  Url url = parse_url(request.url);
  HttpHeaders headers = request.headers;
  for (int redirects = 0;; ++redirects) {
    HttpReply reply = exchange(options, {url, request, headers}, took_body);
    if (!reply.ok()) return reply;
    const std::optional<Url> target = redirect_target(options, request, url, reply);
    if (!target) return reply;
    if (redirects == options.max_redirects) {
      fail(reply, HttpFailure::kRedirect,
           fmt::format("{} redirects more than {} times", parse_url(request.url).printable(), options.max_redirects));
      return reply;
    }
    if (target->origin() != url.origin()) headers = without_secrets(headers);
    url = *target;
  }
}

/// False when stopped meanwhile.
bool wait_s(const HttpOptions& options, double seconds) {
  const double until_s = now_s() + seconds;
  while (now_s() < until_s) {
    if (options.stop && options.stop()) return false;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(0.05, std::max(0.0, until_s - now_s()))));
  }
  return true;
}

/// Jitter only spreads clients apart, so nothing depends on it and it needs no stream of its own.
double jitter_unit() {
  thread_local std::mt19937 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

/// How long to wait before the next attempt; unset when there shall be none.
std::optional<double> next_wait_s(const HttpOptions& options, const HttpRequest& request, HttpReply& reply,
                                  bool took_body) {
  if (!may_pass_later(reply) || reply.num_attempts >= options.max_attempts) return std::nullopt;
  if (took_body && !request.before_attempt) return std::nullopt;
  const double own_s = backoff_s(options, reply.num_attempts + 1, jitter_unit());
  const std::optional<double> asked_s = retry_after_s(reply.header("retry-after"), std::time(nullptr));
  if (asked_s && *asked_s > options.max_retry_after_s) {
    reply.detail += fmt::format(", which asks to wait {}", format_duration(*asked_s));
    return std::nullopt;
  }
  return std::max(own_s, asked_s.value_or(0));
}

std::string usual_next_step(const HttpReply& reply) {
  switch (reply.failure) {
    case HttpFailure::kConnect:
    case HttpFailure::kTimeout:
      return "check the address, the network and the proxy variables, then run it again";
    case HttpFailure::kTls:
      return "check the address and the clock; SSL_CERT_FILE names further authorities";
    case HttpFailure::kStatus:
      if (reply.status == 401 || reply.status == 403) return "check the token or key and what it may do";
      if (reply.status == 404) return "check the address";
      return "try again later";
    case HttpFailure::kRedirect:
      return "give the final address";
    default:
      return "run it again";
  }
}

}  // namespace

std::string_view HttpReply::header(std::string_view lower_name) const {
  for (const auto& [name, value] : headers) {
    if (name == lower_name) return value;
  }
  return {};
}

HttpReply HttpClient::send(HttpRequest request) const {
  bool took_body = false;
  for (int number = 1;; ++number) {
    if (request.before_attempt) request.before_attempt(request);
    check_headers(request.headers);
    HttpReply reply = attempt(options_, request, took_body);
    reply.num_attempts = number;
    if (reply.ok() && reply.status < 300 && options_.objection) {
      if (const std::string why = options_.objection(reply); !why.empty()) fail(reply, HttpFailure::kNoAnswer, why);
    }
    const std::optional<double> pause_s = next_wait_s(options_, request, reply, took_body);
    if (!pause_s) return reply;
    log_warning(fmt::format("{}; trying again in {}", reply.detail, format_duration(*pause_s)));
    if (!wait_s(options_, *pause_s)) {
      fail(reply, HttpFailure::kInterrupted, "interrupted while waiting to try again");
      return reply;
    }
  }
}

HttpReply HttpClient::get(const std::string& url, HttpHeaders headers) const {
  HttpRequest request;
  request.url = url;
  request.headers = std::move(headers);
  return send(std::move(request));
}

HttpReply HttpClient::post(const std::string& url, std::string body, HttpHeaders headers) const {
  HttpRequest request;
  request.method = "POST";
  request.url = url;
  request.body = std::move(body);
  request.headers = std::move(headers);
  return send(std::move(request));
}

std::string_view to_string(HttpFailure failure) {
  switch (failure) {
    case HttpFailure::kNone:
      return "none";
    case HttpFailure::kConnect:
      return "connect";
    case HttpFailure::kTls:
      return "tls";
    case HttpFailure::kTimeout:
      return "timeout";
    case HttpFailure::kStatus:
      return "status";
    case HttpFailure::kCutBody:
      return "cut_body";
    case HttpFailure::kTooLarge:
      return "too_large";
    case HttpFailure::kRedirect:
      return "redirect";
    case HttpFailure::kProtocol:
      return "protocol";
    case HttpFailure::kNoAnswer:
      return "no_answer";
    case HttpFailure::kStopped:
      return "stopped";
    case HttpFailure::kInterrupted:
      return "interrupted";
  }
  return "none";
}

void require_ok(const HttpReply& reply, const std::string& what, const std::string& next_step) {
  if (reply.ok()) return;
  if (reply.failure == HttpFailure::kInterrupted) throw Interrupted(what + ": " + reply.detail);
  std::string message = what + ": " + reply.detail;
  if (reply.num_attempts > 1) message += fmt::format(" ({} attempts)", reply.num_attempts);
  throw RemoteError("remote." + std::string(to_string(reply.failure)), message, "",
                    next_step.empty() ? usual_next_step(reply) : next_step);
}

}  // namespace plumbline
