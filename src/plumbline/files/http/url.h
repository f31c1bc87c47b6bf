/// http and https addresses: taken apart, joined with a redirect's target, and printed without what may be secret.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// `target` is what goes on the request line: path and query, never empty, without the fragment.
struct Url {
  std::string scheme;  ///< "http" or "https"
  std::string host;    ///< lower case; an IPv6 address without its brackets
  int port = 0;
  std::string target;

  /// "https://host:port", the port always there. Equal origins may share secrets.
  std::string origin() const;
  /// The whole address, default ports left out.
  std::string text() const;
  /// For people, logs and errors: without the query, which in signed addresses is a secret.
  std::string printable() const;
};

/// Throws ConfigError(config.url): not http or https, no host, a bad port, a user name or password in it, a space or a
/// control character.
Url parse_url(std::string_view text);

/// What a Location header means seen from `base`: absolute, //host/path, /path or a path beside the present one.
/// Throws as parse_url.
Url resolve_url(const Url& base, std::string_view location);

/// Escapes everything but letters, digits and -._~ (and /, when `keep_slashes`).
std::string percent_encode(std::string_view text, bool keep_slashes = false);

}  // namespace plumbline
