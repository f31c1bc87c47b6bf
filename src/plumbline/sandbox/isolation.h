/// How far graded code is kept from the host. What each level promises is in docs/reference/isolation.md.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// Weakest first, so that levels compare with <.
enum class IsolationLevel {
  kLimits,      ///< rlimits and process supervision only; never chosen unless asked for
  kContainer,   ///< no namespaces: seccomp without sockets, Landlock and a throwaway uid where they can be had
  kBubblewrap,  ///< namespaces made by bwrap
  kNamespaces   ///< own user, pid, mount and ipc namespaces a submission; net and uts a worker; seccomp
};

/// "limits", "container", "bubblewrap", "namespaces".
std::string_view to_string(IsolationLevel level);

/// Throws ConfigError(config.not_allowed); `where` names the option.
IsolationLevel parse_isolation_level(std::string_view text, const std::string& where);

}  // namespace plumbline
