/// Which proxy an address goes through, by the variables that curl and Python honour.
#pragma once

#include <optional>
#include <string>

#include "plumbline/files/http/url.h"

namespace plumbline {

struct Proxy {
  std::string host;
  int port = 0;
  std::string user, password;  ///< empty without; never printed
};

/// http: http_proxy (lower case only: a CGI server's HTTP_PROXY is a request header). https: https_proxy or
/// HTTPS_PROXY. Else all_proxy or ALL_PROXY. Unset for hosts that no_proxy or NO_PROXY lists: "*", "host", ".domain"
/// and "domain" (with all below it), each with ":port" or without. Throws ConfigError(config.proxy) for a value that is
/// not http://[user:password@]host[:port]; the value itself is not shown.
std::optional<Proxy> proxy_for(const Url& url);

}  // namespace plumbline
