#include "plumbline/files/http/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr size_t kMaxUrl_bytes = 16 * 1024;

bool is_default_port(const Url& url) {
  return url.port == (url.scheme == "https" ? 443 : 80);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char byte) { return std::tolower(byte); });
  return out;
}

/// Userinfo is left out of the message: it is the part that must not be shown.
[[noreturn]] void fail(const std::string& what, std::string_view text) {
  const size_t at = text.find('@');
  throw ConfigError("config.url", what, at == std::string_view::npos ? std::string(text.substr(0, 200)) : "",
                    "give an address such as https://host/path");
}

int parse_port(std::string_view digits, std::string_view whole) {
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535) {
    fail("the port is not a number from 1 to 65535", whole);
  }
  return port;
}

void split_authority(std::string_view authority, std::string_view whole, Url& url) {
  if (authority.find('@') != std::string_view::npos) {
    fail("an address must not hold a user name or a password", whole);
  }
  std::string_view port;
  if (!authority.empty() && authority[0] == '[') {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) fail("the bracket of an IPv6 address is not closed", whole);
    url.host = lower(authority.substr(1, close - 1));
    const std::string_view rest = authority.substr(close + 1);
    if (!rest.empty() && rest[0] != ':') fail("there is something between the host and the path", whole);
    port = rest.empty() ? rest : rest.substr(1);
  } else {
    const size_t colon = authority.find(':');
    url.host = lower(authority.substr(0, colon));
    if (colon != std::string_view::npos) port = authority.substr(colon + 1);
  }
  if (url.host.empty()) fail("the address has no host", whole);
  url.port = port.empty() ? (url.scheme == "https" ? 443 : 80) : parse_port(port, whole);
}

}  // namespace

std::string Url::origin() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", scheme, is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

std::string Url::text() const {
  std::string start = origin();
  if (is_default_port(*this)) start.resize(start.rfind(':'));
  return start + target;
}

std::string Url::printable() const {
  const std::string whole = text();
  return whole.substr(0, whole.find('?'));
}

Url parse_url(std::string_view text) {
  if (text.size() > kMaxUrl_bytes) fail("the address is longer than 16 KiB", text);
  for (const char byte : text) {
    if (static_cast<unsigned char>(byte) <= 0x20 || byte == 0x7F) {
      fail("an address must not hold spaces or control characters", text);
    }
  }
  const size_t colon = text.find("://");
  Url url;
  url.scheme = colon == std::string_view::npos ? "" : lower(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") fail("the address does not start with http:// or https://", text);
  std::string_view rest = text.substr(colon + 3);
  rest = rest.substr(0, rest.find('#'));
  const size_t end = std::min(rest.find_first_of("/?"), rest.size());
  split_authority(rest.substr(0, end), text, url);
  url.target = rest.substr(end);
  if (url.target.empty() || url.target[0] != '/') url.target.insert(0, "/");
  return url;
}

Url resolve_url(const Url& base, std::string_view location) {
  if (location.substr(0, 2) == "//") return parse_url(base.scheme + ":" + std::string(location));
  // A colon before any slash starts a scheme; what is no http then fails in parse_url.
  const size_t mark = location.find_first_of(":/?#");
  if (mark != std::string_view::npos && location[mark] == ':') return parse_url(location);
  const std::string start = base.origin();
  if (!location.empty() && location[0] == '/') return parse_url(start + std::string(location));
  const std::string path = base.target.substr(0, base.target.find('?'));
  if (location.empty()) return base;
  if (location[0] == '?') return parse_url(start + path + std::string(location));
  return parse_url(start + path.substr(0, path.rfind('/') + 1) + std::string(location));
}

std::string percent_encode(std::string_view text, bool keep_slashes) {
  std::string out;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    const bool plain =
        (value < 0x80 && std::isalnum(value)) || std::string_view("-._~").find(byte) != std::string::npos;
    if (plain || (byte == '/' && keep_slashes)) {
      out += byte;
    } else {
      out += fmt::format("%{:02X}", value);
    }
  }
  return out;
}

}  // namespace plumbline
