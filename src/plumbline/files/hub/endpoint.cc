#include "plumbline/files/hub/endpoint.h"

#include <cctype>
#include <cstdlib>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/files/http/url.h"
#include "plumbline/files/hub_cache.h"

namespace plumbline {
namespace {

std::string trimmed(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  size_t begin = 0;
  while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin]))) ++begin;
  return text.substr(begin);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? trimmed(value) : "";
}

std::string stored_token() {
  const std::string off = variable("HF_HUB_DISABLE_IMPLICIT_TOKEN");
  if (!off.empty() && off != "0") return "";
  const std::string named = variable("HF_TOKEN_PATH");
  try {
    return trimmed(read_file(named.empty() ? hub_home() + "/token" : named));
  } catch (const DataError&) {
    return "";  // no token is the usual case
  }
}

}  // namespace

std::string hub_endpoint() {
  std::string endpoint = variable("HF_ENDPOINT");
  if (endpoint.empty()) endpoint = "https://huggingface.co";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  parse_url(endpoint);
  return endpoint;
}

HttpHeaders hub_headers() {
  std::string token = variable("HF_TOKEN");
  if (token.empty()) token = variable("HUGGING_FACE_HUB_TOKEN");
  if (token.empty()) token = stored_token();
  return token.empty() ? HttpHeaders() : HttpHeaders{{"Authorization", "Bearer " + token}};
}

}  // namespace plumbline
