#include "plumbline/cli/shared/verb.h"

#include <cstdio>
#include <exception>
#include <new>

#include "plumbline/base/error.h"

namespace plumbline {

int run_verb(std::span<const Verb> verbs, const std::string& name, const std::vector<std::string>& words) {
  try {
    for (const Verb& verb : verbs) {
      if (name == verb.name) return verb.run(words);
    }
    throw ConfigError("config.unknown_verb", "there is no verb '" + name + "'", "", "see plumbline --help");
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.line().c_str());
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "internal.memory: out of memory; use smaller batches or a machine with more memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal.exception: %s; this is a bug in plumbline, please report it\n",
                 escape_control(error.what()).c_str());
  }
  return static_cast<int>(ExitCode::kInternal);
}

}  // namespace plumbline
