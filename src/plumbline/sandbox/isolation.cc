#include "plumbline/sandbox/isolation.h"

#include <array>
#include <utility>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr std::array<std::pair<IsolationLevel, std::string_view>, 4> kNames = {{
    {IsolationLevel::kLimits, "limits"},
    {IsolationLevel::kContainer, "container"},
    {IsolationLevel::kBubblewrap, "bubblewrap"},
    {IsolationLevel::kNamespaces, "namespaces"},
}};

}  // namespace

std::string_view to_string(IsolationLevel level) {
  return kNames[static_cast<size_t>(level)].second;
}

IsolationLevel parse_isolation_level(std::string_view text, const std::string& where) {
  for (const auto& [level, name] : kNames) {
    if (text == name) return level;
  }
  throw ConfigError("config.not_allowed", "'" + std::string(text) + "' is not an isolation level", where,
                    "use namespaces, bubblewrap, container or limits");
}

}  // namespace plumbline
