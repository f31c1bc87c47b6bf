#include "plumbline/files/http/proxy.h"

#include <cctype>
#include <cstdlib>
#include <string_view>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

/// The first variable of the names that is set and not empty, with its name.
std::pair<std::string, std::string> first_set(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name); value && *value) return {name, value};
  }
  return {};
}

bool covers(std::string_view entry, const Url& url) {
  if (entry == "*") return true;
  const size_t colon = entry.find(':');
  if (colon != std::string_view::npos && entry.find(':', colon + 1) == std::string_view::npos) {
    if (entry.substr(colon + 1) != std::to_string(url.port)) return false;
    entry = entry.substr(0, colon);
  }
  if (!entry.empty() && entry[0] == '.') entry.remove_prefix(1);
  if (entry.empty() || !url.host.ends_with(entry)) return false;
  return url.host.size() == entry.size() || url.host[url.host.size() - entry.size() - 1] == '.';
}

bool is_exempt(const Url& url) {
  std::string list = first_set({"no_proxy", "NO_PROXY"}).second;
  for (char& byte : list) byte = static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find_first_of(", ", begin), list.size());
    if (covers(std::string_view(list).substr(begin, end - begin), url)) return true;
    begin = end + 1;
  }
  return false;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto is_hex = [&](size_t at) {
      return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at]));
    };
    if (text[i] == '%' && is_hex(i + 1) && is_hex(i + 2)) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::optional<Proxy> proxy_for(const Url& url) {
  auto [name, value] = url.scheme == "https" ? first_set({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                                             : first_set({"http_proxy", "all_proxy", "ALL_PROXY"});
  if (value.empty() || is_exempt(url)) return std::nullopt;
  Proxy proxy;
  if (value.find("://") == std::string::npos) value = "http://" + value;
  const size_t start = value.find("://") + 3;
  const size_t path = value.find('/', start);
  if (const size_t at = value.rfind('@', path); at != std::string::npos && at >= start) {
    const std::string pair = value.substr(start, at - start);
    const size_t colon = pair.find(':');
    proxy.user = percent_decode(std::string_view(pair).substr(0, colon));
    if (colon != std::string::npos) proxy.password = percent_decode(std::string_view(pair).substr(colon + 1));
    value.erase(start, at + 1 - start);
  }
  try {
    const Url address = parse_url(value);
    if (address.scheme != "http") throw ConfigError("config.url", "an https proxy");
    proxy.host = address.host;
    proxy.port = address.port;
  } catch (const ConfigError&) {
    throw ConfigError("config.proxy", "the proxy variable is not http://host:port", name,
                      "correct or unset it; only plain HTTP proxies are supported");
  }
  return proxy;
}

}  // namespace plumbline
