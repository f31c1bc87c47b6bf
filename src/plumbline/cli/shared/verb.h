/// A verb of the command line: one file each. `words` is what follows the verb. Returns an exit code; errors are
/// thrown.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace plumbline {

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& words);  ///< null: plumbline-engine has it
};

/// Looks the verb up and runs it; prints the one-line error and maps it to the exit code.
int run_verb(std::span<const Verb> verbs, const std::string& name, const std::vector<std::string>& words);

}  // namespace plumbline
