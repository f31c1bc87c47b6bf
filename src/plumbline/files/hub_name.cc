#include "plumbline/files/hub_name.h"

#include <algorithm>
#include <cctype>

namespace plumbline {
namespace {

constexpr size_t kMaxPart_bytes = 96;

/// One of the two parts of a repository's name (the rules of huggingface_hub's validate_repo_id).
bool is_repository_part(std::string_view part) {
  const bool allowed = std::all_of(part.begin(), part.end(), [](unsigned char byte) {
    return (byte < 0x80 && std::isalnum(byte)) || byte == '-' || byte == '_' || byte == '.';
  });
  const auto is_edge = [](char byte) { return byte == '-' || byte == '.'; };
  return allowed && !part.empty() && part.size() <= kMaxPart_bytes && !is_edge(part.front()) && !is_edge(part.back()) &&
         part.find("--") == std::string_view::npos && part.find("..") == std::string_view::npos &&
         !part.ends_with(".git") && !part.ends_with(".ipynb");
}

}  // namespace

std::string HubName::text() const {
  return repository + (file.empty() ? "" : "/" + file) + (revision == "main" ? "" : "@" + revision);
}

std::optional<HubName> parse_hub_name(std::string_view text) {
  HubName name;
  if (const size_t at = text.find('@'); at != std::string_view::npos) {
    name.revision = text.substr(at + 1);
    if (!is_safe_relative_path(name.revision) || name.revision.find('@') != std::string::npos) return std::nullopt;
    text = text.substr(0, at);
  }
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const size_t end = std::min(text.find('/', slash + 1), text.size());
  const std::string_view org = text.substr(0, slash), rest = text.substr(slash + 1, end - slash - 1);
  if (org == "models" || !is_repository_part(org) || !is_repository_part(rest)) return std::nullopt;
  name.repository = text.substr(0, end);
  if (end == text.size()) {
    // models/tiny.gguf is a file that is not there, not a repository.
    return rest.ends_with(".gguf") ? std::nullopt : std::optional(name);
  }
  name.file = text.substr(end + 1);
  return is_safe_relative_path(name.file) && name.file.ends_with(".gguf") ? std::optional(name) : std::nullopt;
}

bool is_safe_relative_path(std::string_view path) {
  if (path.empty() || path.size() > 1024) return false;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return std::none_of(path.begin(), path.end(),
                      [](unsigned char byte) { return byte < 0x20 || byte == 0x7F || byte == '\\'; });
}

}  // namespace plumbline
