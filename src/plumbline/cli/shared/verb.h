/// A verb of the command line: one file each. `words` is what follows the verb. Returns an exit code; errors are
/// thrown.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& words);  ///< null: plumbline-engine has it
};

/// Runs `action` and returns its exit code; prints the one-line error that it throws and maps it to the exit code. What
/// was printed and could not be written is such an error.
int run_guarded(const std::function<int()>& action);

/// Throws DataError(data.unwritable) when something that was printed so far could not be written (a full disk, a closed
/// pipe). For verbs that print without an end; run_guarded calls it at the end of all others.
void flush_output();

/// Looks the verb up and runs it, guarded.
int run_verb(std::span<const Verb> verbs, const std::string& name, const std::vector<std::string>& words);

}  // namespace plumbline
